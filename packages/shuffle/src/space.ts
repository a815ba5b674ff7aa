import { TesseraError } from '@tessera/common';

/** How the kernel reports that it could not write to its spill directory. */
const NO_ROOM = /failed to offload|max_temp_directory_size|no space left|disk full|could not write/i;

/** The error itself, unless the kernel found no room left on disk for rows that memory does not hold. */
export const exhaustedSpace = (error: unknown, node: string): unknown =>
  error instanceof TesseraError && NO_ROOM.test(error.message) ? noRoom(node, error) : error;

export const noRoom = (node: string, cause?: unknown): TesseraError =>
  TesseraError.of(
    'SHUFFLE_SPACE_EXHAUSTED',
    { node, reason: 'memory is used up, and the disk takes no more' },
    { cause },
  );
