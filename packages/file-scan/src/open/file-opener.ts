import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cancellation, fail } from '@tessera/common';
import { type KernelSession, quoteName, quoteText } from '@tessera/kernel';
import { loadAvro } from '@tessera/readers';
import { fetchAvro } from '../avro/avro-head.ts';
import { type CreateFile, PartFiles } from '../csv/part-files.ts';
import { fetchCsv } from '../csv/split-csv.ts';
import type { FileColumn, FileFormat, FileSource, FileUnit, ScanReader } from '../file-scan.ts';
import { mapInTurns } from '../map-in-turns.ts';
import { ParquetFetcher } from '../parquet/fetch-parquet.ts';
import { completely, type RangeServices, withReader } from '../read-ranges.ts';
import { openTable } from './open-table.ts';

const UNITS_AT_ONCE = 4;

export interface FileOpenerOptions extends RangeServices {
  /** The directory in which parts are kept while a task reads them; the kernel must be able to read it. */
  readonly directory: string;
}

/** Calls `work` with the session in which the parts are read, when no other call uses it. */
export type InSession = <T>(work: (session: KernelSession) => Promise<T>) => Promise<T>;

/** Parts of files that the kernel can read. */
export interface OpenedFiles {
  /** A relation for FROM with the columns of the source. */
  readonly sql: string;
  /** `rows` is 0 for formats that do not report it. */
  readonly read: { readonly rows: number; readonly bytes: number };
  release(): void;
}

/** Fetches the parts of files outside the managed store that tasks read. */
export class FileOpener {
  readonly #options: FileOpenerOptions;
  readonly #texts: PartFiles;

  constructor(options: FileOpenerOptions) {
    this.#options = options;
    this.#texts = new PartFiles(options.directory);
  }

  /** @throws TesseraError EXTERNAL_READ_FAILED, LOCATION_NOT_ALLOWED, BAD_FILE, NODE_LOST, DISK_FULL, QUERY_CANCELLED */
  async open(source: FileSource, inSession: InSession, signal: AbortSignal): Promise<OpenedFiles> {
    const directory = await mkdtemp(join(this.#options.directory, 'scan-'));
    const release = () => void rm(directory, { recursive: true, force: true, maxRetries: 3 });
    try {
      const { format } = source.scan;
      if (format.kind === 'table') {
        const opened = await withReader(source.scan, this.#options, signal, (reader) =>
          openTable(source, format, { directory, reader: completely(reader), signal }),
        );
        return { ...opened, release };
      }
      const fetched = await this.#fetched(source, format, directory, signal);
      const { sql, rows } = await relationOf(source, format, fetched.paths, { directory, inSession, signal });
      const isText = format.kind === 'csv' || format.kind === 'typed csv';
      return {
        sql,
        read: { rows: rows ?? fetched.rows, bytes: fetched.bytes },
        release: isText ? () => void this.#texts.take(directory).catch(release) : release,
      };
    } catch (error) {
      release();
      if (signal.aborted) throw cancellation(signal);
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
        fail('DISK_FULL', { what: source.scan.url }, { cause: error });
      throw error;
    }
  }

  /** Copies the parts into files of the directory. */
  async #fetched(
    { scan, units, columns }: FileSource,
    format: PlainFormat,
    directory: string,
    signal: AbortSignal,
  ) {
    const paths = units.map((_, i) => join(directory, `unit-${i}`));
    const read = await withReader(scan, this.#options, signal, (incomplete) => {
      const reader = completely(incomplete);
      const parquet = new ParquetFetcher(reader);
      return mapInTurns(units, UNITS_AT_ONCE, (unit, i) => {
        if (signal.aborted) throw cancellation(signal);
        const createText = this.#texts.create;
        return fetchUnit(unit, paths[i]!, { format, columns, reader, parquet, createText, signal });
      });
    });
    const rows = read.reduce((sum, one) => sum + one.rows, 0);
    const bytes = read.reduce((sum, one) => sum + one.bytes, 0);
    return { paths, rows, bytes };
  }
}

/** The formats whose parts are all read in the same way. */
type PlainFormat = Exclude<FileFormat, { kind: 'table' }>;

interface FetchOptions {
  readonly format: PlainFormat;
  readonly columns: readonly string[];
  readonly reader: ScanReader;
  readonly parquet: ParquetFetcher;
  readonly createText: CreateFile;
  readonly signal: AbortSignal;
}

async function fetchUnit(
  unit: FileUnit,
  path: string,
  { format, columns, reader, parquet, createText, signal }: FetchOptions,
): Promise<{ readonly rows: number; readonly bytes: number }> {
  switch (format.kind) {
    case 'parquet':
      return parquet.fetch(unit, path, () => ({ columns, counted: format.counted }));
    case 'csv':
    case 'typed csv':
      await fetchCsv(unit, path, format.shape, { copy: reader.copy, create: createText, signal });
      return { rows: 0, bytes: unit.bytes };
    case 'avro':
      await fetchAvro(unit, path, reader);
      return { rows: 0, bytes: unit.bytes };
  }
}

interface RelationScope {
  readonly directory: string;
  readonly inSession: InSession;
  readonly signal: AbortSignal;
}

interface Relation {
  readonly sql: string;
  /** Set for formats whose rows are loaded. */
  readonly rows?: number;
}

/** The rows of the fetched files as they stand in FROM. */
async function relationOf(
  { units, columns }: FileSource,
  format: PlainFormat,
  paths: readonly string[],
  { directory, inSession, signal }: RelationScope,
): Promise<Relation> {
  const selected = columns.length === 0 ? 'NULL AS nothing' : columns.map(quoteName).join(', ');
  switch (format.kind) {
    case 'parquet': {
      const schemas = format.schemas.map((_, i) => join(directory, `schema-${i}`));
      for (const [i, schema] of format.schemas.entries())
        await writeFile(schemas[i]!, Buffer.from(schema, 'base64'), { mode: 0o600 });
      const union = format.unionByName ? ', union_by_name = true' : '';
      const scan = `read_parquet(${listOf([...schemas, ...paths])}, hive_partitioning = false${union})`;
      return { sql: `(SELECT ${selected} FROM ${scan})` };
    }
    case 'csv': {
      const texts = format.columns.map((name) => ({ name, type: 'VARCHAR' }));
      return { sql: `(SELECT ${selected} FROM ${csvRows(paths, texts, format.settings)})` };
    }
    case 'typed csv':
      return { sql: `(SELECT ${selected} FROM ${csvRows(paths, format.columns, format.settings)})` };
    case 'avro': {
      const header = join(directory, 'schema-0');
      await writeFile(header, Buffer.from(format.header, 'base64'), { mode: 0o600 });
      const parts = paths.map((path, i) => ({ path, label: units[i]!.file.url }));
      const files = [{ path: header, label: 'the first file' }, ...parts];
      const table = `avro_${randomUUID().replaceAll('-', '')}`;
      const rows = await inSession((session) => loadAvro(session, { files, table, signal }));
      return { sql: `(SELECT ${selected} FROM temp.${table})`, rows };
    }
  }
}

function csvRows(paths: readonly string[], columns: readonly FileColumn[], settings: string): string {
  if (paths.length === 0) {
    const nothing = columns.map(({ name, type }) => `CAST(NULL AS ${type}) AS ${quoteName(name)}`);
    return `(SELECT ${nothing.join(', ')} WHERE false)`;
  }
  const types = columns.map(({ name, type }) => `${quoteText(name)}: ${quoteText(type)}`).join(', ');
  return `read_csv(${listOf(paths)}, columns = {${types}}, auto_detect = false, hive_partitioning = false, ${settings})`;
}

const listOf = (paths: readonly string[]): string => `[${paths.map(quoteText).join(', ')}]`;
