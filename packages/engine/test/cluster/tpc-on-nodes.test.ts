import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tpch } from '@tessera/workloads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, query } from '../http.ts';
import { expectTpchAnswer, TPCH_DATA, TPCH_QUERIES, tpchQuery } from '../tpch-answers.ts';
import { EngineCluster } from './engine-cluster.ts';
import { metric } from './metrics.ts';
import { loadTpcTables } from './tpc-tables.ts';
import { TPCDS_DATA, TPCDS_QUERIES, tpcdsDifference, tpcdsQuery } from './tpcds-answers.ts';

/**
 * `TESSERA_TPC=all`: TPC-H at scale factor 1 and TPC-DS at 0.1 on 1, 2, 3 and 5 nodes, which takes about an hour. With
 * `TESSERA_TPC=nodes` the scales are those of the usual run. `-t 'on 5 nodes'` runs a part of either.
 */
const ALL = process.env.TESSERA_TPC === 'all';
const SCALES = ALL ? { tpch: 'sf1', tpcds: 'sf0.1' } : { tpch: 'sf0.1', tpcds: 'sf0.01' };
const RUNS = (process.env.TESSERA_TPC === undefined ? [3] : [1, 2, 3, 5]).map((nodes) => ({
  nodes,
  ...SCALES,
}));

/** Settings that produce many small tablets. */
const TABLETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'sf0.01': { tablet_min_size_bytes: '20000', tablet_max_size_bytes: '100000' },
  'sf0.1': { tablet_min_size_bytes: '200000', tablet_max_size_bytes: '500000' },
  sf1: { tablet_min_size_bytes: '2000000', tablet_max_size_bytes: '8000000' },
};
/**
 * Settings with which every query is distributed, however small, and only the smallest tables are read whole.
 */
const SPREAD = { min_distributed_bytes: '0', whole_table_bytes: '20000', broadcast_limit_bytes: '1000000' };
const LOAD_MS = ALL ? 600_000 : 180_000;
const QUERY_MS = ALL ? 180_000 : 60_000;

/** Primary indexes by dates, as tables of facts often have them. */
const BY_DATE: Readonly<Record<string, string>> = {
  lineitem: 'l_shipdate, l_orderkey',
  orders: 'o_orderdate, o_orderkey',
  part: 'p_partkey',
  store_sales: 'ss_sold_date_sk',
  catalog_sales: 'cs_sold_date_sk',
};
/** Primary indexes by which nodes join tables where they are. */
const BY_JOIN_KEY: Readonly<Record<string, string>> = {
  lineitem: 'l_orderkey',
  orders: 'o_orderkey',
  part: 'p_partkey',
  partsupp: 'ps_partkey',
  item: 'i_item_sk',
  store_sales: 'ss_item_sk',
  store_returns: 'sr_item_sk',
  catalog_sales: 'cs_item_sk',
  catalog_returns: 'cr_item_sk',
  web_sales: 'ws_item_sk',
  web_returns: 'wr_item_sk',
};
const clausesFor = (nodes: number) => (table: string) => {
  const key = (nodes === 2 || nodes === 5 ? BY_JOIN_KEY : BY_DATE)[table];
  return `${key === undefined ? '' : `PRIMARY INDEX ${key} `}WITH (index_granularity = 2048)`;
};

describe.skipIf(!existsSync(TPCH_DATA)).each(RUNS)(
  'on $nodes nodes (skipped where the test data is absent)',
  ({ nodes, tpch: tpchScale, tpcds }) => {
    let cluster: EngineCluster;
    let turn = 0;

    beforeAll(async () => {
      cluster = await EngineCluster.start({ nodes });
    }, LOAD_MS);
    afterAll(() => cluster[Symbol.asyncDispose]());

    /** Runs a query; the nodes take turns as coordinator. */
    const run = async (sql: string, parameters: Readonly<Record<string, string>>): Promise<string> => {
      const node = cluster.node(turn++ % nodes);
      const answer = await query(node, sql, { ...parameters, output_format: 'TabSeparatedWithNames' });
      return succeeded(answer).text;
    };
    /** Fails if the query was not distributed, or if it gathers inputs without a bound. */
    const runSpread = async (sql: string): Promise<string> => {
      const node = cluster.node(turn % nodes);
      const names = ['tessera_undistributed_queries_total', 'tessera_gathering_queries_total'];
      const counts = () => Promise.all(names.map((name) => metric(node, name)));
      const before = await counts();
      const text = await run(sql, SPREAD);
      if (nodes > 1) expect(await counts(), 'queries on one node, queries that gather').toEqual(before);
      return text;
    };

    describe(`TPC-H ${tpchScale}`, () => {
      beforeAll(async () => {
        await using files = await tpchFiles(tpchScale);
        await loadTpcTables(cluster.node(0), {
          directory: files.directory,
          settings: TABLETS[tpchScale]!,
          clauses: clausesFor(nodes),
        });
      }, LOAD_MS);

      it.each(TPCH_QUERIES)(
        '%s gives the official answer',
        async (name) => expectTpchAnswer(name, tpchScale, await runSpread(await tpchQuery(name))),
        QUERY_MS,
      );
    });

    describe(`TPC-DS ${tpcds}`, () => {
      beforeAll(async () => {
        succeeded(await query(cluster.node(0), 'DROP TABLE IF EXISTS customer'));
        await loadTpcTables(cluster.node(0), {
          directory: join(TPCDS_DATA, tpcds),
          settings: TABLETS[tpcds]!,
          clauses: clausesFor(nodes),
        });
      }, LOAD_MS);

      it.each(TPCDS_QUERIES)(
        '%s gives the official answer',
        async (name) => {
          const answer = await runSpread(await tpcdsQuery(name));
          const whole = (sql: string) => run(sql, { enable_distributed_execution: 'false' });
          expect(await tpcdsDifference(name, tpcds, answer, whole)).toBeUndefined();
        },
        QUERY_MS,
      );
    });
  },
);

/** A directory with the tables; those that are not among the test data are generated. */
async function tpchFiles(scale: string): Promise<AsyncDisposable & { readonly directory: string }> {
  const official = join(TPCH_DATA, scale);
  if (existsSync(official)) return { directory: official, [Symbol.asyncDispose]: async () => undefined };
  const directory = await mkdtemp(join(tmpdir(), 'tessera-tpch-'));
  await tpch.generate({ scale: Number(scale.slice(2)), directory });
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) };
}

function succeeded(answer: Answer): Answer {
  expect(answer.status, answer.text).toBe(200);
  return answer;
}
