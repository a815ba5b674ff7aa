import type { FileUnit } from '@tessera/file-scan';
import type { ScanSource } from '@tessera/planner';
import type { ClusterNode, ScanAssignment } from '@tessera/scheduler';
import type { BoundFiles } from '../read/bound-query.ts';

/**
 * Divides the units of a file scan among the nodes, evenly by bytes; for a replicated scan, each node gets
 * all of them. The same files and nodes give the same assignments. Any node can read any unit, so a lost task
 * runs unchanged on another node.
 * @param counted the names in lower case of the columns whose bytes count as read; undefined means all
 */
export async function assignFiles(
  { scan, columns }: BoundFiles,
  { columns: read, partitioning, filters }: Pick<ScanSource, 'columns' | 'partitioning' | 'filters'>,
  nodes: readonly ClusterNode[],
  counted: ReadonlySet<string> | undefined,
  signal: AbortSignal,
): Promise<readonly ScanAssignment[]> {
  const units = await scan.units({ columns, nodes: nodes.length, filters: [filters] }, signal);
  const shares = partitioning === 'replicated' ? nodes.map(() => units) : divided(units, nodes.length);
  const description = scan.scan(columns, counted);
  const assignments = nodes.map((node, i): ScanAssignment => {
    const share = shares[i]!;
    return {
      node,
      source: { kind: 'files', scan: description, units: share, columns: read },
      bytes: share.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  });
  // There must be at least one task, because an aggregate over no rows returns a row.
  return assignments.filter((_, i) => i === 0 || shares[i]!.length > 0);
}

/**
 * Assigns the largest units first, each to the node with the least so far; each node reads its units in the
 * order of the files.
 */
function divided(units: readonly FileUnit[], count: number): readonly (readonly FileUnit[])[] {
  const shares = Array.from({ length: count }, () => ({ bytes: 0, units: [] as number[] }));
  const bySize = units.map((_, i) => i).sort((a, b) => units[b]!.bytes - units[a]!.bytes);
  for (const unit of bySize) {
    const least = shares.reduce((a, b) => (b.bytes < a.bytes ? b : a));
    least.bytes += units[unit]!.bytes;
    least.units.push(unit);
  }
  return shares.map((share) => share.units.sort((a, b) => a - b).map((unit) => units[unit]!));
}
