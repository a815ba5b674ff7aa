import { statfs } from 'node:fs/promises';

export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** The fraction of the disk that tablets leave free, and its upper limit. */
const KEPT_FREE = 0.1;
const MAX_KEPT_FREE = 16 * 2 ** 30;
/** With less free space than this, nothing is written. */
const LAST_RESERVE = 256 * 2 ** 20;

export const diskSpaceOf = async (directory: string): Promise<DiskSpace> => {
  const { bavail, bsize, blocks } = await statfs(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
};

/** The bytes of other tablets to remove before this many bytes are written. */
export const bytesToMakeRoom = ({ freeBytes, totalBytes }: DiskSpace, bytes: number): number =>
  Math.max(0, bytes + Math.min(totalBytes * KEPT_FREE, MAX_KEPT_FREE) - freeBytes);

/** Whether there is room even if no more tablets can be removed. */
export const fitsAtAll = ({ freeBytes }: DiskSpace, bytes: number): boolean =>
  freeBytes - bytes >= LAST_RESERVE;
