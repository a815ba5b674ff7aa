import { TesseraError } from '@tessera/common';
import type { ExternalSources } from '@tessera/object-store';
import type { FileScan, ScannedFile, ScanReader } from './file-scan.ts';
import type { SharedFiles } from './shared/shared-files.ts';

export interface RangeServices {
  readonly external: ExternalSources;
  readonly shared: SharedFiles;
}

/** Calls `work` with a reader of the files of a scan. */
export function withReader<T>(
  scan: Pick<FileScan, 'url' | 'credentials' | 'sharedBy'>,
  { external, shared }: RangeServices,
  signal: AbortSignal,
  work: (reader: ScanReader) => Promise<T>,
): Promise<T> {
  const { url, credentials, sharedBy } = scan;
  if (sharedBy === undefined) return external.withReader(url, { signal, credentials }, work);
  return work({
    range: (file, start, end) => shared.read(sharedBy, file, start, end, signal),
    copy: (file, start, end, take) => shared.copy(sharedBy, file, [start, end], take, signal),
  });
}

/** Reads ranges that must not end early. */
export const completely = ({ range, copy }: ScanReader): ScanReader => ({
  range: async (file, start, end) => {
    const bytes = await range(file, start, end);
    checkEnd(file, start + bytes.length, end);
    return bytes;
  },
  copy: async (file, start, end, take) => {
    let at = start;
    await copy(file, start, end, async (bytes, position) => {
      await take(bytes, position);
      at = position + bytes.length;
    });
    checkEnd(file, at, end);
  },
});

function checkEnd({ url, bytes }: ScannedFile, end: number, wanted: number): void {
  if (end >= wanted) return;
  const reason = `it ends at byte ${end} instead of ${bytes}`;
  throw TesseraError.of('EXTERNAL_READ_FAILED', { url, reason });
}
