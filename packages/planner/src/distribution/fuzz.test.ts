import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { differenceOf } from './testing/same-rows.ts';
import { SimulatedCluster, type SimulatedOptions, type TableKeys } from './testing/simulated-cluster.ts';
import { wrongFacts } from './testing/wrong-facts.ts';

const GENERATOR = join(import.meta.dirname, '../../../../../shared/tools/fuzzsql.mjs');
const FIRST_SEED = Number(process.env.TESSERA_FUZZ_SEED ?? 1);
const SCHEMAS = Number(process.env.TESSERA_FUZZ_SCHEMAS ?? 8);
/** Enlarged tables claim this many times their rows. */
const GROWTH = 50_000;
const QUERIES = Number(process.env.TESSERA_FUZZ_QUERIES ?? 12);

/** The part of the external generator that is used here. */
interface Generator {
  makeSchema(seed: string): object;
  schemaSql(schema: object): string[];
  genQuery(
    schema: object,
    seed: string,
    dialect: 'duckdb',
  ): { readonly sql: string; readonly ordered: boolean };
  clean(sql: string): string;
}

const optionsOf = (seed: number): SimulatedOptions => ({
  nodes: [2, 3, 5, 1][seed % 4]!,
  broadcastLimitBytes: [64e6, 0, 2000, 2 ** 50][(seed >> 2) % 4]!,
  wholeTableBytes: [0, 2 ** 50, 5000][seed % 3]!,
  refines: seed % 5 !== 0,
  gatherLimitRows: seed % 2 === 0 ? 1_000_000 : 50,
  ...(seed % 7 < 4 && { joinKeyFilters: 'always' }),
});

const seeds = Array.from({ length: SCHEMAS }, (_, i) => FIRST_SEED + i);

test.skipIf(!existsSync(GENERATOR)).each(seeds)(
  'random queries, seed %i (skipped where the generator is absent)',
  { timeout: 300_000 },
  async (seed) => {
    const { makeSchema, schemaSql, genQuery, clean } = (await import(
      pathToFileURL(GENERATOR).href
    )) as Generator;
    const usual = optionsOf(seed);
    const schema = makeSchema(String(seed));
    const cluster = await SimulatedCluster.open();
    try {
      for (const statement of schemaSql(schema)) await cluster.run(statement);
      await cluster.shard(usual.nodes, undefined, seed % 2 === 0 ? new Map() : await keysOf(cluster));
      const { tables } = cluster.planFacts(usual);
      const known = seed % 3 === 1 ? { ...usual, tables: enlarged(cluster, usual) } : usual;
      for (let i = 0; i < QUERIES; i++) {
        const options = i % 2 === 0 ? known : { ...usual, tables: wrongFacts(tables, seed * QUERIES + i) };
        const { sql: marked, ordered } = genQuery(schema, `${seed}:${i}`, 'duckdb');
        const sql = clean(marked);
        const plan = await planOf(cluster, sql, options);
        if (plan === undefined) continue;
        const expected = await cluster.plain(sql);
        const given = await cluster.execute(plan, options);
        const difference = differenceOf(expected, given, ordered);
        expect(difference, `seed ${seed}, query ${i}: ${sql}`).toBeUndefined();
      }
    } finally {
      cluster.close();
    }
  },
);

/** Divides most tables by ranges of a key: one column, of a type that many tables have. */
async function keysOf(cluster: SimulatedCluster): Promise<TableKeys> {
  const { rows } = await cluster.plain(
    `SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE schema_name = 'managed'
     AND data_type IN ('INTEGER', 'BIGINT', 'VARCHAR', 'DATE') ORDER BY table_name, data_type = 'VARCHAR', column_index`,
  );
  const keys = new Map<string, { readonly column: string; readonly domain: string }>();
  for (const [table, column, type] of rows.map((row) => row.map(String)))
    if (!keys.has(table!)) keys.set(table!, { column: column!, domain: type! });
  return keys;
}

/** Statistics of tables large enough to be weighed; small tables are always read in full by every task. */
const enlarged = (cluster: SimulatedCluster, options: SimulatedOptions) =>
  new Map(
    [...cluster.planFacts(options).tables].map(([name, facts]) => [
      name,
      { ...facts, rows: facts.rows * GROWTH, bytes: facts.bytes * GROWTH },
    ]),
  );

/** If the kernel returns no plan, there is nothing to distribute; such a query runs on one node. */
async function planOf(cluster: SimulatedCluster, sql: string, options: SimulatedOptions) {
  try {
    return await cluster.plan(sql, options);
  } catch (error) {
    if (error instanceof Error && /gives no plan|is not understood/.test(error.message)) return undefined;
    throw error;
  }
}
