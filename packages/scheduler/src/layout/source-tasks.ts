import type { Stage } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';
import type { LayoutInputs } from './layout-inputs.ts';
import { emptyPart, shareOf } from './scan-parts.ts';
import { fullSource, singleTask } from './single-task.ts';
import type { SourceSpec, TaskSpec } from './task-spec.ts';

/**
 * Makes one task for each task of the forwarded stages, on the node of its output, and one for each other node that has tablets
 * of the partitioned scans. A stage without such a source gets one task: more would read the same rows again.
 */
export function sourceTasks(stage: Stage, inputs: LayoutInputs): readonly TaskSpec[] {
  const forwarded = forwardedNodes(stage, inputs);
  const hasShards = stage.sources.some(
    (source) => source.kind === 'scan' && source.partitioning === 'source',
  );
  if (forwarded.length === 0 && !hasShards) return singleTask(stage, inputs);
  const nodes = [...forwarded, ...otherNodesWithTablets(stage, inputs, forwarded)];
  const isFirstOfNode = nodes.map((node, i) => nodes.indexOf(node) === i);
  const forwards = stage.sources.flatMap((source) =>
    source.kind === 'exchange' && source.mode === 'forward' ? [source.stage] : [],
  );
  return nodes.map((node, task) => ({
    preferred: node,
    follows: forwards
      .filter((id) => task < inputs.outputs.get(id)!.length)
      .map((id) => ({ stage: id, task }))[0],
    sources: stage.sources.map((source, position): SourceSpec => {
      if (source.kind === 'exchange' && source.mode === 'forward') {
        const exists = task < inputs.outputs.get(source.stage)!.length;
        return { kind: 'exchange', stage: source.stage, tasks: exists ? [task] : [] };
      }
      if (source.kind === 'scan' && source.partitioning === 'source') {
        const assignments = inputs.scans.get(position)!;
        return (isFirstOfNode[task] ? shareOf(assignments, node) : undefined) ?? emptyPart(assignments);
      }
      return fullSource(source, position, inputs, node);
    }),
  }));
}

function forwardedNodes(stage: Stage, { outputs }: LayoutInputs): readonly ClusterNode[] {
  const nodes: ClusterNode[] = [];
  for (const source of stage.sources)
    if (source.kind === 'exchange' && source.mode === 'forward')
      for (const output of outputs.get(source.stage)!.slice(nodes.length)) nodes.push(output.node);
  const byIncarnation = new Map<string, ClusterNode>();
  return nodes.map((node) => {
    if (!byIncarnation.has(node.incarnation)) byIncarnation.set(node.incarnation, node);
    return byIncarnation.get(node.incarnation)!;
  });
}

function otherNodesWithTablets(
  stage: Stage,
  { scans }: LayoutInputs,
  taken: readonly ClusterNode[],
): readonly ClusterNode[] {
  const seen = new Set(taken.map(({ incarnation }) => incarnation));
  const nodes: ClusterNode[] = [];
  stage.sources.forEach((source, position) => {
    if (source.kind !== 'scan' || source.partitioning !== 'source') return;
    for (const { node } of scans.get(position)!) {
      if (seen.has(node.incarnation)) continue;
      seen.add(node.incarnation);
      nodes.push(node);
    }
  });
  return nodes;
}
