import type { TaskOutcome } from '@tessera/distexec';
import type { Stage } from '@tessera/planner';
import { expect, test } from 'vitest';
import { exchange, MemoryCluster, scan, stage } from '../../test/driver/memory-cluster.ts';
import type { ClusterNode } from '../cluster.ts';
import type { LayoutInputs } from './layout-inputs.ts';
import { sourceFor } from './scan-parts.ts';
import { layOut } from './stage-layout.ts';
import type { TaskOutput, TaskSpec } from './task-spec.ts';

const { nodes } = new MemoryCluster(4);
const MiB = 1 << 20;

/** Rows of 1 MiB by bucket. */
function output(node: ClusterNode, rows: Readonly<Record<number, number>>): TaskOutput {
  const bucketRows = Array.from({ length: 1024 }, (_, b) => rows[b] ?? 0);
  const total = bucketRows.reduce((sum, one) => sum + one, 0);
  return {
    node,
    attempt: 0,
    outcome: { rows: total, bytes: total * MiB, bucketRows } as unknown as TaskOutcome,
  };
}

const laidOut = (of: Stage, more: Partial<LayoutInputs>) =>
  layOut(of, { outputs: new Map(), scans: new Map(), nodes, self: nodes[0]!, ...more });

const share = (node: ClusterNode, tablets: readonly number[]) => ({
  node,
  bytes: tablets.length,
  source: {
    kind: 'scan',
    table: {},
    tablets,
    columns: [1],
    choiceAtVersion: 7,
    shareId: node.name,
  } as never,
});

test('scans of two tables meet on the nodes that have tablets of either', () => {
  const scans = new Map([
    [0, [share(nodes[0]!, [1]), share(nodes[1]!, [2])]],
    [1, [share(nodes[1]!, [3]), share(nodes[2]!, [4])]],
  ]);
  const specs = laidOut(stage(5, 'source', [scan('t'), scan('u')]), { scans });
  expect(specs.map(({ preferred }) => preferred.name)).toEqual(['n0', 'n1', 'n2']);
  expect(
    specs.map(({ sources }) =>
      sources.map((one) => one.kind === 'leaf' && (one.source as { tablets: unknown }).tablets),
    ),
  ).toEqual([
    [[1], []],
    [[2], [3]],
    [[], [4]],
  ]);
});

test("another node's share is read tablet by tablet", () => {
  const scans = new Map([[0, [share(nodes[1]!, [2])]]]);
  const [spec] = laidOut(stage(5, 'source', [scan('t')]), { scans });
  const [given] = spec!.sources;
  if (given?.kind !== 'leaf') throw new Error('not a scan');
  expect(sourceFor(given, nodes[1]!)).toMatchObject({ tablets: [2], choiceAtVersion: 7, shareId: 'n1' });
  expect(sourceFor(given, nodes[0]!)).toEqual({ kind: 'scan', table: {}, tablets: [2], columns: [1] });
});

test('a node without tablets of one of two tables reads nothing of that table', () => {
  const scans = new Map([
    [0, [share(nodes[0]!, [1])]],
    [1, [share(nodes[1]!, [3])]],
  ]);
  const [spec] = laidOut(stage(5, 'source', [scan('t'), scan('u')]), { scans });
  const read = spec!.sources.map((one) => one.kind === 'leaf' && sourceFor(one, nodes[0]!));
  expect(read).toMatchObject([{ tablets: [1], shareId: 'n0' }, { tablets: [] }]);
  expect(read[1]).not.toHaveProperty('choiceAtVersion');
});

test('a stage that only reads replicated sources has one task', () => {
  const outputs = new Map([[0, [output(nodes[2]!, { 0: 5 }), output(nodes[1]!, { 0: 1 })]]]);
  const specs = laidOut(stage(5, 'source', [exchange(0, 'broadcast')]), { outputs });
  expect(specs).toMatchObject([{ preferred: nodes[2], sources: [{ stage: 0 }] }]);
});

test('forwarded outputs are read where they are, with tablets of these nodes and others', () => {
  const outputs = new Map([[0, [output(nodes[1]!, { 0: 1 }), output(nodes[1]!, { 0: 1 })]]]);
  const scans = new Map([[1, [share(nodes[1]!, [1]), share(nodes[3]!, [2])]]]);
  const specs = laidOut(stage(5, 'source', [exchange(0, 'forward'), scan('t')]), { outputs, scans });
  expect(specs.map(({ preferred, follows }) => [preferred.name, follows?.task])).toEqual([
    ['n1', 0],
    ['n1', 1],
    ['n3', undefined],
  ]);
  const tablets = specs.map(
    ({ sources: [, one] }) => one!.kind === 'leaf' && (one!.source as { tablets: unknown }).tablets,
  );
  expect(tablets).toEqual([[1], [], [2]]);
});

test('forwarded rows are joined with the share of the node that they belong to, although another node computed them', () => {
  const elsewhere = { ...output(nodes[1]!, { 0: 1 }), owner: nodes[2]! };
  const outputs = new Map([[0, [{ ...output(nodes[1]!, { 0: 1 }), owner: nodes[1]! }, elsewhere]]]);
  const scans = new Map([[1, [share(nodes[1]!, [1]), share(nodes[2]!, [2]), share(nodes[3]!, [3])]]]);
  const specs = laidOut(stage(5, 'source', [exchange(0, 'forward'), scan('t')]), { outputs, scans });
  expect(specs.map(({ preferred, owner }) => [preferred.name, owner?.name])).toEqual([
    ['n1', 'n1'],
    ['n1', 'n2'],
    ['n3', 'n3'],
  ]);
  const tablets = specs.map(
    ({ sources: [, one] }) => one!.kind === 'leaf' && (one!.source as { tablets: unknown }).tablets,
  );
  expect(tablets).toEqual([[1], [2], [3]]);
});

test('a replicated scan is limited to the keys of the share that the task has, whichever node runs it', () => {
  const elsewhere = { ...output(nodes[1]!, { 0: 1 }), owner: nodes[2]! };
  const outputs = new Map([[0, [{ ...output(nodes[1]!, { 0: 1 }), owner: nodes[1]! }, elsewhere]]]);
  const keysOf = (node: ClusterNode) => ({ column: 'k', ranges: [{ from: node.name }] });
  const whole = nodes.map((node) => ({ ...share(node, [1, 2]), ownKeys: keysOf(node) }));
  const within = {
    ...scan('t'),
    partitioning: 'replicated',
    withinKeys: { column: 'k', domain: 'd' },
  } as const;
  const laid = (partitioning: Stage['partitioning']) =>
    laidOut(stage(5, partitioning, [exchange(0, 'forward'), within]), {
      outputs,
      scans: new Map([[1, whole]]),
    });
  const filters = ({ sources: [, one] }: TaskSpec) =>
    one?.kind === 'leaf' && sourceFor(one, nodes[3]!).kind === 'scan'
      ? (sourceFor(one, nodes[3]!) as { keyFilters?: unknown }).keyFilters
      : undefined;
  expect(laid('source').map(filters)).toEqual([[keysOf(nodes[1]!)], [keysOf(nodes[2]!)]]);
  expect(laid('single').map(filters)).toEqual([undefined]);
});

test('a single task runs where most of its input is', () => {
  const outputs = new Map([
    [0, [output(nodes[1]!, { 0: 3 }), output(nodes[2]!, { 0: 2 })]],
    [1, [output(nodes[2]!, { 0: 2 })]],
  ]);
  const specs = laidOut(stage(5, 'single', [exchange(0, 'gather'), exchange(1, 'gather')]), { outputs });
  expect(specs.map(({ preferred }) => preferred.name)).toEqual(['n2']);
});

const JOIN = stage(5, 'hash', [exchange(0, 'hash'), exchange(1, 'hash')], { sliceable: [0] });
const even = Object.fromEntries(Array.from({ length: 1024 }, (_, b) => [b, 1]));

test('a hot bucket is divided by whole outputs if they are even, and every part reads the other side whole', () => {
  const hot = { ...even, 100: 1000 };
  const outputs = new Map([
    [0, nodes.map((node) => output(node, hot))],
    [1, [output(nodes[0]!, even)]],
  ]);
  const parts = laidOut(JOIN, { outputs }).filter(
    ({ sources: [one] }) => one!.kind === 'exchange' && one!.buckets![0] === 100,
  );
  expect(parts.map(({ sources }) => sources)).toEqual([
    [
      { kind: 'exchange', stage: 0, buckets: [100, 101], tasks: [0, 2] },
      { kind: 'exchange', stage: 1, buckets: [100, 101] },
    ],
    [
      { kind: 'exchange', stage: 0, buckets: [100, 101], tasks: [1, 3] },
      { kind: 'exchange', stage: 1, buckets: [100, 101] },
    ],
  ]);
});

test('a hot bucket of one output is divided into slices', () => {
  const outputs = new Map([
    [0, [output(nodes[0]!, { ...even, 100: 12_000 }), output(nodes[1]!, even)]],
    [1, [output(nodes[0]!, even)]],
  ]);
  const slices = laidOut(JOIN, { outputs }).flatMap(({ sources: [one] }) =>
    one!.kind === 'exchange' && one!.slice ? [one!.slice] : [],
  );
  expect(slices).toEqual([
    [0, 3],
    [1, 3],
    [2, 3],
  ]);
});

test('there are as many tasks as nodes, each on another node', () => {
  const outputs = new Map([
    [0, nodes.map((node) => output(node, even))],
    [1, [output(nodes[0]!, even)]],
  ]);
  const specs = laidOut(JOIN, { outputs });
  expect(specs.map(({ preferred }) => preferred.name).sort()).toEqual(['n0', 'n1', 'n2', 'n3']);
});

test('few bytes are read by one task on the coordinator', () => {
  const few = (node: ClusterNode, rows: number): TaskOutput => {
    const one = output(node, { 3: rows, 700: rows });
    return { ...one, outcome: { ...one.outcome, bytes: 2 * rows * 100 } };
  };
  const outputs = new Map([[0, nodes.map((node, i) => few(node, i + 1))]]);
  const specs = laidOut(stage(5, 'hash', [exchange(0, 'hash')]), { outputs });
  expect(specs).toMatchObject([{ preferred: nodes[0], sources: [{ buckets: [0, 1024] }] }]);
});
