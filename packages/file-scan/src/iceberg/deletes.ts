import { fail } from '@tessera/common';
import type { RowDeletes, TableColumn } from '../file-scan.ts';
import type { ManifestEntry } from './manifests.ts';

/** The field id of the column `file_path` in files of positions. */
const FILE_PATH = 2_147_483_546;

/** Finds what was deleted from each data file of a table. */
export class IcebergDeletes {
  readonly #vectors = new Map<string, ManifestEntry>();
  readonly #positions: readonly ManifestEntry[];
  readonly #keys: readonly ManifestEntry[];
  readonly #columns: (ids: readonly number[], url: string) => readonly TableColumn[];
  readonly #isPartitioned: (specId: number) => boolean;

  /**
   * @param columns the columns of the table with these field ids, also those that were dropped
   * @throws TesseraError NOT_SUPPORTED for files that are neither Parquet nor Puffin
   */
  constructor(
    entries: readonly ManifestEntry[],
    columns: (ids: readonly number[], url: string) => readonly TableColumn[],
    isPartitioned: (specId: number) => boolean,
  ) {
    this.#columns = columns;
    this.#isPartitioned = isPartitioned;
    for (const entry of entries) {
      const { format, url, blob, referenced } = entry;
      if (format === 'puffin' && blob !== undefined && referenced !== undefined)
        this.#vectors.set(referenced, entry);
      else if (format !== 'parquet')
        fail('NOT_SUPPORTED', { what: `Deletes in files of format ${format}, as in ${url},` });
    }
    const files = entries.filter(({ format }) => format === 'parquet');
    this.#positions = files.filter(({ content }) => content === 'position deletes');
    this.#keys = files.filter(({ content }) => content === 'equality deletes');
  }

  /** @param path the path of the data file as the table's metadata writes it, which files of positions repeat */
  of(data: ManifestEntry, path: string): readonly RowDeletes[] {
    const keys = this.#keys
      .filter(
        (entry) =>
          entry.sequence > data.sequence &&
          (!this.#isPartitioned(entry.specId) || isSamePartition(entry, data)),
      )
      .map(
        (entry): RowDeletes => ({
          kind: 'keys',
          file: { url: entry.url, bytes: entry.bytes },
          columns: this.#columns(entry.equalityIds, entry.url),
        }),
      );
    const vector = this.#vectors.get(data.url);
    if (vector?.blob !== undefined && vector.sequence >= data.sequence) {
      const { url, bytes, rows, blob } = vector;
      return [...keys, { kind: 'bitmap', file: { url, bytes }, ...blob, rows }];
    }
    const positions = this.#positions
      .filter((entry) => entry.sequence >= data.sequence && isSamePartition(entry, data))
      .filter((entry) => (entry.referenced ?? data.url) === data.url && mayName(entry, path))
      .map(({ url, bytes }): RowDeletes => ({ kind: 'positions', file: { url, bytes }, path }));
    return [...keys, ...positions];
  }
}

/** Whether the bounds of the paths in a file of positions contain the path. They may be truncated. */
function mayName({ low, high }: ManifestEntry, path: string): boolean {
  const bytes = Buffer.from(path);
  const [first, last] = [low.get(FILE_PATH), high.get(FILE_PATH)];
  return (
    (first === undefined || Buffer.compare(first, bytes) <= 0) &&
    (last === undefined || Buffer.compare(last, bytes) >= 0)
  );
}

const isSamePartition = (a: ManifestEntry, b: ManifestEntry): boolean =>
  a.specId === b.specId && partitionText(a) === partitionText(b);

const partitionText = ({ partition }: ManifestEntry): string =>
  JSON.stringify(
    partition.map((value) =>
      Buffer.isBuffer(value) ? value.toString('hex') : typeof value === 'bigint' ? `${value}n` : value,
    ),
  );
