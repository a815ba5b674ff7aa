import type { ExplainedQuery } from '@tessera/coordinator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { query, rows } from '../http.ts';
import { EngineCluster } from './engine-cluster.ts';
import { until } from './until.ts';

let cluster: EngineCluster;
beforeAll(async () => {
  // The second node keeps no statistics.
  const cache_max_size_bytes = `\${env:STATISTICS_BYTES}`;
  cluster = await EngineCluster.open({
    nodes: 2,
    planner: { automated_column_statistics: { cache_max_size_bytes } },
  });
  await Promise.all(
    ['104857600', '0'].map((bytes, n) => cluster.startNode(n, { env: { STATISTICS_BYTES: bytes } })),
  );
  await cluster.untilWhole();
  const kind = "CASE WHEN i % 10 < 9 THEN 'view' ELSE 'buy' || i END AS kind";
  for (const [name, columns] of [
    ['clicks', `i AS id, ${kind}`],
    ['visits', 'i AS id'],
  ] as const) {
    const sql = `CREATE TABLE ${name} AS SELECT ${columns} FROM generate_series(1, 200000) AS g(i)`;
    const { status, text } = await query(cluster.node(0), sql);
    expect(status, text).toBe(200);
  }
}, 180_000);
afterAll(() => cluster?.[Symbol.asyncDispose]());

const SETTINGS = 'WITH (nodes_per_query = 2, whole_table_bytes = 0, broadcast_limit_bytes = 1000000)';
const QUERY = "SELECT count(*) FROM clicks a JOIN visits b ON a.id = b.id WHERE a.kind = 'view'";

/** The strategy that the planner of a node chooses for the join. */
async function strategy(node: number): Promise<string> {
  const [[text]] = (await rows(
    cluster.node(node),
    `EXPLAIN (PHYSICAL, FORMAT JSON) ${QUERY} ${SETTINGS}`,
  )) as [[string]];
  const { stages } = JSON.parse(text) as ExplainedQuery;
  return /"strategies":"(\w+(?: left| right)?) /.exec(JSON.stringify(stages))?.[1] ?? text;
}

it('each node samples a column when it first plans with it, unless cache_max_size_bytes is 0', async () => {
  const count = (node: number) => rows(cluster.node(node), `${QUERY} ${SETTINGS}`);
  const strategies = () => Promise.all([0, 1].map(strategy));
  expect(await strategies()).toEqual(['broadcast left', 'broadcast left']);
  expect(await Promise.all([0, 1].map(count))).toEqual([[['180000']], [['180000']]]);
  await until('the column is sampled', 60_000, async () => (await strategies())[0] === 'hash');
  expect(await count(0)).toEqual([['180000']]);
  // Both nodes have planned with the column equally often.
  expect(await strategies()).toEqual(['hash', 'broadcast left']);
});
