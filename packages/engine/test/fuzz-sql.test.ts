import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Executor, type FuzzSchema, fuzzGenerator, fuzzToolPresent, plainDuckDb } from './fuzz-tool.ts';
import { type Answer, upload } from './http.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

const SEED = process.env.FUZZ_SEED ?? '20261121';
const SCHEMAS = 4;
const QUERIES_PER_SCHEMA = 16;
const SCHEMA_TIMEOUT_MS = 120_000;

/** The ways in which the generator's tables reach the server. */
const MODES: readonly {
  readonly over: string;
  readonly target: (
    server: TesseraProcess,
    schema: FuzzSchema,
    reference: Executor,
    directory: string,
  ) => Promise<Executor>;
}[] = [
  {
    over: 'uploaded Parquet files',
    target: async (server, schema, reference, directory) =>
      uploading(server, await parquetFiles(reference, schema, directory)),
  },
  { over: 'managed tables', target: managed },
];

/** Random queries over random tables: our result must equal plain DuckDB's over its own tables. */
describe.skipIf(!fuzzToolPresent())(
  `random SQL, seed ${SEED} (skipped where the generator is absent)`,
  () => {
    let server: TesseraProcess;
    let directory: string;
    let reference: Executor;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'tessera-fuzz-'));
      reference = await plainDuckDb(directory);
      server = await startTessera();
    });

    afterAll(async () => {
      await server[Symbol.asyncDispose]();
      await reference.close();
      await rm(directory, { recursive: true });
    });

    describe.each(MODES)('over $over', ({ target: targetOf }) => {
      test.for(Array.from({ length: SCHEMAS }, (_, i) => `${SEED}:${i}`))(
        'schema %s',
        { timeout: SCHEMA_TIMEOUT_MS },
        async (schemaSeed) => {
          const { makeSchema, schemaSql, genQuery, relax, clean, compare } = await fuzzGenerator();
          const schema = makeSchema(schemaSeed);
          for (const { name } of schema.tables) await reference.execute(`DROP TABLE IF EXISTS ${name}`);
          for (const statement of schemaSql(schema)) await reference.execute(statement);
          const target = await targetOf(server, schema, reference, directory);

          const wrong: string[] = [];
          let compared = 0;
          for (let i = 0; i < QUERIES_PER_SCHEMA; i++) {
            const query = await relax(genQuery(schema, `${schemaSeed}:${i}`, 'duckdb'), reference);
            const sql = clean(query.sql);
            const { kind, why } = await compare(sql, query.ordered, reference, target);
            if (kind === 'same') compared += 1;
            else if (kind !== 'both-error') wrong.push(`${schemaSeed}:${i} ${kind}: ${why}\n${sql}`);
          }
          expect(wrong).toEqual([]);
          expect(compared).toBeGreaterThan(QUERIES_PER_SCHEMA / 2);
        },
      );
    });
  },
);

async function parquetFiles(
  reference: Executor,
  schema: FuzzSchema,
  directory: string,
): Promise<Record<string, Blob>> {
  const files: Record<string, Blob> = {};
  for (const { name } of schema.tables) {
    const path = join(directory, `${name}.parquet`);
    await reference.execute(`COPY ${name} TO '${path}' (FORMAT parquet)`);
    files[name] = new Blob([await readFile(path)]);
  }
  return files;
}

/** Matches the generator's tables: `t` and a digit, a name that nothing else in its queries has. */
const TABLE = /\bt\d\b/g;

/** Runs SQL on the server with every table replaced by a read of its uploaded file. */
const uploading = (server: TesseraProcess, files: Record<string, Blob>): Executor => ({
  name: 'tessera',
  execute: async (sql) => {
    const overUploads = sql.replace(TABLE, (table) => `READ_PARQUET('upload://${table}')`);
    return resultOf(await upload(server, overUploads, files, { output_format: 'JSON_Compact' }));
  },
  close: async () => {},
});

/** The smallest possible tablets. */
const TINY = { tablet_min_size_bytes: '1000', tablet_max_size_bytes: '4000' };

/**
 * Creates the tables as managed ones, sorted by a key with NULLs and written in three pieces; then rows are
 * deleted and changed, in the reference as well.
 */
async function managed(
  server: TesseraProcess,
  schema: FuzzSchema,
  reference: Executor,
  directory: string,
): Promise<Executor> {
  const files = await parquetFiles(reference, schema, directory);
  const run = async (sql: string, table?: string) => {
    const blobs = table === undefined ? {} : { [table]: files[table]! };
    const answer = await upload(server, sql, blobs, { ...TINY, output_format: 'JSON_Compact' });
    if (answer.status !== 200) throw new Error(`${sql}: ${answer.json().message}`);
    return answer;
  };
  for (const { name } of schema.tables) {
    const piece = (n: number) => `SELECT * FROM READ_PARQUET('upload://${name}') WHERE id % 3 = ${n}`;
    await run(`DROP TABLE IF EXISTS ${name}`);
    await run(
      `CREATE TABLE ${name} PRIMARY INDEX k1, id WITH (index_granularity = 2048) AS ${piece(0)}`,
      name,
    );
    await run(`INSERT INTO ${name} ${piece(1)}`, name);
    await run(`INSERT INTO ${name} ${piece(2)}`, name);
    for (const change of [
      `DELETE FROM ${name} WHERE id % 7 = 3`,
      `UPDATE ${name} SET k2 = k1, k1 = NULL WHERE id % 11 = 5`,
    ]) {
      await run(change);
      await reference.execute(change);
    }
  }
  return { name: 'tessera', execute: async (sql) => resultOf(await run(sql)), close: async () => {} };
}

function resultOf(answer: Answer): Awaited<ReturnType<Executor['execute']>> {
  const body = answer.json<{
    message: string;
    meta: { name: string; type: string }[];
    data: unknown[][];
  }>();
  if (answer.status !== 200) throw new Error(body.message);
  return { columns: body.meta, rows: body.data.map((row) => row.map(asText)) };
}

const asText = (value: unknown): string | null => {
  if (value === null) return null;
  return Array.isArray(value) ? `[${value.map((item) => asText(item) ?? 'NULL').join(', ')}]` : String(value);
};
