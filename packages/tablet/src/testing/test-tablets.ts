import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectId, TableObject } from '@tessera/catalog';
import { type KernelSession, quoteText, startKernel } from '@tessera/kernel';
import { fromStored } from '../values/stored-type.ts';
import { writeTablets } from '../write/tablet-writer.ts';
import type { WriteOptions, WrittenTablet } from '../write/write-options.ts';

/** A kernel of its own; its directory is removed on disposal. */
export interface TestTablets extends AsyncDisposable {
  readonly session: KernelSession;
  readonly directory: string;
  write(table: TableObject, sql: string, options?: Partial<WriteOptions>): Promise<WrittenTablet[]>;
  /** The rows of a query as lists of VARCHAR. */
  rows(sql: string): Promise<(string | null)[][]>;
}

export async function testTablets(memoryLimitBytes = 1e9): Promise<TestTablets> {
  const directory = mkdtempSync(join(tmpdir(), 'tablet-test-'));
  const files = join(directory, 'files');
  mkdirSync(files);
  const log = () => undefined;
  const kernel = await startKernel({
    directory: join(directory, 'kernel'),
    readableDirectories: [files],
    memoryLimitBytes,
    threads: 2,
    bootstrap: [],
    log: { info: log, warn: log, error: log },
  });
  const session = await kernel.session();
  let writes = 0;
  return {
    session,
    directory: files,
    async write(table, sql, options = {}) {
      const staging = join(files, `write-${writes++}`);
      mkdirSync(staging);
      const tablets: WrittenTablet[] = [];
      for await (const tablet of writeTablets(writeOptions(session, table, sql, staging, options)))
        tablets.push(tablet);
      return tablets;
    },
    async rows(sql) {
      const names = (await session.describe(sql)).columns.map((_, i) => `"c${i}"::VARCHAR`);
      const columns = names.map((_, i) => `"c${i}"`).join(', ');
      const numbered = `SELECT [${names.join(', ')}] AS "row", row_number() OVER () AS "n" FROM (${sql}) AS "r"(${columns})`;
      const answer = await session.scalar(
        `SELECT coalesce(to_json(list("row" ORDER BY "n"))::VARCHAR, '[]') FROM (${numbered})`,
      );
      return JSON.parse(answer as string) as (string | null)[][];
    },
    [Symbol.asyncDispose]: async () => {
      await kernel.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const writeOptions = (
  session: KernelSession,
  table: TableObject,
  sql: string,
  directory: string,
  options: Partial<WriteOptions>,
): WriteOptions => ({
  session,
  table,
  sql,
  partitionSql: [],
  directory,
  minBytes: 1e5,
  maxBytes: 2e6,
  header: { formatVersion: 3, compression: 'brotli', compressionLevel: 2, minBytesForWide: 1e5 },
  signal: new AbortController().signal,
  ...options,
});

/** A table with columns `[name, type]`, sorted by `key`. */
export function tableOf(
  columns: readonly (readonly [string, string])[],
  key: readonly string[] = [],
  changes: Partial<TableObject> = {},
): TableObject {
  const id = 'table' as ObjectId;
  const at = '2020-01-01T00:00:00.000Z';
  return {
    ...{ kind: 'table', id, schemaId: id, name: 't', owner: 'o', createdAt: at, alteredAt: at },
    tableType: 'FACT',
    columns: columns.map(([name, type], i) => ({
      ...{ id: i + 1, name, storedName: name, type, nullable: true, since: 1 },
    })),
    primaryIndex: key.map((name) => columns.findIndex(([column]) => column === name) + 1),
    partitionBy: [],
    indexGranularity: 2048,
    schemaVersion: 1,
    nextColumnId: columns.length + 1,
    indexes: [],
    ...changes,
  };
}

/** The rows of tablets, with the types of the table. */
export const readBack = (table: TableObject, tablets: readonly WrittenTablet[]): string => {
  const columns = table.columns.map(({ storedName, type }) => {
    const name = `"${storedName}"`;
    return `${fromStored(name, type)} AS ${name}`;
  });
  const paths = tablets.map(({ path }) => quoteText(path));
  return `SELECT ${columns.join(', ')} FROM read_parquet([${paths.join(', ')}])`;
};
