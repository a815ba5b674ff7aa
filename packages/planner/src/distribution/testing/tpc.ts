import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TableFacts } from '../../distributed-plan.ts';
import { SimulatedCluster, type TableKeys } from './simulated-cluster.ts';

const DATA = process.env.TESSERA_TEST_DATA ?? join(import.meta.dirname, '../../../../../../shared/data');

export type Suite = 'tpch' | 'tpcds';

export const tpcPresent = (suite: Suite): boolean => existsSync(join(DATA, suite, 'sf0.01'));

export interface TpcQuery {
  /** The number of the query, such as `01`. */
  readonly name: string;
  readonly sql: string;
}

export const tpcQueries = (suite: Suite): readonly TpcQuery[] =>
  tpcPresent(suite)
    ? readdirSync(join(DATA, suite, 'queries'))
        .sort()
        .map((file) => ({
          name: file.replace('.sql', ''),
          sql: readFileSync(join(DATA, suite, 'queries', file), 'utf8').replace(/;\s*$/, ''),
        }))
    : [];

/** A cluster with the tables of the suite. */
export async function tpcCluster(
  suite: Suite,
  nodes: number,
  keys: TableKeys = new Map(),
): Promise<SimulatedCluster> {
  const cluster = await SimulatedCluster.open();
  const directory = join(DATA, suite, 'sf0.01');
  for (const file of readdirSync(directory))
    await cluster.run(
      `CREATE TABLE managed."${file.replace('.parquet', '')}" AS SELECT * FROM '${join(directory, file)}'`,
    );
  await cluster.shard(nodes, () => false, keys);
  return cluster;
}

/** The keys by which tables of the suites are clustered, if several tables share one. */
export const TPC_KEYS: Readonly<Record<Suite, TableKeys>> = {
  tpch: new Map([
    ['lineitem', { column: 'l_orderkey', domain: 'orderkey' }],
    ['orders', { column: 'o_orderkey', domain: 'orderkey' }],
    ['partsupp', { column: 'ps_partkey', domain: 'partkey' }],
    ['part', { column: 'p_partkey', domain: 'partkey' }],
    ['customer', { column: 'c_custkey', domain: 'custkey' }],
  ]),
  tpcds: new Map([
    ['store_sales', { column: 'ss_item_sk', domain: 'item' }],
    ['store_returns', { column: 'sr_item_sk', domain: 'item' }],
    ['catalog_sales', { column: 'cs_item_sk', domain: 'item' }],
    ['catalog_returns', { column: 'cr_item_sk', domain: 'item' }],
    ['web_sales', { column: 'ws_item_sk', domain: 'item' }],
    ['web_returns', { column: 'wr_item_sk', domain: 'item' }],
    ['inventory', { column: 'inv_item_sk', domain: 'item' }],
  ]),
};

/** The numbers of rows at scale factor 100. */
const ROWS: Readonly<Record<string, number>> = {
  lineitem: 600_037_902,
  orders: 150_000_000,
  partsupp: 80_000_000,
  part: 20_000_000,
  customer: 15_000_000,
  supplier: 1_000_000,
  nation: 25,
  region: 5,
};
const DS_ROWS: Readonly<Record<string, number>> = {
  store_sales: 287_997_024,
  catalog_sales: 143_997_065,
  web_sales: 72_001_237,
  store_returns: 28_795_080,
  catalog_returns: 14_404_374,
  web_returns: 7_197_670,
  inventory: 399_330_000,
  customer: 2_000_000,
  customer_address: 1_000_000,
  customer_demographics: 1_920_800,
  item: 204_000,
  catalog_page: 20_400,
  promotion: 1000,
  web_page: 2040,
  store: 402,
  call_center: 30,
  warehouse: 15,
  web_site: 24,
  reason: 55,
};

/**
 * Table statistics at scale factor 100, derived from those of small tables: the values of keys grow with the
 * rows, and other columns keep their numbers of values.
 */
export function atScale100(
  suite: Suite,
  small: ReadonlyMap<string, TableFacts>,
): ReadonlyMap<string, TableFacts> {
  const sizes = suite === 'tpch' ? ROWS : DS_ROWS;
  const facts = new Map<string, TableFacts>();
  for (const [name, table] of small) {
    const rows = sizes[name] ?? table.rows;
    const factor = rows / Math.max(1, table.rows);
    const distinct = new Map(
      [...table.distinct].map(([column, values]) => {
        const isKey = /_sk$|key$|_number$/.test(column) && !/date_sk|time_sk/.test(column);
        const grows = isKey || values > table.rows * 0.9;
        return [column, Math.min(rows, keyLimit(suite, column), grows ? values * factor : values)];
      }),
    );
    const bytes = Math.round((table.bytes * factor) / 3);
    facts.set(name, { ...table, rows, bytes, distinct, tablets: Math.max(1, Math.round(bytes / 64e6)) });
  }
  return facts;
}

/** The maximum number of values of a foreign key: the number of keys. */
function keyLimit(suite: Suite, column: string): number {
  const names: readonly (readonly [RegExp, string])[] =
    suite === 'tpch'
      ? [
          [/orderkey$/, 'orders'],
          [/partkey$/, 'part'],
          [/suppkey$/, 'supplier'],
          [/custkey$/, 'customer'],
          [/nationkey$/, 'nation'],
        ]
      : [
          [/item_sk$/, 'item'],
          [/cdemo_sk$|demo_sk$/, 'customer_demographics'],
          [/addr_sk$|address_sk$/, 'customer_address'],
          [/customer_sk$/, 'customer'],
          [/promo_sk$/, 'promotion'],
          [/store_sk$/, 'store'],
          [/page_sk$/, 'catalog_page'],
        ];
  const found = names.find(([pattern]) => pattern.test(column))?.[1];
  return found === undefined
    ? Number.POSITIVE_INFINITY
    : ((suite === 'tpch' ? ROWS : DS_ROWS)[found] ?? Number.POSITIVE_INFINITY);
}
