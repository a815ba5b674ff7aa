import type { SourceRead } from '@tessera/distexec';
import type { ScanSource, Stage } from '@tessera/planner';
import type { ExecutedPlan } from '@tessera/scheduler';
import type { ReadCounts, ScanTablet } from '@tessera/storage-agent';
import type { AssignedScan } from './scan-assignment.ts';

export const NOTHING_READ: ReadCounts = { rows: 0, bytes: 0, bytesFromStorage: 0 };

/** The rows and columns that all tasks of one scan read together. */
interface ScanRead {
  readonly read: ReadCounts;
  readonly columns: readonly string[];
  /** The tablets and granules that it reads; undefined for a scan of files. */
  readonly chosen: readonly ScanTablet[] | undefined;
}

/**
 * Sums the rows and bytes that the nodes read of each table and file scan, keyed by bound name. A table that every task reads whole
 * or that several stages read counts once, as on one node.
 */
export function readOnAllNodes(
  { plan, profiles, root }: Pick<ExecutedPlan, 'plan' | 'profiles' | 'root'>,
  assigned: readonly Pick<AssignedScan, 'scan' | 'chosen'>[],
): ReadonlyMap<string, ReadCounts> {
  const chosen = new Map(assigned.map((one) => [one.scan, one.chosen]));
  const byTable = new Map<string, ScanRead[]>();
  const stages = new Map(plan.stages.map((stage) => [stage.id, stage]));
  const count = (stage: Stage | undefined, tasks: readonly (readonly SourceRead[])[]) => {
    for (const [position, source] of (stage?.sources ?? []).entries()) {
      if (source.kind !== 'scan') continue;
      const reads = tasks.flatMap((task) => task.filter((read) => read.source === position));
      const scan = { read: readByTasks(source, reads), columns: source.columns, chosen: chosen.get(source) };
      byTable.set(source.relation, [...(byTable.get(source.relation) ?? []), scan]);
    }
  };
  for (const { stage, tasksByNode } of profiles)
    count(
      stages.get(stage),
      tasksByNode.map(({ outcome }) => outcome.reads),
    );
  count(plan.stages.at(-1), [root.reads]);
  return new Map([...byTable].map(([table, scans]) => [table, readByScans(scans)]));
}

const readByTasks = ({ partitioning }: ScanSource, reads: readonly ReadCounts[]): ReadCounts =>
  reads.reduce(partitioning === 'replicated' ? larger : together, NOTHING_READ);

/**
 * Returns the rows of a table that at least one of its scans reads, with the columns that at least one of them reads, as on
 * one node. Each node knows only its own scans, so what they have in common follows from the tablets and granules that were
 * chosen for them. The bytes of a column that two scans read are estimated if each also reads a column that the other does not.
 */
export function readByScans(scans: readonly ScanRead[]): ReadCounts {
  const all = sumOfReads(scans.map(({ read }) => read));
  if (scans.length < 2 || all.rows === 0) return all;
  const rows = Math.max(...scans.map(({ read }) => read.rows), Math.round(all.rows * distinctShare(scans)));
  const bytes = Math.round(bytesPerRow(scans) * rows);
  return { rows, bytes, bytesFromStorage: Math.min(bytes, all.bytesFromStorage) };
}

/** The fraction of the rows that remains when a row that several scans read counts once. */
function distinctShare(scans: readonly ScanRead[]): number {
  const counted = new Map<string, Set<number> | 'all'>();
  let [all, distinct] = [0, 0];
  for (const { chosen } of scans) {
    // Scans of files read the same files.
    if (chosen === undefined) return 1 / scans.length;
    for (const { tablet, granules } of chosen) {
      const rowsPerGranule = tablet.rows / Math.max(1, tablet.granules);
      const before = counted.get(tablet.id) ?? new Set<number>();
      const had = before === 'all' ? tablet.granules : before.size;
      const now = before === 'all' || granules === undefined ? 'all' : before.union(new Set(granules));
      const has = now === 'all' ? tablet.granules : now.size;
      counted.set(tablet.id, now);
      all += rowsPerGranule * (granules?.length ?? tablet.granules);
      distinct += rowsPerGranule * (has - had);
    }
  }
  return all === 0 ? 1 : distinct / all;
}

/** The stored bytes of all columns in a row. Each column counts once. */
function bytesPerRow(scans: readonly ScanRead[]): number {
  const counted = new Set<string>();
  const density = ({ read }: ScanRead) => (read.rows === 0 ? 0 : read.bytes / read.rows);
  let bytes = 0;
  for (const scan of scans.toSorted((a, b) => density(b) - density(a))) {
    const more = scan.columns.filter((column) => !counted.has(column));
    if (more.length > 0) bytes += (density(scan) * more.length) / scan.columns.length;
    for (const column of more) counted.add(column);
  }
  return bytes;
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
