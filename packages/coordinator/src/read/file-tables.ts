import { randomUUID } from 'node:crypto';
import { fail } from '@tessera/common';
import {
  deltaTable,
  type FileTable,
  type HiveCall,
  hiveTable,
  icebergTable,
  mayBeHive,
  type PlannedScan,
  planTable,
  readTable,
} from '@tessera/file-scan';
import { type KernelSession, quoteName, quoteText } from '@tessera/kernel';
import type { ExternalSources } from '@tessera/object-store';
import type { TableScan } from '@tessera/planner';
import { csvColumns, type ReadCall, type RelationSource } from '@tessera/sql';
import type { ScanTotals } from '@tessera/system-catalog';
import { NOTHING_SCANNED, plus } from '../queries/scan-totals.ts';
import type { RequestDirectory } from '../request/statement-request.ts';
import { credentialsOf } from './file-parts.ts';
import type { ReadFile } from './read-file.ts';
import { csvFile } from './read-file.ts';

export interface FileTablesScope {
  readonly session: KernelSession;
  readonly external: ExternalSources;
  readonly directory: RequestDirectory;
  readonly signal: AbortSignal;
}

/** What a statement needs of its tables of files, if its plan is known. */
export interface WantedOfTables {
  /** The scans by bound name; undefined if everything is read. */
  readonly scans: ReadonlyMap<string, TableScan> | undefined;
  /** The names in lower case of the columns whose bytes count as read; undefined means all. */
  readonly counted: ReadonlySet<string> | undefined;
}

/** A data file that this node reads. */
type TableFile = Pick<ReadFile, 'path' | 'label' | 'format' | 'csv'>;

interface OpenTable {
  readonly call: ReadCall;
  readonly table: FileTable;
  readonly scan: PlannedScan;
  /** The empty temp table that stands for the rows while the statement is bound. */
  readonly name: string;
}

/** The name of the relation that represents files while a statement is bound. */
export const boundFileName = (scanId: string): string => `f_${scanId}`;

/**
 * The tables of files that a statement reads. While it is bound, empty temp tables represent them. When its plan
 * is known, nodes read the files that it needs, or this node does.
 */
export class FileTables {
  readonly #scope: FileTablesScope;
  readonly #tables = new Map<string, OpenTable>();

  constructor(scope: FileTablesScope) {
    this.#scope = scope;
  }

  get areUsed(): boolean {
    return this.#tables.size > 0;
  }

  planned(scanId: string): PlannedScan | undefined {
    return this.#tables.get(scanId)?.scan;
  }

  /**
   * Makes the table of a call known; undefined if the call names plain files.
   * @throws TesseraError BAD_FILE, FILE_NOT_FOUND, EXTERNAL_READ_FAILED, LOCATION_NOT_ALLOWED
   */
  async plan(
    call: ReadCall,
  ): Promise<Omit<Extract<RelationSource, { kind: 'relation' }>, 'kind'> | undefined> {
    const found = await this.#table(call);
    if (found === undefined) return undefined;
    const namesFiles = call.namesFiles === true;
    const table = namesFiles ? withFileColumns(found) : found;
    const { session, external } = this.#scope;
    const scanId = randomUUID().replaceAll('-', '');
    const name = `table_${scanId}`;
    const columns = table.columns.map((column) => `${quoteName(column.name)} ${column.type}`);
    await session.execute(`CREATE TEMP TABLE ${name} (${columns.join(', ')})`);
    this.#tables.set(scanId, { call, table, scan: planTable(table, external), name });
    return { name, scanId, namesFiles };
  }

  async #table(call: ReadCall): Promise<FileTable | undefined> {
    const { session, external, directory, signal } = this.#scope;
    const { url, within, options } = call;
    const services = { session, external, directory: () => directory.open(), signal };
    const credentials = credentialsOf(call);
    switch (call.function) {
      case 'read_iceberg': {
        const { snapshot_id: id, allow_moved_paths: allowsMoved = false } = options;
        return icebergTable({ url, credentials, within, id, time: timeOf(call), allowsMoved }, services);
      }
      case 'read_delta':
        return deltaTable(
          { url, credentials, within, version: options.version, time: timeOf(call) },
          services,
        );
      case 'read_csv':
      case 'read_parquet': {
        const { hive_partitioning: isPartitioned, hive_types_autocast: infersTypes = true } = options;
        const csv = call.function === 'read_csv' ? csvCall(call, session) : undefined;
        if (!external.isListed(url) || !mayBeHive({ url, isPartitioned })) return undefined;
        return hiveTable({ url, credentials, isPartitioned, infersTypes, csv }, services);
      }
      default:
        return undefined;
    }
  }

  /**
   * Lets the session read the files that a statement needs, in place of the empty tables. Returns what is read, and the
   * names of the files by their paths.
   */
  async readAlone({ scans, counted }: WantedOfTables): Promise<{
    readonly scanned: ScanTotals;
    readonly files: readonly TableFile[];
  }> {
    const { session, external, directory, signal } = this.#scope;
    let scanned = NOTHING_SCANNED;
    const files: TableFile[] = [];
    for (const [scanId, { call, table, scan, name }] of this.#tables) {
      const wanted = scans?.get(boundFileName(scanId));
      const isRead = scans === undefined || wanted !== undefined;
      const all = table.columns;
      const names = all.map((column) => column.name);
      const read = names.filter((column) => isRead && (wanted?.named.includes(column) ?? true));
      const units = isRead
        ? await scan.units({ columns: all, nodes: 1, filters: wanted?.filters ?? [] }, signal)
        : [];
      const source = { kind: 'files', scan: scan.scan(all, counted), units, columns: read } as const;
      const opened = await readTable(source, external, await directory.open(), signal);
      const items = table.columns.map((column) => {
        const value = read.includes(column.name)
          ? quoteName(column.name)
          : `CAST(error(${quoteText(`Column ${column.name} of table ${table.url} was not fetched`)}) AS ${column.type})`;
        return `${value} AS ${quoteName(column.name)}`;
      });
      await session.execute(`DROP TABLE temp.${name}`);
      await session.execute(`CREATE TEMP VIEW ${name} AS SELECT ${items.join(', ')} FROM ${opened.sql}`);
      files.push(...opened.files.map((file) => ({ ...file, ...formatOf(call, file.label) })));
      const { rows, bytes: bytesFromFiles } = opened.read;
      scanned = plus(scanned, { ...NOTHING_SCANNED, rows, bytesFromFiles });
    }
    this.#tables.clear();
    return { scanned, files };
  }
}

const csvCall =
  (call: ReadCall, session: KernelSession): HiveCall['csv'] =>
  (url) => ({
    shape: csvFile({ ...call, url }).shape,
    describe: (path) => csvColumns({ ...call, url }, path, session),
  });

const formatOf = (call: ReadCall, url: string): Pick<ReadFile, 'format' | 'csv'> =>
  call.function === 'read_csv'
    ? { format: 'read_csv', csv: csvFile({ ...call, url }) }
    : { format: 'read_parquet' };

/** The argument AS_OF_TIMESTAMP; without a zone, it is in UTC. @throws TesseraError INVALID_ARGUMENT */
function timeOf({
  function: name,
  options: { as_of_timestamp: timestamp, snapshot_id, version },
  location,
}: ReadCall): Date | undefined {
  if (timestamp === undefined) return undefined;
  const invalid = (what: string) =>
    fail('INVALID_ARGUMENT', { message: `${name.toUpperCase()}: ${what}` }, { location });
  if (snapshot_id !== undefined || version !== undefined)
    return invalid('takes AS_OF_TIMESTAMP or a number, not both');
  const [, day, clock = '00:00:00', zone = '+00:00'] = TIMESTAMP.exec(timestamp.trim()) ?? [];
  const time = new Date(`${day}T${clock}${/^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone}`);
  return Number.isNaN(time.getTime()) ? invalid(`"${timestamp}" is not a timestamp`) : time;
}

const TIMESTAMP =
  /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** Adds the columns of external tables that describe the file, such as its name: all rows of a file have the same value in them. */
const withFileColumns = (table: FileTable): FileTable => ({
  ...table,
  columns: [
    ...table.columns,
    { name: '$source_file_name', type: 'VARCHAR' },
    { name: '$source_file_size', type: 'BIGINT' },
    { name: '$source_file_timestamp', type: 'TIMESTAMPTZ' },
  ],
  choose: async (filters, signal) => {
    const chosen = await table.choose(filters, signal);
    const files = chosen.files.map((one) => ({
      ...one,
      constants: {
        ...one.constants,
        $source_file_name: one.file.url,
        $source_file_size: String(one.file.bytes),
        $source_file_timestamp: one.modifiedAt?.toISOString() ?? null,
      },
    }));
    return { ...chosen, files };
  },
});
