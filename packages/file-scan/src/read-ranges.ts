import type { FileHandle } from 'node:fs/promises';
import { discardBytes, TesseraError } from '@tessera/common';
import type { ExternalSources } from '@tessera/object-store';
import type { FileScan, ReadRange, ScannedFile } from './file-scan.ts';
import { SHARED_CHUNK_BYTES, type SharedFiles } from './shared/shared-files.ts';

export interface RangeServices {
  readonly external: ExternalSources;
  readonly shared: SharedFiles;
}

/** Calls `work` with a function that reads ranges of the files of a scan, wherever they are stored. */
export function withRanges<T>(
  scan: Pick<FileScan, 'url' | 'credentials' | 'sharedBy'>,
  { external, shared }: RangeServices,
  signal: AbortSignal,
  work: (read: ReadRange) => Promise<T>,
): Promise<T> {
  const { url, credentials, sharedBy } = scan;
  if (sharedBy !== undefined)
    return work((file, start, end) => shared.read(sharedBy, file, start, end, signal));
  return external.withReader(url, { signal, credentials }, ({ range }) => work(range));
}

/** The bytes of an object that are requested at once. */
const OBJECT_CHUNK_BYTES = 4 << 20;

/** Copies bytes of a file to position `at` of another one; `onChunk` is given each chunk. */
export async function copyRange(
  file: ScannedFile,
  [from, to]: readonly [from: number, to: number],
  {
    read,
    target,
    at,
    onChunk,
  }: {
    readonly read: ReadRange;
    readonly target: FileHandle;
    readonly at: number;
    readonly onChunk?: (chunk: Buffer) => void;
  },
): Promise<void> {
  const chunkBytes = file.sharedId === undefined ? OBJECT_CHUNK_BYTES : SHARED_CHUNK_BYTES;
  for (let start = from; start < to; start += chunkBytes) {
    const bytes = await read(file, start, Math.min(to, start + chunkBytes));
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    onChunk?.(chunk);
    await target.write(chunk, 0, null, at + start - from);
    discardBytes(chunk);
  }
}

/** Reads ranges that must not end early. */
export const completely =
  (range: ReadRange): ReadRange =>
  async (file, start, end) => {
    const bytes = await range(file, start, end);
    if (bytes.length === end - start) return bytes;
    const reason = `it ends at byte ${start + bytes.length} instead of ${file.bytes}`;
    throw TesseraError.of('EXTERNAL_READ_FAILED', { url: file.url, reason });
  };
