/** The maximum size of the flatbuffer before a message. */
export const MAX_METADATA_BYTES = 16 << 20;

/**
 * The maximum unpacked size of the compressed buffers of one record batch, which can only be read as a whole.
 */
export const MAX_UNPACKED_BATCH_BYTES = 512 << 20;

/** The maximum memory of the columns of one of our batches. */
export const MAX_BATCH_MEMORY_BYTES = 256 << 20;

/** The maximum number of rows of a file whose columns occupy no bytes. */
export const MAX_ZERO_WIDTH_ROWS = 10_000_000;
