import type { Stage } from '@tessera/planner';
import { expect, it } from 'vitest';
import { executedStageMembers, stageMembers } from './explained-stages.ts';

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
  output: { columns: [{ name: 'c0', type: 'BIGINT' }], hashKeys: [0], summarised: [] },
  estimate: { rows: 7, bytes: 56 },
  after: [],
  isVolatile: false,
  outline: [`scan ${BOUND} (shop)`],
};
const ROOT: Stage = {
  ...SCAN,
  id: 1,
  partitioning: 'coordinator',
  sources: [{ kind: 'exchange', stage: 0, mode: 'gather' }],
  output: { ...SCAN.output, hashKeys: [] },
  outline: ['input stage 0'],
};

it('stages name the tables of the user, and what they read', () => {
  const members = stageMembers({ stages: [SCAN, ROOT] }, NAMES);
  expect(members).toMatchObject([
    {
      stage: 0,
      reads: [{ kind: 'scan', table: 'sales', columns: ['shop'], partitioning: 'source' }],
      bucket_keys: ['c0'],
      outline: ['scan sales (shop)'],
    },
    { stage: 1, reads: [{ kind: 'exchange', stage: 0, mode: 'gather' }], bucket_keys: [] },
  ]);
  expect(JSON.stringify(members)).not.toContain(BOUND);
});

it('stages that ran tell what they took, with names as everywhere in the answer', () => {
  const outcome = {
    rows: 7,
    bytes: 56,
    cpuMs: 3,
    fetchedRows: 0,
    fetchedBytes: 0,
    storageBytesFetched: 90,
    spilledBytes: 0,
  };
  const profile = { stage: 0, tasks: 1, attempts: 2, elapsedMs: 5, tasksByNode: [{ node: 'a', outcome }] };
  const executed = { plan: { stages: [SCAN, ROOT], unboundedGathers: [] }, profiles: [profile] };
  const members = executedStageMembers(executed as never, NAMES);
  expect(members[0]).toMatchObject({
    attempts: 2,
    elapsed_ms: 5,
    cpu_ms: 3,
    bytes_from_storage: 90,
    rows: 7,
  });
  expect(members[1]).not.toHaveProperty('rows');
  for (const member of members) expect(Object.keys(member).join()).toMatch(/^[a-z_,]+$/);
});
