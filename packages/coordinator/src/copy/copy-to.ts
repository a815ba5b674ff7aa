import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, type QueryId } from '@tessera/common';
import { type KernelSession, quoteText } from '@tessera/kernel';
import { belowLocation, type CopyToStatement } from '@tessera/sql';
import { queryInPlace } from '../changes/derived-query.ts';
import { retryInQuarantine } from '../queries/retry-in-quarantine.ts';
import type { ExecutableQuery } from '../read/executable-query.ts';
import type { StatementRun } from '../run/query-run.ts';
import { copyPlace } from './copy-files.ts';
import { isOn } from './text-options.ts';
import { writeAll } from './write-all.ts';
import { writePartitions } from './write-partitions.ts';

type Format = 'CSV' | 'TSV' | 'JSON' | 'PARQUET';

const EXTENSIONS: Readonly<Record<Format, string>> = {
  CSV: 'csv',
  TSV: 'tsv',
  JSON: 'jsonl',
  PARQUET: 'parquet',
};
const COMPRESSED: Readonly<Record<string, string>> = { gzip: '.gz', zstd: '.zst' };
const PARQUET_CODECS = ['snappy', 'gzip', 'zstd', 'lz4', 'brotli', 'uncompressed'];

interface CopyTarget {
  readonly url: string;
  readonly credentials: Readonly<Record<string, string>>;
}

/**
 * `COPY (query) TO …`: writes the result to the request's directory and moves it to its destination when it
 * is complete. Returns the number of rows.
 */
export async function copyTo(run: StatementRun, statement: CopyToStatement): Promise<number> {
  const target = await targetOf(run, statement);
  const { query, request, text } = run;
  const file = targetFile(statement, target, query.queryId);
  const { sql } = queryInPlace(statement.query, text);
  return retryInQuarantine(query, async (quarantine) => {
    const executable = await run.binder.executable({ ...run, text: sql }, { quarantine });
    try {
      const directory = await request.directory.open();
      return await writeResult(run, executable, {
        directory,
        file,
        target,
        partitionBy: statement.partitionBy,
      });
    } catch (error) {
      throw executable.explain(error);
    } finally {
      await executable.release();
    }
  });
}

async function targetOf(
  { snapshot, sessionValues }: StatementRun,
  statement: CopyToStatement,
): Promise<CopyTarget> {
  const { url, credentials } = statement;
  if (url !== undefined) return { url, credentials };
  const read = await snapshot();
  try {
    return copyPlace(sessionValues, read.snapshot, statement);
  } finally {
    read.release();
  }
}

interface TargetFile {
  /** The options in parentheses for the kernel's COPY. */
  readonly options: string;
  readonly url: string;
  /** The folder of the folders of partitions; undefined if there are none. */
  readonly folder: string | undefined;
  /** The beginning of the names of files in a folder. */
  readonly name: string;
  readonly extension: string;
  /** The size in bytes at which another file begins; undefined means a single file. */
  readonly maxBytes: number | undefined;
}

function targetFile(
  { options, partitionBy }: CopyToStatement,
  { url: given }: CopyTarget,
  queryId: QueryId,
): TargetFile {
  const url = partitionBy.length > 0 && !given.endsWith('/') ? `${given}/` : given;
  const format = formatOf(options.type, url);
  const codec = codecOf(format, options.compression);
  const isPartitioned = partitionBy.length > 0;
  const extension = `${EXTENSIONS[format]}${format === 'PARQUET' ? '' : (COMPRESSED[codec] ?? '')}`;
  const isDirectory = url.endsWith('/');
  const prefix =
    options.file_name_prefix ?? (isOn(options.include_query_id_in_file_name, true) ? queryId : 'result');
  const single = isOn(options.single_file, !isDirectory);
  if (single && isPartitioned)
    fail('INVALID_ARGUMENT', { message: 'PARTITION BY writes several files, so SINGLE_FILE must be false' });
  return {
    options: kernelOptions(format, codec, options),
    url: isDirectory ? belowLocation(url, `${prefix}.${extension}`) : url,
    folder: isPartitioned ? url.slice(0, -1) : undefined,
    name: prefix,
    extension,
    maxBytes: single ? undefined : maxFileSize(options.max_file_size),
  };
}

function formatOf(type: string | undefined, url: string): Format {
  if (type !== undefined) return type as Format;
  const found = /\.(csv|tsv|jsonl?|ndjson|parquet)(?:\.\w+)?$/i.exec(url)?.[1]?.toLowerCase();
  if (found === undefined) return 'CSV';
  return found.startsWith('json') || found === 'ndjson' ? 'JSON' : (found.toUpperCase() as Format);
}

function codecOf(format: Format, text: string | undefined): string {
  const codec = (text ?? (format === 'PARQUET' ? 'zstd' : 'none')).toLowerCase();
  const known = format === 'PARQUET' ? PARQUET_CODECS : ['none', ...Object.keys(COMPRESSED)];
  if (known.includes(codec)) return codec;
  return fail('INVALID_ARGUMENT', {
    message: `COMPRESSION of ${format} is one of ${known.join(', ')}, not ${text}`,
  });
}

function kernelOptions(format: Format, codec: string, options: CopyToStatement['options']): string {
  if (format === 'PARQUET') return `FORMAT parquet, COMPRESSION ${codec}`;
  if (format === 'JSON') return `FORMAT json, COMPRESSION ${codec}`;
  const given = [
    'FORMAT csv',
    `COMPRESSION ${codec}`,
    `HEADER ${isOn(options.header, true)}`,
    `DELIMITER ${quoteText((options.delimiter ?? (format === 'TSV' ? '\t' : ',')).replaceAll('\\t', '\t'))}`,
    ...(['quote', 'escape'] as const).flatMap((name) =>
      options[name] === undefined ? [] : [`${name.toUpperCase()} ${quoteText(options[name])}`],
    ),
    ...(options.null_string === undefined ? [] : [`NULLSTR ${quoteText(options.null_string)}`]),
  ];
  return given.join(', ');
}

const DEFAULT_FILE_BYTES = 256 << 20;
const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };

function maxFileSize(text: string | undefined): number {
  if (text === undefined) return DEFAULT_FILE_BYTES;
  const [, count, unit = ''] = /^(\d{1,12})\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const factor = UNITS[unit.toLowerCase()];
  if (count !== undefined && factor !== undefined && Number(count) > 0) return Number(count) * factor;
  return fail('INVALID_ARGUMENT', { message: `MAX_FILE_SIZE takes bytes, KB, MB or GB, not ${text}` });
}

interface ResultPlace {
  readonly directory: string;
  readonly file: TargetFile;
  readonly target: CopyTarget;
  readonly partitionBy: CopyToStatement['partitionBy'];
}

async function writeResult(
  { external, query }: StatementRun,
  { session, sql, params, columns }: ExecutableQuery,
  { directory, file, target, partitionBy }: ResultPlace,
): Promise<number> {
  const access = { signal: query.signal, credentials: target.credentials };
  const copy = (path: string, more: string) =>
    (session as KernelSession).execute(
      `COPY (${sql}) TO ${quoteText(path)} (${file.options}${more})`,
      params,
    );
  if (file.maxBytes === undefined) {
    const path = join(directory, `copy-result.${file.extension}`);
    const rows = await copy(path, '');
    await external.write(file.url, path, access);
    return rows;
  }
  if (file.folder !== undefined) {
    const partitions = { directory, sql, file, partitionBy, columns, maxBytes: file.maxBytes };
    const { rows, files } = await writePartitions(session as KernelSession, params, partitions);
    await writeAll(external, files, access);
    return rows;
  }
  const path = join(directory, 'copy-result');
  const rows = await copy(path, `, FILE_SIZE_BYTES ${file.maxBytes}`);
  const names = (await readdir(path)).sort(byNumber);
  const files = names.map((name, i) => ({ url: numbered(file, i), path: join(path, name) }));
  await writeAll(external, files, access);
  return rows;
}

/** Compares the numbers in file names, which the kernel does not pad. */
const byNumber = (a: string, b: string): number => numberIn(a) - numberIn(b);
const numberIn = (name: string): number => Number(/\d+/.exec(name)?.[0] ?? 0);

const numbered = ({ url, extension }: TargetFile, i: number): string => {
  const base = url.endsWith(`.${extension}`) ? url.slice(0, -extension.length - 1) : url;
  return `${base}_${i}.${extension}`;
};
