import type { SourceRead } from '@tessera/distexec';
import type { Stage } from '@tessera/planner';
import type { ExecutedPlan } from '@tessera/scheduler';
import type { ReadCounts } from '@tessera/storage-agent';

export const NOTHING_READ: ReadCounts = { rows: 0, bytes: 0, bytesFromStorage: 0 };

/**
 * Sums the rows and bytes that the nodes read of each table and file scan, keyed by bound name. A table that every task reads whole
 * or that several stages read counts once, so that the counts equal those of one node.
 */
export function readOnAllNodes({ plan, profiles, root }: ExecutedPlan): ReadonlyMap<string, ReadCounts> {
  const byTable = new Map<string, ReadCounts>();
  const stages = new Map(plan.stages.map((stage) => [stage.id, stage]));
  const count = (stage: Stage | undefined, tasks: readonly (readonly SourceRead[])[]) => {
    for (const [position, source] of (stage?.sources ?? []).entries()) {
      if (source.kind !== 'scan') continue;
      const reads = tasks.flatMap((task) => task.filter((read) => read.source === position));
      const read = reads.reduce<ReadCounts>(
        source.partitioning === 'replicated' ? larger : together,
        NOTHING_READ,
      );
      byTable.set(source.relation, larger(byTable.get(source.relation) ?? NOTHING_READ, read));
    }
  };
  for (const { stage, tasksByNode } of profiles)
    count(
      stages.get(stage),
      tasksByNode.map(({ outcome }) => outcome.reads),
    );
  count(plan.stages.at(-1), [root.reads]);
  return byTable;
}

export const sumOfReads = (reads: Iterable<ReadCounts>): ReadCounts =>
  [...reads].reduce(together, NOTHING_READ);

const larger = (a: ReadCounts, b: ReadCounts): ReadCounts => ({
  rows: Math.max(a.rows, b.rows),
  bytes: Math.max(a.bytes, b.bytes),
  bytesFromStorage: Math.max(a.bytesFromStorage, b.bytesFromStorage),
});

const together = (a: ReadCounts, b: ReadCounts): ReadCounts => ({
  rows: a.rows + b.rows,
  bytes: a.bytes + b.bytes,
  bytesFromStorage: a.bytesFromStorage + b.bytesFromStorage,
});
