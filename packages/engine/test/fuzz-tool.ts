import { existsSync } from 'node:fs';
import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const TOOLS = join(import.meta.dirname, '../../../../shared/tools');
const GENERATOR = join(TOOLS, 'fuzzsql.mjs');

/** Runs SQL; values are texts, as the tool compares them. */
export interface Executor {
  readonly name: string;
  execute(sql: string): Promise<{ columns: { name: string; type: string }[]; rows: (string | null)[][] }>;
  close(): Promise<void>;
}

interface FuzzTable {
  readonly name: string;
}

export interface FuzzSchema {
  readonly tables: readonly FuzzTable[];
}

interface FuzzQuery {
  /** The query, with marks around parts that may be dropped. */
  readonly sql: string;
  readonly ordered: boolean;
}

interface Comparison {
  readonly kind: 'same' | 'both-error' | 'ref-error' | 'target-error' | 'mismatch';
  readonly why?: string;
}

/** The part of the external generator that is used here. */
interface Generator {
  makeSchema(seed: string): FuzzSchema;
  schemaSql(schema: FuzzSchema): string[];
  genQuery(schema: FuzzSchema, seed: string, dialect: 'duckdb'): FuzzQuery;
  relax(query: FuzzQuery, reference: Executor): Promise<FuzzQuery>;
  clean(sql: string): string;
  compare(sql: string, ordered: boolean, reference: Executor, target: Executor): Promise<Comparison>;
}

export const fuzzToolPresent = (): boolean => existsSync(GENERATOR);

export const fuzzGenerator = (): Promise<Generator> => import(pathToFileURL(GENERATOR).href);

/**
 * Plain DuckDB as the tool drives it. `directory` receives what makes DuckDB resolvable for the tool's
 * module.
 */
export async function plainDuckDb(directory: string): Promise<Executor> {
  const scope = join(directory, 'node_modules/@duckdb');
  await mkdir(scope, { recursive: true });
  await symlink(
    join(dirname(fileURLToPath(import.meta.resolve('@duckdb/node-api'))), '..'),
    join(scope, 'node-api'),
  );
  const module = join(directory, 'duckdb.mjs');
  await copyFile(join(TOOLS, 'exec/duckdb.mjs'), module);
  const { open } = (await import(pathToFileURL(module).href)) as { open(): Promise<Executor> };
  return open();
}
