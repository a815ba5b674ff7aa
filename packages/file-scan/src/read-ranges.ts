import type { ExternalSources } from '@tessera/object-store';
import type { FileScan, ReadRange } from './file-scan.ts';
import type { SharedFiles } from './shared/shared-files.ts';

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
  return external.withRanges(url, { signal, credentials }, work);
}
