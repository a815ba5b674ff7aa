import type { ExternalSources } from '@tessera/object-store';
import type { FileUnit } from '../file-scan.ts';
import { splitParquet } from '../parquet/footer.ts';
import type { ChosenFiles, FileTable, Filters } from '../table/file-table.ts';
import { wholeFile } from '../whole-file.ts';
import { type PlannedScan, unitBytesFor } from './planned-scan.ts';

/** Plans the scan of a table of files. */
export function planTable(table: FileTable, external: ExternalSources): PlannedScan {
  const { url, credentials, columns, csv, rows, bytes, isShared } = table;
  const choices = new Map<string, Promise<ChosenFiles>>();
  const choose = (filters: Filters, signal: AbortSignal): Promise<ChosenFiles> => {
    const key = JSON.stringify(filters);
    const chosen = choices.get(key) ?? table.choose(filters, signal);
    choices.set(key, chosen);
    return chosen;
  };
  return {
    url,
    kind: 'table',
    bytes,
    rows: Math.ceil(rows),
    isShared,
    isServedByNode: false,
    choose,
    scan: (_, counted) => ({
      url,
      credentials,
      format: { kind: 'table', columns, counted: counted && [...counted], csv },
    }),
    units: async ({ filters, nodes }, signal) => {
      const { files } = await choose(filters, signal);
      const stored = files.map(({ file }) => file);
      const units =
        isShared && csv === undefined
          ? await external.withReader(url, { signal, credentials }, ({ range }) =>
              splitParquet(stored, unitBytesFor(stored, nodes), range),
            )
          : stored.map(wholeFile);
      const byUrl = new Map(files.map((one) => [one.file.url, one]));
      return units.map((unit): FileUnit => {
        const { constants, deletes } = byUrl.get(unit.file.url)!;
        return { ...unit, constants, deletes };
      });
    },
  };
}
