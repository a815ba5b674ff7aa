import { fail } from '@tessera/common';
import { chooseFiles } from '../table/choose-files.ts';
import type { DataFile, FileTable, TableCall } from '../table/file-table.ts';
import { storeUrlWithin } from '../table/read-metadata.ts';
import type { TableServices } from '../table/table-services.ts';
import { vectorDeletes } from './deletion-vector.ts';
import type { AddFile, DeltaState } from './log-actions.ts';
import { readLog, type VersionChoice } from './read-log.ts';
import { type DeltaColumn, deltaColumns } from './schema.ts';
import { partitionText, statisticsOf } from './statistics.ts';

/** The URL is that of the folder of the table. */
export interface DeltaCall extends TableCall, VersionChoice {}

/** Estimated for files without statistics. */
const BYTES_PER_ROW = 100;

/**
 * A Delta Lake table at a version.
 * @throws TesseraError BAD_FILE, FILE_NOT_FOUND, NOT_SUPPORTED, INVALID_ARGUMENT, EXTERNAL_READ_FAILED
 */
export async function deltaTable(call: DeltaCall, services: TableServices): Promise<FileTable> {
  const { external, signal } = services;
  const { url, credentials } = call;
  const table = url.replace(/\/$/, '');
  const state = await external.withReader(url, { signal, credentials }, (reader) =>
    readLog(reader, table, call, services),
  );
  checkProtocol(state, table);
  const columns = deltaColumns(state.metadata, table);
  const locate = storeUrlWithin(call.within);
  const read = state.files.map((file) => dataFile(file, columns, table, locate));
  const files = read.map(({ data }) => data);
  const bytes = files.reduce((sum, { file }) => sum + file.bytes, 0);
  const rows = read.reduce((sum, one) => sum + (one.rows ?? one.data.file.bytes / BYTES_PER_ROW), 0);
  const isShared = external.isObjectUrl(url);
  const choose: FileTable['choose'] = async (filters) => chooseFiles(columns, files, filters);
  return { url, credentials, columns, rows, bytes, isShared, choose };
}

const FEATURES = new Set([
  'columnMapping',
  'deletionVectors',
  'timestampNtz',
  'typeWidening',
  'typeWidening-preview',
  'v2Checkpoint',
  'vacuumProtocolCheck',
]);

/** @throws TesseraError NOT_SUPPORTED that names the features */
function checkProtocol({ protocol, metadata }: DeltaState, table: string): void {
  const { minReaderVersion, readerFeatures } = protocol;
  if (minReaderVersion > 3)
    fail('NOT_SUPPORTED', {
      what: `Version ${minReaderVersion} of the Delta Lake protocol, which ${table} needs,`,
    });
  const unknown = (readerFeatures ?? []).filter((feature) => !FEATURES.has(feature));
  if (unknown.length > 0)
    fail('NOT_SUPPORTED', { what: `The Delta Lake feature ${unknown.join(', ')}, which ${table} needs,` });
  const provider = metadata.format?.provider ?? 'parquet';
  if (provider !== 'parquet')
    fail('NOT_SUPPORTED', { what: `The format ${provider} of the data files of ${table}` });
}

function dataFile(
  add: AddFile,
  columns: readonly DeltaColumn[],
  table: string,
  locate: (url: string) => string,
): { readonly data: DataFile; readonly rows: number | undefined } {
  const path = decodeURIComponent(add.path);
  const url = locate(/^[a-z][a-z0-9+.-]*:\/|^\//i.test(path) ? path : `${table}/${path}`);
  const partitions = columns.filter(({ isPartition }) => isPartition);
  const { rows, bounds } = statisticsOf(
    add,
    columns.filter(({ isPartition }) => !isPartition),
  );
  const values = partitions.map(
    ({ name, logName, type }) => [name, partitionText(type, add.partitionValues?.[logName])] as const,
  );
  const vector = add.deletionVector;
  return {
    rows,
    data: {
      file: { url, bytes: Number(add.size) },
      constants: Object.fromEntries(values),
      bounds,
      deletes: vector ? [vectorDeletes(vector, table, { of: url, locate })] : undefined,
    },
  };
}
