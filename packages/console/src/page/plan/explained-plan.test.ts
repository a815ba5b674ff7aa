import { expect, test } from 'vitest';
import { type ExplainedPlan, planGraph, readPlan } from './explained-plan.ts';

const scan = { operator: 'Scan table', details: { Table: 'sales' }, inputs: [], rows: 100, time_ms: 30 };
const plan: ExplainedPlan = {
  warnings: [],
  reason: undefined,
  stages: [
    {
      stage: 0,
      partitioning: 'source',
      rows: 10,
      operators: { operator: 'Partial aggregate', details: {}, inputs: [scan], rows: 10, time_ms: 60 },
    },
    {
      stage: 1,
      partitioning: 'coordinator',
      operators: {
        operator: 'Aggregate',
        details: {},
        rows: 4,
        time_ms: 10,
        inputs: [{ operator: 'Exchange', details: {}, inputs: [], stage: 0, rows: 10 }],
      },
    },
  ],
};

test('operators become nodes, and rows go from inputs and from other stages to those that read them', () => {
  const { nodes, edges } = planGraph(plan);
  expect(nodes.map(({ id, operator, share }) => [id, operator.operator, share])).toEqual([
    ['s0', 'Partial aggregate', 0.6],
    ['s0.0', 'Scan table', 0.3],
    ['s1', 'Aggregate', 0.1],
    ['s1.0', 'Exchange', 0],
  ]);
  expect(edges).toEqual([
    { from: 's0.0', to: 's0', rows: 100 },
    { from: 's1.0', to: 's1', rows: 10 },
    { from: 's0', to: 's1.0', rows: 10 },
  ]);
});

test('a plan is read from JSON', () => {
  expect(readPlan(JSON.stringify({ stages: plan.stages, nodes: { reason: 'small tables' } }))).toEqual({
    ...plan,
    reason: 'small tables',
  });
});

test.each(['', '{', '{}', '[1]', 'SEQ_SCAN', 7, null])('%j is not a plan', (value) => {
  expect(readPlan(value)).toBeUndefined();
});
