import type { ExplainedOperator, ExplainedQuery } from '@tessera/coordinator';
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

async function explained(settings: string): Promise<ExplainedQuery> {
  const [[text]] = (await rows(
    cluster.node(0),
    `EXPLAIN (PHYSICAL, FORMAT JSON) ${QUERY} WITH (${settings})`,
  )) as [[string]];
  return JSON.parse(text) as ExplainedQuery;
}

const allOf = (operator: ExplainedOperator): readonly ExplainedOperator[] => [
  operator,
  ...operator.inputs.flatMap(allOf),
];

it('small queries run on the node that received them, and EXPLAIN says why', async () => {
  const { nodes, stages } = await explained('min_distributed_bytes = 1');
  expect(nodes).toMatchObject({
    chosen: 1,
    available: 3,
    reason: expect.stringMatching(/CPU time on one node; on 3 nodes/),
  });
  expect(stages).toHaveLength(1);
});

it.each([
  ['nodes_per_query = 3', 3],
  ['nodes_per_query = 2', 2],
  ['nodes_per_query = 99', 3],
  ['min_distributed_bytes = 0', 3],
])('%s makes %i nodes run the query', async (settings, expected) => {
  const { nodes, stages } = await explained(settings);
  expect(nodes).toMatchObject({ chosen: expected });
  expect(stages.length).toBeGreaterThan(1);
});

it('EXPLAIN shows the strategies of a join that were weighed, with their costs', async () => {
  const { stages } = await explained('nodes_per_query = 3, whole_table_bytes = 0');
  const join = stages
    .flatMap(({ operators }) => allOf(operators))
    .find(({ operator }) => operator === 'Hash join');
  expect(join?.details.strategies).toMatch(/^(?:\S+(?: left| right)? [\d.]+ m?s(?:, )?)+$/);
});

it('EXPLAIN (ANALYZE) shows the cost of each stage, node and operator, without internal names', async () => {
  const sql = `${QUERY} WITH (nodes_per_query = 3, whole_table_bytes = 0)`;
  const [[json]] = (await rows(cluster.node(0), `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`)) as [[string]];
  const { analyzed, elapsed_ms, stages } = JSON.parse(json) as ExplainedQuery;
  expect(analyzed).toBe(true);
  expect(elapsed_ms).toBeGreaterThan(0);
  const nodes = new Set(stages.flatMap((stage) => (stage.nodes ?? []).map(({ node }) => node)));
  expect(nodes.size).toBe(3);
  for (const { stage, inputs, rows: count, elapsed_ms: ms, operators } of stages) {
    expect({ stage, count, ms }).toEqual({ stage, count: expect.any(Number), ms: expect.any(Number) });
    const exchanges = allOf(operators).filter(({ operator }) => operator === 'Exchange');
    expect(exchanges.map((one) => one.stage)).toEqual(expect.arrayContaining([...inputs]));
    expect(operators.rows).toBe(count);
    const figure = expect.any(Number);
    for (const { operator, rows, time_ms, bytes } of allOf(operators))
      expect({ stage, operator, figures: [rows, time_ms, bytes] }).toEqual({
        ...{ stage, operator },
        figures: [figure, figure, figure],
      });
  }
  const scans = stages.flatMap((stage) => allOf(stage.operators)).filter(({ inputs }) => inputs.length === 0);
  const scanOf = (table: string) => scans.find(({ details }) => details.table === table);
  expect(scanOf('few')).toMatchObject({ rows: 20_000, rows_scanned: 20_000 });
  expect(scanOf('many')?.rows_scanned).toBeGreaterThanOrEqual(20_000);
  const spread = stages.filter((stage) => (stage.nodes?.length ?? 0) > 1);
  expect(spread.length).toBeGreaterThan(0);
  for (const { operators, nodes: ofStage, peak_memory_bytes } of spread) {
    expect(peak_memory_bytes).toBeGreaterThan(0);
    expect(operators.skew).toBeGreaterThanOrEqual(1);
    expect(operators.nodes?.map(({ node }) => node)).toEqual(ofStage?.map(({ node }) => node));
  }
  expect(stages.at(-1)).toMatchObject({ partitioning: 'coordinator', rows: 1 });
  expect(json).not.toMatch(/t_[0-9a-z]{26}|TESSERA_|\bc\d\b/i);
});

it('the answer is the same on any number of nodes', async () => {
  for (const settings of ['1', '2', '3', '0, min_distributed_bytes = 0'])
    expect(await rows(cluster.node(1), `${QUERY} WITH (nodes_per_query = ${settings})`)).toEqual([
      ['180000'],
    ]);
});
