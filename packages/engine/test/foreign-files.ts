import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The result of one reader for a file: its rows, or why it failed. */
interface Reading {
  readonly rows?: number;
  readonly error?: string;
}

/** A row of the manifest: a file of another project's test suite. */
export interface ForeignFile {
  /** The path below the folder of foreign files. */
  readonly path: string;
  readonly kind: 'parquet' | 'csv' | 'avro' | 'json';
  /**
   * `valid` and `bad` are binding for us; files of every other class (`check`, `bad-but-readable`, …) may be
   * read or refused.
   */
  readonly expect: string;
  readonly duckdb?: Reading;
  readonly hyparquet?: Reading;
  readonly avsc?: Reading;
}

/** The expected outcome for a file. */
export type Verdict = Read | Refused;

interface Read {
  readonly read: true;
  /** Any number of rows if absent. */
  readonly rows?: number;
}

/** By default a 4xx error that names the upload. */
interface Refused {
  readonly read: false;
  readonly status?: number;
  /** A part of the error description. */
  readonly says?: string;
}

/** A file whose expected outcome differs from the manifest's, or that needs other arguments than its kind. */
export interface Difference {
  readonly path: string;
  readonly reason: string;
  readonly verdict?: Verdict;
  /** Named arguments of the read function that replace those of the kind. */
  readonly arguments?: string;
}

const TEST_DATA = process.env.TESSERA_TEST_DATA ?? join(import.meta.dirname, '../../../../shared/data');
const DIRECTORY = join(TEST_DATA, 'files');
const DIFFERENCES = join(import.meta.dirname, 'foreign-files.differences.json');

const READ_FUNCTION = {
  parquet: 'READ_PARQUET',
  csv: 'READ_CSV',
  avro: 'READ_AVRO',
  json: 'READ_JSON',
} as const;
const ARGUMENTS = { parquet: '', csv: ', HEADER => true, INFER_SCHEMA => true', avro: '', json: '' } as const;

/** Every file of the manifest, in its order; none if the test data is absent. */
export function foreignFiles(): ForeignFile[] {
  const manifest = join(DIRECTORY, 'manifest.jsonl');
  if (!existsSync(manifest)) return [];
  const lines = readFileSync(manifest, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as ForeignFile);
}

export const differences = (): Difference[] => JSON.parse(readFileSync(DIFFERENCES, 'utf8')) as Difference[];

export const contents = (file: ForeignFile): Blob => new Blob([readFileSync(join(DIRECTORY, file.path))]);

/** The FROM item that reads the part `part`. */
export function readCall(file: ForeignFile, part: string, difference: Difference | undefined): string {
  const named = difference?.arguments === undefined ? ARGUMENTS[file.kind] : `, ${difference.arguments}`;
  return `${READ_FUNCTION[file.kind]}('upload://${part}'${named})`;
}

/** The manifest's own expectation; undefined if the file may be read or refused. */
export function manifestVerdict(file: ForeignFile): Verdict | undefined {
  if (file.expect === 'bad') return { read: false };
  if (file.expect !== 'valid') return undefined;
  const rows = (file.duckdb ?? file.avsc ?? file.hyparquet)?.rows;
  return rows === undefined ? { read: true } : { read: true, rows };
}
