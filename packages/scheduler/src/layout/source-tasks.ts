import type { Stage, StageId } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';
import type { LayoutInputs } from './layout-inputs.ts';
import { emptyPart, shareOf, withKeysOf } from './scan-parts.ts';
import { fullSource, singleTask } from './single-task.ts';
import type { SourceSpec, TaskSpec } from './task-spec.ts';

/** Where a task runs, and whose share of the tables it reads: equal names are shares of the same keys. */
interface TaskPlace {
  readonly node: ClusterNode;
  readonly owner: ClusterNode;
  /** The task of each forwarded stage whose output it reads. */
  readonly forwards: Map<StageId, number>;
}

/**
 * Makes one task for each task of the forwarded stages, on the node of its output, and one for each other node that has tablets
 * of the partitioned scans. A task of forwarded rows reads the share of the node that these rows are of, even if another node has
 * computed them. A stage without such a source gets one task: more would read the same rows again.
 */
export function sourceTasks(stage: Stage, inputs: LayoutInputs): readonly TaskSpec[] {
  const forwarded = forwardedPlaces(stage, inputs);
  const hasShards = stage.sources.some(
    (source) => source.kind === 'scan' && source.partitioning === 'source',
  );
  if (forwarded.length === 0 && !hasShards) return singleTask(stage, inputs);
  const owners = new Set(forwarded.map(({ owner }) => owner.name));
  const others = nodesWithTablets(stage, inputs).filter(({ name }) => !owners.has(name));
  const places = [
    ...forwarded,
    ...others.map((node): TaskPlace => ({ node, owner: node, forwards: new Map() })),
  ];
  const isFirstOfOwner = places.map(
    ({ owner }, i) => places.findIndex((place) => place.owner.name === owner.name) === i,
  );
  return places.map(({ node, owner, forwards }, task) => ({
    preferred: node,
    owner,
    follows: [...forwards].map(([id, followed]) => ({ stage: id, task: followed }))[0],
    sources: stage.sources.map((source, position): SourceSpec => {
      if (source.kind === 'exchange' && source.mode === 'forward') {
        const followed = forwards.get(source.stage);
        return { kind: 'exchange', stage: source.stage, tasks: followed === undefined ? [] : [followed] };
      }
      if (source.kind === 'scan' && source.partitioning === 'source') {
        const assignments = inputs.scans.get(position)!;
        return (isFirstOfOwner[task] ? shareOf(assignments, owner) : undefined) ?? emptyPart(assignments);
      }
      const whole = fullSource(source, position, inputs, node);
      return source.kind === 'scan' && source.withinKeys !== undefined
        ? withKeysOf(whole, inputs.scans.get(position)!, owner)
        : whole;
    }),
  }));
}

function forwardedPlaces(stage: Stage, { outputs }: LayoutInputs): readonly TaskPlace[] {
  const places: TaskPlace[] = [];
  for (const id of forwardedStages(stage))
    outputs.get(id)!.forEach(({ node, owner = node }, task) => {
      const known = places.find(({ owner: { name }, forwards }) => name === owner.name && !forwards.has(id));
      if (known === undefined) places.push({ node, owner, forwards: new Map([[id, task]]) });
      else known.forwards.set(id, task);
    });
  return places;
}

/** The stages whose outputs a stage reads where they are. */
export const forwardedStages = ({ sources }: Stage): ReadonlySet<StageId> =>
  new Set(
    sources.flatMap((source) =>
      source.kind === 'exchange' && source.mode === 'forward' ? [source.stage] : [],
    ),
  );

function nodesWithTablets(stage: Stage, { scans }: LayoutInputs): readonly ClusterNode[] {
  const nodes = new Map<string, ClusterNode>();
  stage.sources.forEach((source, position) => {
    if (source.kind !== 'scan' || source.partitioning !== 'source') return;
    for (const { node } of scans.get(position)!) if (!nodes.has(node.name)) nodes.set(node.name, node);
  });
  return [...nodes.values()];
}
