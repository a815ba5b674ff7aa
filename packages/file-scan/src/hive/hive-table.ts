import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, isSameName } from '@tessera/common';
import { type KernelColumn, quoteText, typeToSql } from '@tessera/kernel';
import type { ListedFile } from '@tessera/object-store';
import { fileFilter } from '@tessera/tablet';
import { csvHead } from '../csv/csv-head.ts';
import type { CompressedCsv, CsvTable, TableColumn } from '../file-scan.ts';
import { emptyFile, readFooter } from '../parquet/footer.ts';
import { chooseFiles, constantBounds } from '../table/choose-files.ts';
import type { ChosenFiles, DataFile, FileTable, Filters, TableCall } from '../table/file-table.ts';
import type { TableServices } from '../table/table-services.ts';
import { inferredType, isOfType, kernelText, type PartitionType, partitionValues } from './partition-path.ts';

/**
 * The number of files that are listed to find the columns. If there are more, folders that the conditions exclude are not
 * listed at all.
 */
const LOOKED_AT = 10_000;

/** The URL is a pattern, or a folder if it ends with `/`. */
export interface HiveCall extends TableCall {
  /** HIVE_PARTITIONING; undefined means that the names of the folders decide. */
  readonly isPartitioned?: boolean | undefined;
  /** Whether types of partition columns are inferred from their values; otherwise they are text. */
  readonly infersTypes: boolean;
  /** How a CSV file is read; absent if the files are Parquet files. */
  readonly csv?: ((url: string) => CsvCall) | undefined;
}

interface CsvCall {
  readonly shape: CompressedCsv;
  /** The columns of the CSV file at a path, and the arguments of the kernel's `read_csv` for files like it. */
  describe(path: string): Promise<{ readonly columns: readonly KernelColumn[]; readonly settings: string }>;
}

/** Whether a URL may name files in folders that have the values of partition columns. */
export const mayBeHive = ({ url, isPartitioned }: Pick<HiveCall, 'url' | 'isPartitioned'>): boolean =>
  isPartitioned ?? /\/$|[^/]=[^/]*\/|[*?[][^/]*\//.test(url.replace(/^[a-z0-9]+:\/\//i, ''));

/**
 * Parquet or CSV files in folders like `year=2024/month=5/`, whose names give columns. Undefined if the files of the URL are not
 * in such folders.
 * @throws TesseraError BAD_FILE, FILE_NOT_FOUND, EXTERNAL_READ_FAILED, LOCATION_NOT_ALLOWED
 */
export async function hiveTable(call: HiveCall, services: TableServices): Promise<FileTable | undefined> {
  const { external, signal } = services;
  const { credentials } = call;
  const isFolder = call.url.endsWith('/');
  const url = isFolder ? `${call.url}**` : call.url;
  const list = (more: { readonly limit?: number; readonly enters?: (folder: string) => boolean }) =>
    external.list(url, { signal, credentials, ...more });
  const listed = await list({ limit: LOOKED_AT });
  const isComplete = listed.length < LOOKED_AT;
  const looked = listed.filter(isData);
  const first = looked.find(({ bytes }) => bytes > 0) ?? looked[0];
  if (first === undefined) return fail('FILE_NOT_FOUND', { url, hint: 'there is no data file' });
  const keys = partitionValues(first.url).map(({ key }) => key);
  const stray = looked.find((file) => !hasKeys(file, keys));
  if (keys.length === 0 || stray !== undefined) {
    if (call.isPartitioned === true) refuseFolders(stray ?? first, keys);
    if (!isFolder) return undefined;
  }
  const partitions = stray === undefined ? partitionColumns(keys, looked, call.infersTypes) : [];
  const stored = await storedColumns(first, call, services);
  const isPartition = (name: string) => partitions.some((one) => isSameName(one.name, name));
  const columns = [...stored.columns.filter(({ name }) => !isPartition(name)), ...partitions];
  const bytes = looked.reduce((sum, file) => sum + file.bytes, 0);
  const dataFile = (file: ListedFile): DataFile => ({
    file: { url: file.url, bytes: file.bytes, etag: file.etag },
    modifiedAt: file.modifiedAt,
    constants: constantsOf(file, partitions),
  });
  const choose = async (filters: Filters): Promise<ChosenFiles> => {
    if (isComplete) return chooseFiles(columns, looked.map(dataFile), filters);
    const passes = fileFilter(partitions, filters);
    let foldersSkipped = 0;
    const enters = (folder: string): boolean => {
      const constants = constantsOf({ url: `${folder}/` }, partitions);
      const isEntered = passes((name) => (name in constants ? constantBounds(constants[name]!) : undefined));
      if (!isEntered) foldersSkipped += 1;
      return isEntered;
    };
    const files = (await list({ enters })).filter(isData);
    const strange = files.find((file) => !hasKeys(file, keys));
    if (strange !== undefined) refuseFolders(strange, keys);
    const chosen = chooseFiles(columns, files.map(dataFile), filters);
    return { ...chosen, foldersSkipped, total: foldersSkipped === 0 ? chosen.total : undefined };
  };
  const isShared = external.isObjectUrl(call.url);
  return {
    url: call.url,
    credentials,
    columns,
    csv: stored.csv,
    rows: stored.rows * (bytes / Math.max(1, first.bytes)),
    bytes,
    isShared,
    choose,
  };
}

/** Files whose names begin with `_` or `.` are about the data, as `_SUCCESS` is. */
const isData = ({ url }: ListedFile): boolean => !/^[_.]/.test(url.slice(url.lastIndexOf('/') + 1));

function hasKeys({ url }: Pick<ListedFile, 'url'>, keys: readonly string[]): boolean {
  const values = partitionValues(url);
  return values.length === keys.length && values.every(({ key }, i) => key === keys[i]);
}

const refuseFolders = ({ url }: Pick<ListedFile, 'url'>, keys: readonly string[]): never =>
  fail('BAD_FILE', {
    name: url,
    reason:
      keys.length === 0
        ? 'no folder of its path has the form key=value'
        : `its folders do not have the keys ${keys.join(', ')}, which other files have`,
  });

interface PartitionColumn extends TableColumn {
  readonly type: PartitionType;
}

function partitionColumns(
  keys: readonly string[],
  files: readonly ListedFile[],
  infersTypes: boolean,
): readonly PartitionColumn[] {
  const values = keys.map(() => new Set<string | null>());
  for (const { url } of files)
    for (const [i, { value }] of partitionValues(url).entries()) values[i]!.add(value);
  return keys.map((name, i) => ({ name, type: infersTypes ? inferredType(values[i]!) : 'VARCHAR' }));
}

/**
 * The values of the partition columns that a path has.
 * @throws TesseraError BAD_FILE for a value that has another type than those that were looked at
 */
function constantsOf(
  { url }: Pick<ListedFile, 'url'>,
  columns: readonly PartitionColumn[],
): Record<string, string | null> {
  const constants: Record<string, string | null> = {};
  for (const { key, value } of partitionValues(url)) {
    const column = columns.find(({ name }) => name === key);
    if (column === undefined) continue;
    const { type } = column;
    if (value !== null && !isOfType(type, value)) {
      const reason = `the value ${quoteText(value)} of ${key} is not a ${type.toLowerCase()}, which the values of other folders are`;
      fail('BAD_FILE', { name: url, reason: `${reason}; HIVE_TYPES_AUTOCAST => FALSE reads it as text` });
    }
    constants[key] = value === null ? null : kernelText(type, value);
  }
  return constants;
}

interface Stored {
  readonly columns: readonly TableColumn[];
  /** The number of rows, which is estimated for a CSV file. */
  readonly rows: number;
  readonly csv?: CsvTable;
}

/** The columns and the number of rows of a file. */
async function storedColumns(file: ListedFile, call: HiveCall, services: TableServices): Promise<Stored> {
  if (call.csv !== undefined) return storedCsv(file, call, call.csv(file.url), services);
  const { url, credentials } = call;
  const { external, session, directory, signal } = services;
  const { document } = await external.withReader(url, { signal, credentials }, ({ range }) =>
    readFooter(file, range),
  );
  const path = join(await directory(), `columns-${crypto.randomUUID()}`);
  await writeFile(path, emptyFile(document), { mode: 0o600 });
  const { columns } = await session.describe(
    `SELECT * FROM read_parquet(${quoteText(path)}, hive_partitioning = false)`,
  );
  return { columns: tableColumns(columns), rows: document.read().rows };
}

const tableColumns = (columns: readonly KernelColumn[]): readonly TableColumn[] =>
  columns.map(({ name, type }) => ({ name, type: typeToSql(type) }));

const BYTES_PER_CSV_ROW = 100;

async function storedCsv(
  file: ListedFile,
  { url, credentials }: HiveCall,
  { shape, describe }: CsvCall,
  { external, directory, signal }: TableServices,
): Promise<Stored> {
  const head = await external.withReader(url, { signal, credentials }, ({ range }) =>
    csvHead(file, shape, range),
  );
  const path = join(await directory(), `columns-${crypto.randomUUID()}`);
  await writeFile(path, head, { mode: 0o600 });
  const { columns, settings } = await describe(path);
  const first = { url: file.url, bytes: file.bytes, etag: file.etag };
  const names = columns.map(({ name }) => name);
  return {
    columns: tableColumns(columns),
    rows: file.bytes / BYTES_PER_CSV_ROW,
    csv: { settings, shape, columns: names, first },
  };
}
