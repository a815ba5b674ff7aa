import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Executor, type FuzzSchema, fuzzGenerator, fuzzToolPresent, plainDuckDb } from './fuzz-tool.ts';
import { upload } from './http.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

const SEED = process.env.FUZZ_SEED ?? '20261121';
const SCHEMAS = 6;
const QUERIES_PER_SCHEMA = 50;
const SCHEMA_TIMEOUT_MS = 120_000;

/** Random queries over random tables: our answer over uploaded Parquet files is plain DuckDB's over its own tables. */
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

    test.for(Array.from({ length: SCHEMAS }, (_, i) => `${SEED}:${i}`))(
      'schema %s',
      { timeout: SCHEMA_TIMEOUT_MS },
      async (schemaSeed) => {
        const { makeSchema, schemaSql, genQuery, relax, clean, compare } = await fuzzGenerator();
        const schema = makeSchema(schemaSeed);
        for (const { name } of schema.tables) await reference.execute(`DROP TABLE IF EXISTS ${name}`);
        for (const statement of schemaSql(schema)) await reference.execute(statement);
        const target = uploading(server, await parquetFiles(reference, schema, directory));

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

/** The generator's tables: `t` and a digit, which nothing else in its queries is called. */
const TABLE = /\bt\d\b/g;

/** Runs SQL at the server with every table replaced by the read of its uploaded file. */
function uploading(server: TesseraProcess, files: Record<string, Blob>): Executor {
  return {
    name: 'tessera',
    async execute(sql) {
      const overUploads = sql.replace(TABLE, (table) => `READ_PARQUET('upload://${table}')`);
      const answer = await upload(server, overUploads, files, { output_format: 'JSON_Compact' });
      const body = answer.json<{
        message: string;
        meta: { name: string; type: string }[];
        data: unknown[][];
      }>();
      if (answer.status !== 200) throw new Error(body.message);
      return { columns: body.meta, rows: body.data.map((row) => row.map(asText)) };
    },
    close: async () => {},
  };
}

const asText = (value: unknown): string | null => {
  if (value === null) return null;
  return Array.isArray(value) ? `[${value.map((item) => asText(item) ?? 'NULL').join(', ')}]` : String(value);
};
