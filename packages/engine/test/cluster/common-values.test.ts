import type { ExplainedQuery } from '@tessera/coordinator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { query, rows } from '../http.ts';
import { EngineCluster } from './engine-cluster.ts';
import { until } from './until.ts';

let cluster: EngineCluster;
beforeAll(async () => {
  cluster = await EngineCluster.start({ nodes: 2 });
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

it('each node samples a column when it first plans with it, and then knows that a condition leaves most rows', async () => {
  for (const node of [0, 1]) {
    expect(await strategy(node)).toBe('broadcast left');
    expect(await rows(cluster.node(node), `${QUERY} ${SETTINGS}`)).toEqual([['180000']]);
    await until('the column is sampled', 60_000, async () => (await strategy(node)) === 'hash');
    expect(await rows(cluster.node(node), `${QUERY} ${SETTINGS}`)).toEqual([['180000']]);
  }
});
