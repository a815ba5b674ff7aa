import type { Stage, StageSource } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';
import type { LayoutInputs } from './layout-inputs.ts';
import { allParts, shareOf, wholeTable } from './scan-parts.ts';
import type { SourceSpec, TaskSpec } from './task-spec.ts';

/** Makes one task that reads all inputs, on `node` or where most of the input is. */
export function singleTask(stage: Stage, inputs: LayoutInputs, node?: ClusterNode): readonly TaskSpec[] {
  const preferred = node ?? mostInput(stage, inputs)[0]!;
  const sources = stage.sources.map((source, i) => fullSource(source, i, inputs, preferred));
  return [{ sources, preferred }];
}

/** A source for a task that reads all of it. */
export function fullSource(
  source: StageSource,
  position: number,
  { scans }: LayoutInputs,
  node: ClusterNode,
): SourceSpec {
  switch (source.kind) {
    case 'session':
      return { kind: 'leaf', source: { kind: 'session', sql: source.sql } };
    case 'exchange':
      return { kind: 'exchange', stage: source.stage };
    case 'scan': {
      const assignments = scans.get(position)!;
      if (source.partitioning === 'source') return allParts(assignments);
      return shareOf(assignments, node) ?? wholeTable(assignments);
    }
  }
}

/** A task runs at the coordinator, which needs its output, unless another node has this many bytes more of its input. */
const WORTH_SENDING_BYTES = 256 << 10;

/** Nodes ordered by the bytes of input that they hold, with a bonus for the coordinator. */
export function mostInput(
  stage: Stage,
  { outputs, scans, nodes, self }: LayoutInputs,
): readonly ClusterNode[] {
  const bytes = new Map([[self.incarnation, WORTH_SENDING_BYTES]]);
  const add = (node: ClusterNode, more: number) =>
    bytes.set(node.incarnation, (bytes.get(node.incarnation) ?? 0) + more);
  stage.sources.forEach((source, i) => {
    if (source.kind === 'exchange')
      for (const output of outputs.get(source.stage)!) add(output.node, output.outcome.bytes);
    else if (source.kind === 'scan' && source.partitioning === 'source')
      for (const assignment of scans.get(i)!) add(assignment.node, assignment.bytes);
  });
  const of = (node: ClusterNode) => bytes.get(node.incarnation) ?? 0;
  return [...nodes].sort((a, b) => of(b) - of(a));
}
