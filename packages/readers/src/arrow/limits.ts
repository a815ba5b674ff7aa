/** The flatbuffer in front of a message. */
export const MAX_METADATA_BYTES = 16 << 20;

/** What the compressed buffers of one record batch may unpack to; they have no smaller unit to be read by. */
export const MAX_UNPACKED_BATCH_BYTES = 512 << 20;

/** Memory that the columns of one batch of ours may take. */
export const MAX_BATCH_MEMORY_BYTES = 256 << 20;

/** Rows of a file in which no column takes any byte. */
export const MAX_ZERO_WIDTH_ROWS = 10_000_000;
