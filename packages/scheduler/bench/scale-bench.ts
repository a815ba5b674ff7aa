import { asIncarnation, asNodeName, asQueryId } from '@tessera/common';
/**
 * Measures the cost of scheduling by numbers of nodes and tablets: CPU time of the thread per task, and sizes
 * of messages. No task runs; outcomes are available at once. The last line is of a run that loses one node in
 * a hundred half-way.
 * `node bench/scale-bench.ts [nodes,… [tablets,…]]`
 */
import type { Task, TaskOutcome, TaskSource } from '@tessera/distexec';
import type { DistributedPlan, Stage, StageSource } from '@tessera/planner';
import type { ClusterNode } from '../src/cluster.ts';
import type { ScanAssignment } from '../src/stage-execution.ts';
import type { SchedulerEffect } from '../src/state/effects.ts';
import type { SchedulerEvent } from '../src/state/events.ts';
import { reduce } from '../src/state/reducer.ts';
import { initialState } from '../src/state/scheduler-state.ts';

const listOf = (text: string | undefined, fallback: readonly number[]) =>
  text?.split(',').map(Number) ?? fallback;
const nodeCounts = listOf(process.argv[2], [10, 100, 1000]);
const tabletCounts = listOf(process.argv[3], [10_000, 100_000, 1_000_000]);

const exchange = (stage: number, mode: 'hash' | 'broadcast' | 'gather'): StageSource => ({
  kind: 'exchange',
  stage,
  mode,
});
const scan = (relation: string): StageSource => ({
  kind: 'scan',
  relation,
  columns: ['a', 'b'],
  filters: [],
  partitioning: 'source',
  dynamicFilters: [],
});

function stage(id: number, partitioning: Stage['partitioning'], sources: readonly StageSource[]): Stage {
  const columns = ['a', 'b', 'c', 'd'].map((name) => ({ name, type: 'BIGINT' }));
  return {
    id,
    partitioning,
    sources,
    sql: ['SELECT a, b, sum(c), sum(d) FROM ', 0, ' GROUP BY ALL'],
    output: { columns, hashKeys: [0], summarised: [] },
    estimate: { rows: 1, bytes: 1 },
    after: [],
    isVolatile: false,
    outline: () => [],
  };
}

/** Two scans, a hash join, a hash aggregation and the root. */
const plan: DistributedPlan = {
  stages: [
    stage(0, 'source', [scan('t')]),
    stage(1, 'source', [scan('u')]),
    stage(2, 'hash', [exchange(0, 'hash'), exchange(1, 'hash')]),
    stage(3, 'hash', [exchange(2, 'hash')]),
    stage(4, 'coordinator', [exchange(3, 'gather')]),
  ],
  unboundedGathers: [],
};

const nodesOf = (count: number): readonly ClusterNode[] =>
  Array.from({ length: count }, (_, index) => ({
    index,
    name: asNodeName(`node-${index}.cluster.local:1717`),
    shuffleAddress: `node-${index}.cluster.local:16000`,
    incarnation: asIncarnation(`incarnation-${index}`),
    version: '0.1.0',
    status: 'running',
    startedAtMs: 0,
    threads: 2,
    memoryLimitBytes: 1,
  }));

function assignedTablets(nodes: readonly ClusterNode[], tablets: number): readonly ScanAssignment[] {
  const shares = nodes.map(() => [] as unknown[]);
  for (let id = 0; id < tablets; id++)
    shares[id % nodes.length]!.push({
      tablet: { id: `01J000000000000000${id}`, rows: 1_000_000, bytes: 100 << 20 },
    });
  return nodes.map((node, i) => ({
    node,
    bytes: shares[i]!.length,
    source: { kind: 'scan', table: { id: 1 }, tablets: shares[i], columns: [1, 2] } as unknown as TaskSource,
  }));
}

const outcomeOf = (bucketRows: readonly number[]): TaskOutcome => ({
  rows: 1024 * 1000,
  bytes: 1024 * 1000 * 32,
  bucketRows,
  cpuMs: 1,
  elapsedMs: 1,
  fetchedRows: 0,
  fetchedBytes: 0,
  storageBytesFetched: 0,
  storageBytesCached: 0,
  reads: [],
  spilledBytes: 0,
  summaries: [],
});

interface Measured {
  readonly tasks: number;
  readonly ms: number;
  readonly slowestEventMs: number;
  readonly blocks: number;
  readonly largestMessageBytes: number;
  readonly scanMessageBytes: number;
}

function measure(nodes: number, tablets: number, lost = 0): Measured {
  const cluster = nodesOf(nodes);
  const assigned = assignedTablets(cluster, tablets / 2);
  let state = initialState(plan, cluster[0]!, {
    queryId: asQueryId('00000000-0000-0000-0000-000000000000'),
    run: 1,
    timeZone: 'UTC',
    maxAttempts: 4,
    tasksPerNode: 8,
    retryDelayMs: 100,
    noNodesGraceMs: 1000,
    blocksPerEvent: 20_000,
    releaseBytes: Number.POSITIVE_INFINITY,
  });
  const events: SchedulerEvent[] = [{ kind: 'nodes', living: cluster }];
  const samples = new Map<number, Task>();
  let nextLost = nodes;
  const measured = {
    tasks: 0,
    ms: 0,
    slowestEventMs: 0,
    blocks: 0,
    largestMessageBytes: 0,
    scanMessageBytes: 0,
  };
  const perform = (effect: SchedulerEffect): void => {
    switch (effect.kind) {
      case 'assign':
        events.push({ kind: 'assigned', stage: effect.stage, scans: new Map([[0, assigned]]) });
        return;
      case 'refine':
        events.push({ kind: 'refined', plan });
        return;
      case 'timer':
        events.push({ kind: 'timer', timer: effect.timer });
        return;
      case 'run':
      case 'open-root': {
        const { task } = effect;
        measured.tasks++;
        for (const source of task.sources)
          if (source.kind === 'exchange') measured.blocks += source.blocks.length;
        samples.set(task.key.stage, task);
        const bucketRows = Array.from({ length: 1024 }, (_, b) => 900 + ((b * 7 + task.key.task * 13) % 200));
        const { stage: id, task: index, attempt } = task.key;
        const ref = { stage: id, task: index, attempt };
        events.push(
          effect.kind === 'run'
            ? { kind: 'task-finished', ...ref, outcome: outcomeOf(bucketRows) }
            : { kind: 'root-opened', ...ref },
        );
      }
    }
  };
  for (let event = events.shift(); event !== undefined && state.end === undefined; event = events.shift()) {
    const before = process.threadCpuUsage();
    const reduced = reduce(state, event);
    const { user, system } = process.threadCpuUsage(before);
    const ms = (user + system) / 1000;
    measured.ms += ms;
    measured.slowestEventMs = Math.max(measured.slowestEventMs, ms);
    state = reduced.state;
    for (const effect of reduced.effects) perform(effect);
    // Nodes are lost while the join reads from all of them.
    while (measured.tasks > 2.5 * nodes && nextLost > nodes - lost)
      events.unshift({
        kind: 'node-lost',
        incarnation: asIncarnation(`incarnation-${--nextLost}`),
        reason: 'lost',
      });
  }
  if (state.end?.error !== undefined || state.end === undefined) throw new Error('the plan did not run');
  for (const task of samples.values())
    measured.largestMessageBytes = Math.max(measured.largestMessageBytes, JSON.stringify(task).length);
  measured.scanMessageBytes = JSON.stringify(samples.get(0)).length;
  return measured;
}

const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1).padStart(9)} KiB`;

process.stdout.write(
  ' nodes   tablets   tasks   µs/task  slowest event   blocks/task   scan task (JSON)   largest task (JSON)\n',
);
for (let warm = 0; warm < 20; warm++) measure(10, 1000);
const most = { nodes: Math.max(...nodeCounts), tablets: Math.max(...tabletCounts) };
const runs = nodeCounts.flatMap((nodes) => tabletCounts.map((tablets) => ({ nodes, tablets, lost: 0 })));
for (const { nodes, tablets, lost } of [...runs, { ...most, lost: Math.ceil(most.nodes / 100) }]) {
  const { tasks, ms, slowestEventMs, blocks, largestMessageBytes, scanMessageBytes } = measure(
    nodes,
    tablets,
    lost,
  );
  process.stdout.write(
    `${String(nodes).padStart(6)} ${String(tablets).padStart(9)} ${String(tasks).padStart(7)} ${((1000 * ms) / tasks).toFixed(1).padStart(9)} ${slowestEventMs.toFixed(1).padStart(11)} ms ${(blocks / tasks).toFixed(1).padStart(13)} ${kib(scanMessageBytes).padStart(18)} ${kib(largestMessageBytes).padStart(21)}\n`,
  );
}
