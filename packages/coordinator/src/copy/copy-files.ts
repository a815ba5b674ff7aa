import { stat } from 'node:fs/promises';
import type { Snapshot } from '@tessera/catalog';
import { fail } from '@tessera/common';
import type { KernelSession } from '@tessera/kernel';
import { belowLocation, type CopyFromStatement, type ReadFunction } from '@tessera/sql';
import { requireLocation } from '../catalog/names.ts';
import type { ChangeContext } from '../changes/change-context.ts';
import { csvFile, type ReadFile, ReadResolution } from '../read-resolution.ts';
import { csvOptions } from './text-options.ts';

export type CopyFormat = 'CSV' | 'TSV' | 'PARQUET' | 'JSON' | 'AVRO';

/** A file that is copied. */
export interface CopyFile extends ReadFile {
  readonly bytes: number;
  readonly modifiedAt: Date;
}

/** What COPY FROM reads, on local disk. */
export interface CopyFiles {
  readonly format: CopyFormat;
  readonly files: readonly CopyFile[];
  /** A temp table of the session that has the rows already. */
  readonly relation: string | undefined;
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
  const reads = new ReadResolution({
    ...run.request,
    external: run.external,
    session,
    signal: run.query.signal,
  });
  const source = await reads.resolve({
    function: FUNCTIONS[format],
    url,
    options: credentials,
    location: statement.table.location,
  });
  const files = await Promise.all(
    reads.files.map(async (file) => {
      const { size, mtime } = await stat(file.path);
      const csv =
        file.csv && csvFile({ url: file.label, options: csvOptions({ format }, statement.options) });
      return { ...file, csv, bytes: size, modifiedAt: mtime };
    }),
  );
  return { format, files, relation: source.kind === 'relation' ? source.name : undefined };
}

/** The URL with its pattern, and what opens it. */
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
  const message = `${url} does not tell its format by its name: give TYPE = CSV, TSV, PARQUET, JSON or AVRO`;
  return fail('INVALID_ARGUMENT', { message });
}
