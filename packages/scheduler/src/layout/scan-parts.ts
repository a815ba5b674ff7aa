import type { TableScan, TaskSource } from '@tessera/distexec';
import type { ClusterNode } from '../cluster.ts';
import type { ScanAssignment } from '../stage-execution.ts';
import type { LeafSource, SourceSpec } from './task-spec.ts';

/** The part of a scan that is assigned to a node; undefined if it has none. */
export function shareOf(assignments: readonly ScanAssignment[], node: ClusterNode): LeafSource | undefined {
  const own = assignments.find((one) => one.node.name === node.name);
  return own && { kind: 'leaf', source: own.source, shareOf: own.node.incarnation };
}

/** A scan of the same table or files that reads none of it. */
export const emptyPart = ([first]: readonly ScanAssignment[]): LeafSource => ({
  kind: 'leaf',
  source: first!.source.kind === 'files' ? { ...first!.source, units: [] } : asChoice(first!.source, []),
});

/** The whole table as assigned to any node. */
export const wholeTable = ([first]: readonly ScanAssignment[]): LeafSource => ({
  kind: 'leaf',
  source: first!.source,
  shareOf: first!.node.incarnation,
});

/** A scan of the whole table that may leave out the rows with keys of other owners. */
export function withKeysOf(
  whole: SourceSpec,
  assignments: readonly ScanAssignment[],
  owner: ClusterNode,
): SourceSpec {
  const { ownKeys } = assignments.find(({ node }) => node.name === owner.name) ?? {};
  if (whole.kind !== 'leaf' || whole.source.kind !== 'scan' || ownKeys === undefined) return whole;
  const keyFilters = [...(whole.source.keyFilters ?? []), ownKeys];
  return { ...whole, source: { ...whole.source, keyFilters } };
}

/** Combines all parts of a partitioned scan into one. */
export function allParts(assignments: readonly ScanAssignment[]): LeafSource {
  if (assignments.length === 1) return wholeTable(assignments);
  const { source: first } = assignments[0]!;
  if (first.kind === 'files') {
    const units = assignments.flatMap(({ source }) => (source.kind === 'files' ? source.units : []));
    return { kind: 'leaf', source: { ...first, units } };
  }
  const tablets = assignments.flatMap(({ source }) => (source.kind === 'scan' ? source.tablets : []));
  return { kind: 'leaf', source: asChoice(first, tablets) };
}

/** Adapts a source to a node: a node reads the tablets of another node's share one by one. */
export function sourceFor({ source, shareOf }: LeafSource, node: ClusterNode): TaskSource {
  if (source.kind !== 'scan' || shareOf === node.incarnation) return source;
  return asChoice(source, source.tablets);
}

/** Reads exactly these tablets. Reading more that the node holds of the table would duplicate rows. */
function asChoice(source: TaskSource, tablets: TableScan['tablets']): TaskSource {
  if (source.kind !== 'scan') return source;
  const { kind, table, columns, keyFilters } = source;
  return { kind, table, tablets, columns, ...(keyFilters && { keyFilters }) };
}
