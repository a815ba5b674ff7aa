import type { Stage } from '@tessera/planner';
import { expect, it } from 'vitest';
import type { ExplainedOperator } from './explained-query.ts';
import { executedStageMember, stageMember } from './explained-stages.ts';
import { plannedDetails } from './planned-details.ts';

const BOUND = 't_01m7ys9ah42ycweh6zkr9979s2_0';
const NAMES = new Map([[BOUND, 'sales']]);

const SCAN: Stage = {
  id: 0,
  partitioning: 'source',
  sources: [
    {
      kind: 'scan',
      relation: BOUND,
      columns: ['shop'],
      filters: [],
      partitioning: 'source',
      dynamicFilters: [],
    },
  ],
  sql: ['SELECT shop FROM ', 0],
  output: { columns: [{ name: 'c0', type: 'BIGINT' }], hashKeys: [0], texts: () => ['shop'], summarised: [] },
  estimate: { rows: 7, bytes: 56 },
  after: [],
  isVolatile: false,
  outline: () => [`scan ${BOUND} (shop)`],
  operators: () => ({ operator: 'Scan table', details: { table: BOUND }, inputs: [] }),
};
const ROOT: Stage = {
  ...SCAN,
  id: 1,
  partitioning: 'coordinator',
  sources: [{ kind: 'exchange', stage: 0, mode: 'gather' }],
  output: { ...SCAN.output, hashKeys: [] },
  outline: () => ['input stage 0'],
  operators: () => ({ operator: 'Exchange', details: {}, inputs: [], stage: 0 }),
};

it('stages name the tables of the user, and what they read', () => {
  expect(stageMember(SCAN, NAMES)).toMatchObject({
    stage: 0,
    inputs: [],
    hash_keys: ['shop'],
    estimated_rows: 7,
    operators: { operator: 'Scan table', details: { table: 'sales' } },
  });
  expect(stageMember(ROOT, NAMES)).toMatchObject({
    stage: 1,
    inputs: [0],
    hash_keys: [],
    operators: { operator: 'Exchange', stage: 0, details: { mode: 'gather' } },
  });
  expect(JSON.stringify(stageMember(SCAN, NAMES))).not.toContain(BOUND);
});

it('an executed stage shows its cost, in all and on each node', () => {
  const outcome = (rows: number) => ({
    rows,
    bytes: 8 * rows,
    cpuMs: 3,
    elapsedMs: rows,
    fetchedRows: 0,
    fetchedBytes: 0,
    storageBytesFetched: 90,
    spilledBytes: 0,
  });
  const tasksByNode = [
    { node: 'b', attempt: 0, outcome: outcome(4) },
    { node: 'a', attempt: 0, outcome: outcome(5) },
    { node: 'a', attempt: 1, outcome: outcome(3) },
  ];
  const profile = { stage: 0, tasks: 3, attempts: 4, elapsedMs: 5, tasksByNode };
  expect(executedStageMember(SCAN, profile as never, NAMES)).toMatchObject({
    attempts: 4,
    elapsed_ms: 5,
    cpu_ms: 9,
    bytes_from_storage: 270,
    rows: 12,
    operators: { operator: 'Scan table', rows: 12, bytes: 96 },
    nodes: [
      { node: 'a', tasks: 2, rows: 8, cpu_ms: 6, elapsed_ms: 5 },
      { node: 'b', tasks: 1, rows: 4, cpu_ms: 3, elapsed_ms: 4 },
    ],
  });
});

const operator = (
  operator: string,
  inputs: readonly ExplainedOperator[] = [],
  more: Partial<ExplainedOperator> = {},
): ExplainedOperator => ({ operator, details: {}, inputs, ...more });

it('operators of the kernel get the details of the planner, and columns of exchanges stay hidden', () => {
  const planned = operator('Sort', [
    operator('Aggregate', [operator('Exchange', [], { stage: 3, details: { mode: 'hash' } })], {
      details: { groups: 'shop' },
    }),
  ]);
  const profiled = operator('Top N', [
    operator('Aggregate', [operator('Project', [operator('Exchange', [], { time_ms: 2 })], { time_ms: 1 })], {
      details: { groups: 'c0' },
      rows: 9,
    }),
  ]);
  expect(plannedDetails(profiled, planned, [3])).toEqual(
    operator('Top N', [
      operator('Aggregate', [operator('Exchange', [], { stage: 3, time_ms: 3, details: { mode: 'hash' } })], {
        details: { groups: 'shop' },
        rows: 9,
      }),
    ]),
  );
});

it('an operator that occurs several times keeps no details rather than wrong ones', () => {
  const exchange = operator('Exchange', [], { stage: 0, details: { mode: 'hash' } });
  const planned = operator('Filter', [operator('Filter', [exchange], { details: { condition: 'a' } })], {
    details: { condition: 'b' },
  });
  const profiled = operator('Filter', [operator('Exchange')], { details: { condition: 'c0' }, rows: 1 });
  expect(plannedDetails(profiled, planned, [0])).toMatchObject({ operator: 'Filter', details: {}, rows: 1 });
});

it('the operators of a stage have the figures of all its tasks, also where kernels chose other plans', () => {
  const stage: Stage = {
    ...SCAN,
    sources: [SCAN.sources[0]!, { kind: 'exchange', stage: 4, mode: 'broadcast' }],
    operators: () => ({
      operator: 'Hash join',
      details: { on: 'shop = id' },
      estimatedRows: 9,
      inputs: [
        { operator: 'Scan table', details: { table: BOUND }, inputs: [] },
        { operator: 'Exchange', details: {}, inputs: [], stage: 4 },
      ],
    }),
  };
  const executed = (name: string, rows: number, inputs: readonly unknown[] = [], source?: number) => ({
    ...{ name, rows, bytes: 8 * rows, timeMs: rows, inputs },
    ...(source !== undefined && { source }),
  });
  const scan = (rows: number) => executed('PARQUET_SCAN', rows, [], 0);
  const exchange = (rows: number) => executed('TESSERA_RECEIVED', rows, [], 1);
  const project = executed('PROJECTION', 5, [executed('HASH_JOIN', 5, [scan(20), exchange(3)])]);
  const swapped = executed('HASH_JOIN', 7, [exchange(3), executed('FILTER', 10, [scan(30)])]);
  const reads = [{ source: 0, rows: 40, bytes: 1 }];
  const outcome = { rows: 1, bytes: 1, cpuMs: 1, elapsedMs: 1, reads };
  const task = (node: string, operators: unknown) => ({
    ...{ node, attempt: 0 },
    outcome: { ...outcome, profile: { peakMemoryBytes: 900, operators } },
  });
  // The last task ran on a node that measures nothing.
  const tasksByNode = [task('a', project), task('b', swapped), { node: 'b', attempt: 0, outcome }];
  const member = executedStageMember(
    stage,
    { ...{ stage: 0, tasks: 2, attempts: 2, elapsedMs: 5 }, tasksByNode } as never,
    NAMES,
  );
  expect(member).toMatchObject({
    peak_memory_bytes: 900,
    nodes: [{ node: 'a', peak_memory_bytes: 900 }, { node: 'b' }],
  });
  const { operators } = member;
  expect(operators).toMatchObject({
    operator: 'Hash join',
    details: { on: 'shop = id' },
    estimated_rows: 9,
    // The time of the projection belongs to the operator below it, and that of the scan without a filter to the join.
    time_ms: 10 + 20 + 7,
    skew: (2 * 30) / 37,
    nodes: [
      { node: 'a', rows: 5, time_ms: 10 + 20, bytes: 40 },
      { node: 'b', rows: 7, time_ms: 7, bytes: 56 },
    ],
  });
});
