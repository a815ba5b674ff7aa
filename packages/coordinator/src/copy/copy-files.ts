import { stat } from 'node:fs/promises';
import { requireLocation, type Snapshot } from '@tessera/catalog';
import { fail } from '@tessera/common';
import type { PlannedScan } from '@tessera/file-scan';
import type { KernelSession } from '@tessera/kernel';
import { belowLocation, type CopyFromStatement, type ReadFunction } from '@tessera/sql';
import type { ChangeContext } from '../changes/change.ts';
import { csvFile, type ReadFile } from '../read/read-file.ts';
import { ReadResolution } from '../read/read-resolution.ts';
import { csvOptions, isOn } from './text-options.ts';

type CopyFormat = 'CSV' | 'TSV' | 'PARQUET' | 'JSON' | 'AVRO';

/** A file to copy. */
export interface CopyFile extends ReadFile {
  readonly bytes: number;
  readonly modifiedAt: Date;
}

/** The files that COPY FROM reads, on local disk. */
export interface CopyFiles {
  readonly format: CopyFormat;
  readonly files: readonly CopyFile[];
  /** A temp table of the session that already contains the rows. */
  readonly relation: string | undefined;
  /** Set if nodes may read parts of the files; `files` are then placeholders until `reads.readAlone`. */
  readonly inParts: PlannedScan | undefined;
  readonly reads: ReadResolution;
}

const FUNCTIONS: Readonly<Record<CopyFormat, ReadFunction>> = {
  CSV: 'read_csv',
  TSV: 'read_csv',
  PARQUET: 'read_parquet',
  JSON: 'read_json',
  AVRO: 'read_avro',
};

const EXTENSIONS: readonly (readonly [RegExp, CopyFormat])[] = [
  [/\.parquet$/i, 'PARQUET'],
  [/\.csv(?:\.\w+)?$/i, 'CSV'],
  [/\.tsv(?:\.\w+)?$/i, 'TSV'],
  [/\.(?:json|jsonl|ndjson)(?:\.\w+)?$/i, 'JSON'],
  [/\.avro$/i, 'AVRO'],
];

/** @throws TesseraError FILE_NOT_FOUND, LOCATION_NOT_ALLOWED, EXTERNAL_READ_FAILED; INVALID_ARGUMENT without a format */
export async function copyFiles(
  context: ChangeContext,
  snapshot: Snapshot,
  session: KernelSession,
  statement: CopyFromStatement,
): Promise<CopyFiles> {
  const { run } = context;
  const { url, credentials } = copyPlace(context, snapshot, statement);
  const format = formatOf(statement, url);
  const parts = isForParts(statement) ? run.binder.distribution.fileParts(run.request) : undefined;
  const reads = new ReadResolution({
    ...run.request,
    external: run.external,
    session,
    parts: () => parts,
    signal: run.query.signal,
  });
  const { null_string, empty_field_as_null } = statement.options;
  const isText = format === 'CSV' || format === 'TSV';
  const textOptions = isText && {
    ...csvOptions({ format }, statement.options),
    ...(null_string !== undefined && { null_string }),
    empty_field_as_null: isOn(empty_field_as_null, true),
  };
  const call = { function: FUNCTIONS[format], url, location: statement.table.location };
  const source = await reads.resolve(
    { ...call, options: { ...credentials, ...textOptions } },
    { unionByName: true },
  );
  const files = await Promise.all(
    reads.files.map(async (file) => {
      const { size, mtime } = await stat(file.path);
      const csv =
        file.csv && csvFile({ url: file.label, options: csvOptions({ format }, statement.options) });
      return { ...file, csv, bytes: size, modifiedAt: mtime };
    }),
  );
  return {
    format,
    files,
    relation: source.kind === 'relation' ? source.name : undefined,
    inParts: source.scanId === undefined ? undefined : reads.plannedScan(source.scanId),
    reads,
  };
}

/**
 * Whether reading the files in parts gives the same result: no errors are tolerated, counted or attributed to
 * a file.
 */
function isForParts({ options, mapping = [] }: CopyFromStatement): boolean {
  const { max_errors_per_file, error_file, limit, offset, skip_header_rows } = options;
  return (
    [max_errors_per_file, error_file, limit, offset].every((option) => option === undefined) &&
    Number(skip_header_rows ?? 0) === 0 &&
    mapping.every(({ source }) => source?.kind !== 'virtual')
  );
}

/** The URL with its pattern, and the credentials for it. */
export function copyPlace(
  { database }: Pick<ChangeContext, 'database'>,
  snapshot: Snapshot,
  statement: Pick<CopyFromStatement, 'url' | 'locationName' | 'options' | 'credentials'>,
): { readonly url: string; readonly credentials: Readonly<Record<string, string>> } {
  const { options, locationName } = statement;
  const location = locationName === undefined ? undefined : requireLocation(snapshot, database, locationName);
  const base = statement.url ?? location?.url ?? '';
  const url = options.pattern === undefined ? base : belowLocation(base, options.pattern);
  return { url, credentials: { ...location?.credentials, ...statement.credentials } };
}

function formatOf({ options }: CopyFromStatement, url: string): CopyFormat {
  const { type } = options;
  if (type !== undefined && type !== 'AUTO') return type as CopyFormat;
  const found = EXTENSIONS.find(([extension]) => extension.test(url));
  if (found !== undefined) return found[1];
  const message = `${url} has no file extension of a known format: set TYPE to CSV, TSV, PARQUET, JSON or AVRO`;
  return fail('INVALID_ARGUMENT', { message });
}
