import { type NodeName, TesseraError } from '@tessera/common';

/** The kernel's messages if it could not write to its spill directory. */
const NO_ROOM = /failed to offload|max_temp_directory_size|no space left|disk full|could not write/i;

/**
 * SHUFFLE_SPACE_EXHAUSTED if the kernel ran out of disk space for rows that do not fit in memory, otherwise
 * the error itself.
 */
export const exhaustedSpace = (error: unknown, node: NodeName): unknown =>
  error instanceof TesseraError && NO_ROOM.test(error.message) ? noRoom(node, error) : error;

export const noRoom = (node: NodeName, cause?: unknown): TesseraError =>
  TesseraError.of(
    'SHUFFLE_SPACE_EXHAUSTED',
    { node, reason: 'memory is used up, and the disk takes no more' },
    { cause },
  );
