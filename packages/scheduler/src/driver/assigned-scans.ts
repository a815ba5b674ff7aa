import type { ScanSource } from '@tessera/planner';
import type { ClusterNode } from '../cluster.ts';
import type { ScanAssignment } from '../stage-execution.ts';

/** Assigns the scans of a stage. One of which no node has anything is read by `self`: its shape must be known. */
export async function assignScans(
  scans: ReadonlyMap<number, ScanSource>,
  nodes: readonly ClusterNode[],
  self: ClusterNode,
  assign: (scan: ScanSource, nodes: readonly ClusterNode[]) => Promise<readonly ScanAssignment[]>,
): Promise<ReadonlyMap<number, readonly ScanAssignment[]>> {
  const assigned = await Promise.all(
    [...scans].map(async ([position, scan]) => {
      const found = await assign(scan, nodes);
      const parts = found.length > 0 ? found : await assign({ ...scan, spread: 'whole' }, [self]);
      return [position, parts] as const;
    }),
  );
  return new Map(assigned);
}
