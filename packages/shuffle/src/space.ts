import { TesseraError } from '@tessera/common';

/** How the kernel tells that it could not write to its spill directory. */
const NO_ROOM = /failed to offload|max_temp_directory_size|no space left|disk full|could not write/i;

/** The error itself, unless the kernel found no room left on disk for rows that memory does not hold. */
export function exhaustedSpace(error: unknown, node: string): unknown {
  if (!(error instanceof TesseraError) || !NO_ROOM.test(error.message)) return error;
  const reason = 'memory is used up, and the disk takes no more';
  return TesseraError.of('SHUFFLE_SPACE_EXHAUSTED', { node, reason }, { cause: error });
}
