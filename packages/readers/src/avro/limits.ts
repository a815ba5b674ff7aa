import { DecodeError } from '../columns/column-batch.ts';

/** A block is held whole while it is decoded; writers make them of 16 KiB to a few MiB. */
export const MAX_BLOCK_BYTES = 256 << 20;

/** The error of a block that goes beyond `MAX_BLOCK_BYTES`. */
export function tooLarge(): DecodeError {
  return new DecodeError(`it unpacks to more than ${MAX_BLOCK_BYTES >> 20} MiB`);
}

/** Schema and metadata in the header. */
export const MAX_HEADER_BYTES = 16 << 20;

/** Memory that the columns of one batch may take. */
export const MAX_BATCH_MEMORY_BYTES = 256 << 20;

/** Values that take no byte in the file (nulls, empty records): else a header could claim 2^62 of them. */
export const MAX_ZERO_WIDTH_VALUES = 10_000_000;

/** Columns with all their nested fields, after named types are expanded in every place they are used. */
export const MAX_COLUMNS = 10_000;
