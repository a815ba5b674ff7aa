import { asIncarnation, asQueryId, TesseraError } from '@tessera/common';
import type { TaskOutcome } from '@tessera/distexec';
import { describe, expect, test } from 'vitest';
import { exchange, MemoryCluster, scan, stage } from '../../test/driver/memory-cluster.ts';
import type { ClusterNode } from '../cluster.ts';
import type { SchedulerEffect } from './effects.ts';
import type { SchedulerEvent } from './events.ts';
import { reduce } from './reducer.ts';
import { initialState, type SchedulerState } from './scheduler-state.ts';

const LOCAL = { kind: 'session', sql: 'uploaded' } as const;
const MADE = stage(0, 'single', [LOCAL]);
const ROOT = stage(1, 'coordinator', [exchange(0, 'gather')]);

/** A run that is driven event by event. */
class Run {
  state: SchedulerState;
  effects: readonly SchedulerEffect[] = [];
  readonly nodes: readonly ClusterNode[];

  constructor(nodes: number, stages = [MADE, ROOT]) {
    this.nodes = new MemoryCluster(nodes).nodes;
    this.state = initialState({ stages, unboundedGathers: [] }, this.nodes[0]!, {
      queryId: asQueryId('q'),
      run: 1,
      timeZone: 'UTC',
      maxAttempts: 3,
      tasksPerNode: 2,
      retryDelayMs: 10,
      noNodesGraceMs: 500,
      blocksPerEvent: 100,
      releaseBytes: 1e9,
    });
  }

  send(event: SchedulerEvent): this {
    const { state, effects } = reduce(this.state, event);
    this.state = state;
    this.effects = effects;
    return this;
  }

  sees(...living: readonly ClusterNode[]): this {
    return this.send({ kind: 'nodes', living });
  }

  /** The attempts that the last event started: `<node> <stage>/<task>/<attempt>`. */
  get begun(): readonly string[] {
    return this.effects.flatMap((effect) => {
      if (effect.kind !== 'run' && effect.kind !== 'open-root') return [];
      const { stage: id, task, attempt } = effect.task.key;
      return [`${effect.kind === 'run' ? effect.node.name : 'root'} ${id}/${task}/${attempt}`];
    });
  }
}

const OUTCOME = { rows: 1, bytes: 1, bucketRows: [], summaries: [] } as unknown as TaskOutcome;
const first = { stage: 0, task: 0, attempt: 0 };
const draining = (node: ClusterNode): ClusterNode => ({ ...node, status: 'draining' });

test("a draining node gets no new tasks, except the coordinator's own if there is no other", () => {
  const run = new Run(2);
  expect(run.sees(draining(run.nodes[0]!), run.nodes[1]!).begun).toEqual(['n1 0/0/0']);
  const last = new Run(1);
  expect(last.sees(draining(last.nodes[0]!)).begun).toEqual(['n0 0/0/0']);
});

test('a task that a draining node refuses runs elsewhere', () => {
  const run = new Run(2);
  run.sees(...run.nodes);
  expect(run.send({ kind: 'task-failed', ...first, error: TesseraError.of('DRAINING', {}) }).begun).toEqual([
    'n1 0/0/1',
  ]);
});

test('a task for which the disk of a node is full runs elsewhere', () => {
  const run = new Run(2);
  run.sees(...run.nodes);
  const error = TesseraError.of('DISK_FULL', { what: 'the tablets of table t' });
  expect(run.send({ kind: 'task-failed', ...first, error }).begun).toEqual(['n1 0/0/1']);
});

test('without nodes the run waits, and ends if none joins', () => {
  const run = new Run(2);
  run.sees();
  expect(run.effects).toEqual([{ kind: 'timer', timer: { kind: 'no-nodes' }, delayMs: 500 }]);
  const waiting = run.state;
  expect(run.send({ kind: 'timer', timer: { kind: 'no-nodes' } }).state.end?.error?.name).toBe('NO_NODES');
  run.state = waiting;
  expect(run.sees(run.nodes[1]!).begun).toEqual(['n1 0/0/0']);
  expect(run.send({ kind: 'timer', timer: { kind: 'no-nodes' } }).effects).toEqual([]);
});

test('further failures are retried after growing pauses', () => {
  const run = new Run(3);
  const error = TesseraError.of('NOT_LEADER', {});
  run.sees(...run.nodes);
  expect(run.send({ kind: 'task-failed', ...first, error }).begun).toEqual(['n1 0/0/1']);
  const second = { ...first, attempt: 1 };
  const timer = { kind: 'retry', ...second } as const;
  expect(run.send({ kind: 'task-failed', ...second, error }).effects).toEqual([
    { kind: 'timer', timer, delayMs: 20 },
  ]);
  expect(run.send({ kind: 'timer', timer }).begun).toEqual(['n2 0/0/2']);
  expect(run.send({ kind: 'timer', timer }).effects).toEqual([]);
  expect(run.send({ kind: 'task-failed', ...first, attempt: 2, error }).effects).toEqual([
    { kind: 'end', error },
  ]);
});

test('losing the kernel of the session ends the run, losing that of a node does not', () => {
  const error = TesseraError.of('KERNEL_LOST', { message: 'gone' });
  const inSession = new Run(2, [stage(0, 'coordinator', [LOCAL]), ROOT]);
  inSession.sees(...inSession.nodes);
  expect(inSession.send({ kind: 'task-failed', ...first, error }).state.end?.error).toBe(error);
  const onNode = new Run(2);
  onNode.sees(...onNode.nodes);
  expect(onNode.send({ kind: 'task-failed', ...first, error }).begun).toEqual(['n1 0/0/1']);
});

test('a process restarted under the same address is another node', () => {
  const run = new Run(2);
  const [self, other] = run.nodes;
  run.sees(draining(self!), other!);
  run.send({ kind: 'task-finished', ...first, outcome: OUTCOME });
  run.sees(draining(self!), { ...other!, incarnation: asIncarnation('new') });
  expect(run.begun).toEqual(['n1 0/0/1']);
  expect(run.effects.find((effect) => effect.kind === 'run')?.node.incarnation).toBe('new');
  expect(run.send({ kind: 'task-finished', ...first, outcome: OUTCOME }).effects).toEqual([]);
});

test('an output that cannot be fetched is computed again elsewhere, and its reader waits', () => {
  const run = new Run(2);
  run.sees(...run.nodes);
  run.send({ kind: 'task-finished', ...first, outcome: OUTCOME });
  expect(run.send({ kind: 'refined', plan: run.state.plan }).begun).toEqual(['root 1/0/0']);
  const error = TesseraError.of('FETCH_FAILED', { node: 'n0', ...first, reason: 'cut' });
  const root = { stage: 1, task: 0, attempt: 0 };
  expect(run.send({ kind: 'task-failed', ...root, error }).begun).toEqual(['n1 0/0/1']);
  expect(run.send({ kind: 'task-finished', ...first, attempt: 1, outcome: OUTCOME }).begun).toEqual([
    'root 1/0/1',
  ]);
  expect(run.send({ kind: 'root-opened', ...root }).effects).toEqual([]);
  expect(run.send({ kind: 'root-opened', ...root, attempt: 1 }).effects).toEqual([
    { kind: 'end', error: undefined },
  ]);
});

describe.each([
  ['rows of tables with the same keys', { keyDomain: 'd' }],
  [
    'rows of a whole table within the same keys',
    { partitioning: 'replicated', withinKeys: { column: 'k', domain: 'd' } },
  ],
] as const)('a stage in which forwarded rows meet %s', (_, met) => {
  const keyed = { ...scan('t'), keyDomain: 'd' };
  const stages = [
    stage(0, 'source', [keyed]),
    stage(1, 'source', [exchange(0, 'forward'), { ...scan('t'), ...met }]),
    stage(2, 'coordinator', [exchange(1, 'gather')]),
  ];

  /** A run in which stage 0 has finished on the first two nodes. */
  function started(): Run {
    const run = new Run(3, stages);
    const [a, b] = run.nodes as readonly [ClusterNode, ClusterNode];
    run.sees(a, b);
    const source = { kind: 'scan', table: {}, tablets: [], columns: [] } as never;
    const scans = new Map([[0, [a, b].map((node) => ({ node, source, bytes: 1 }))]]);
    run.send({ kind: 'assigned', stage: 0, scans });
    for (const task of [0, 1]) run.send({ kind: 'task-finished', ...first, task, outcome: OUTCOME });
    return run;
  }

  test('divides the tables among the same nodes, even if more have joined', () => {
    const run = started().sees(...new Run(3).nodes);
    run.send({ kind: 'refined', plan: run.state.plan });
    const [assign] = run.effects;
    expect(assign?.kind === 'assign' && assign.nodes.map(({ name }) => name)).toEqual(['n0', 'n1']);
  });

  test('ends the run for another plan if one of them is gone', () => {
    const run = started();
    run.sees(run.nodes[0]!).send({ kind: 'refined', plan: run.state.plan });
    run.send({ kind: 'task-finished', ...first, task: 1, attempt: 1, outcome: OUTCOME });
    for (let asked = 0; asked < 3 && run.state.isRefining; asked++)
      run.send({ kind: 'refined', plan: run.state.plan });
    expect(run.state.end?.error).toMatchObject({ name: 'NODE_LOST' });
    expect(run.effects.at(-1)).toMatchObject({ kind: 'end' });
  });
});

test('an event does not change the previous state', () => {
  const run = new Run(2);
  const texts = (state: SchedulerState) =>
    JSON.stringify(state, (_, value) => (value instanceof Map || value instanceof Set ? [...value] : value));
  const kept = run.state;
  const before = texts(kept);
  run.sees(...run.nodes).send({ kind: 'task-finished', ...first, outcome: OUTCOME });
  expect(texts(kept)).toBe(before);
});
