import { statfs } from 'node:fs/promises';

export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Part of the disk that tablets leave free, and no more than this. */
const KEPT_FREE = 0.1;
const MAX_KEPT_FREE = 16 * 2 ** 30;
/** Below this nothing is written at all. */
const LAST_RESERVE = 256 * 2 ** 20;

export const diskSpaceOf = async (directory: string): Promise<DiskSpace> => {
  const { bavail, bsize, blocks } = await statfs(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
};

/** Bytes of other tablets that should go before so many more are written. */
export const bytesToMakeRoom = ({ freeBytes, totalBytes }: DiskSpace, bytes: number): number =>
  Math.max(0, bytes + Math.min(totalBytes * KEPT_FREE, MAX_KEPT_FREE) - freeBytes);

/** Whether there is room at all, when no more tablets can go. */
export const fitsAtAll = ({ freeBytes }: DiskSpace, bytes: number): boolean =>
  freeBytes - bytes >= LAST_RESERVE;
