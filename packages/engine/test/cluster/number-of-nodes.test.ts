import { afterAll, beforeAll, expect, it } from 'vitest';
import { rows } from '../http.ts';
import { EngineCluster } from './engine-cluster.ts';

let cluster: EngineCluster;
beforeAll(async () => {
  cluster = await EngineCluster.start({ nodes: 3 });
  const table = (name: string, count: number) =>
    run(`CREATE TABLE ${name} AS SELECT i AS k, i % 10 AS v FROM generate_series(1, ${count}) AS g(i)`);
  await table('few', 20_000);
  await table('many', 300_000);
}, 180_000);
afterAll(() => cluster?.[Symbol.asyncDispose]());

async function run(sql: string): Promise<void> {
  const response = await fetch(cluster.node(0).url, { method: 'POST', body: sql });
  expect(response.status, await response.text()).toBe(200);
}

const QUERY = 'SELECT sum(a.v + b.v)::bigint FROM many a JOIN few b ON a.k = b.k';

interface Explained {
  readonly nodes?: { readonly chosen: number; readonly available: number };
  readonly on_one_node?: string;
  readonly stages?: readonly { readonly outline: readonly string[] }[];
}

async function explained(settings: string): Promise<Explained> {
  const [[text]] = (await rows(
    cluster.node(0),
    `EXPLAIN (PHYSICAL, FORMAT JSON) ${QUERY} WITH (${settings})`,
  )) as [[string]];
  return JSON.parse(text) as Explained;
}

it('little work stays on the node that is asked, although it may be planned for all, and EXPLAIN says why', async () => {
  const { nodes, stages, on_one_node: reason } = await explained('min_distributed_bytes = 1');
  expect(nodes).toMatchObject({ chosen: 1, available: 3 });
  expect(stages).toBeUndefined();
  expect(reason).toMatch(/CPU time on one node; on 3 nodes/);
});

it.each([
  ['nodes_per_query = 3', 3],
  ['nodes_per_query = 2', 2],
  ['nodes_per_query = 99', 3],
  ['min_distributed_bytes = 0', 3],
])('%s makes %i nodes run the query', async (settings, expected) => {
  const { nodes, stages } = await explained(settings);
  expect(nodes).toMatchObject({ chosen: expected });
  expect(stages?.length).toBeGreaterThan(1);
});

it('EXPLAIN shows the strategies of a join that were weighed, with their costs', async () => {
  const { stages = [] } = await explained('nodes_per_query = 3, whole_table_bytes = 0');
  const join = stages.flatMap(({ outline }) => outline).find((line) => line.includes('join'));
  expect(join).toMatch(/\((?:\S+(?: left| right)? [\d.]+ m?s(?:, )?)+\)$/);
});

it('the answer is the same on any number of nodes', async () => {
  for (const settings of ['1', '2', '3', '0, min_distributed_bytes = 0'])
    expect(await rows(cluster.node(1), `${QUERY} WITH (nodes_per_query = ${settings})`)).toEqual([
      ['180000'],
    ]);
});
