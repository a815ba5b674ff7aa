import { DecodeError } from '../columns/column-batch.ts';

/**
 * The maximum size of a block, which is held in memory as a whole while it is decoded. Writers make blocks of
 * 16 KiB to a few MiB.
 */
export const MAX_BLOCK_BYTES = 256 << 20;

/** The error of a block that goes beyond `MAX_BLOCK_BYTES`. */
export function tooLarge(): DecodeError {
  return new DecodeError(`it unpacks to more than ${MAX_BLOCK_BYTES >> 20} MiB`);
}

/** The maximum size of schema and metadata in the header. */
export const MAX_HEADER_BYTES = 16 << 20;

/** The maximum memory of the columns of one batch. */
export const MAX_BATCH_MEMORY_BYTES = 256 << 20;

/**
 * The maximum number of values that occupy no byte in the file (nulls, empty records): otherwise a header
 * could claim 2^62 of them.
 */
export const MAX_ZERO_WIDTH_VALUES = 10_000_000;

/** The maximum number of columns with all nested fields, after named types are expanded at every use. */
export const MAX_COLUMNS = 10_000;
