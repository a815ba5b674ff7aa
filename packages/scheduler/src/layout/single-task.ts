import type { Stage, StageSource } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';
import type { LayoutInputs } from './layout-inputs.ts';
import { allParts, shareOf, wholeTable } from './scan-parts.ts';
import type { SourceSpec, TaskSpec } from './task-spec.ts';

/** One task that reads everything, where most of it is unless `node` says where. */
export function oneTask(stage: Stage, inputs: LayoutInputs, node?: ClusterNode): readonly TaskSpec[] {
  const preferred = node ?? mostInput(stage, inputs)[0]!;
  const sources = stage.sources.map((source, i) => wholeSource(source, i, inputs, preferred));
  return [{ sources, preferred }];
}

/** A source as a task reads it that reads all of it. */
export function wholeSource(
  source: StageSource,
  position: number,
  { scans }: LayoutInputs,
  node: ClusterNode,
): SourceSpec {
  switch (source.kind) {
    case 'local':
      return { kind: 'given', source: { kind: 'relation', sql: source.sql } };
    case 'exchange':
      return { kind: 'exchange', stage: source.stage };
    case 'scan': {
      const assignments = scans.get(position)!;
      if (source.spread === 'sharded') return allParts(assignments);
      return shareOf(assignments, node) ?? wholeTable(assignments);
    }
  }
}

/** Rather than run a task elsewhere, where its output would have to come back from, so many bytes are sent to the coordinator. */
const WORTH_SENDING_BYTES = 256 << 10;

/** The nodes, those first that have most of what the stage reads; the coordinator before others that have little more. */
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
    else if (source.kind === 'scan' && source.spread === 'sharded')
      for (const assignment of scans.get(i)!) add(assignment.node, assignment.bytes);
  });
  const of = (node: ClusterNode) => bytes.get(node.incarnation) ?? 0;
  return [...nodes].sort((a, b) => of(b) - of(a));
}
