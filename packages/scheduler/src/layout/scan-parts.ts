import type { TableSource, TaskSource } from '@tessera/distexec';
import type { ClusterNode } from '../cluster.ts';
import type { ScanAssignment } from '../stage-execution.ts';
import type { GivenSource } from './task-spec.ts';

/** A node's part of a scan; the assignments may be several or none. */
export function shareOf(assignments: readonly ScanAssignment[], node: ClusterNode): GivenSource | undefined {
  const own = assignments.find((one) => one.node.incarnation === node.incarnation);
  return own && { kind: 'given', source: own.source, shareOf: node.incarnation };
}

/** A scan of the same table that reads nothing. */
export const emptyPart = ([first]: readonly ScanAssignment[]): GivenSource => ({
  kind: 'given',
  source: asChoice(first!.source, []),
});

/** The whole table, as some node was to read it. */
export const wholeTable = ([first]: readonly ScanAssignment[]): GivenSource => ({
  kind: 'given',
  source: first!.source,
  shareOf: first!.node.incarnation,
});

/** All parts of a scan that was spread over nodes, in one. */
export function allParts(assignments: readonly ScanAssignment[]): GivenSource {
  if (assignments.length === 1) return wholeTable(assignments);
  const tablets = assignments.flatMap(({ source }) => (source.kind === 'table' ? source.tablets : []));
  return { kind: 'given', source: asChoice(assignments[0]!.source, tablets) };
}

/** A source as it is for a node, which reads tablets of another node's share one by one. */
export function sourceFor({ source, shareOf }: GivenSource, node: ClusterNode): TaskSource {
  if (source.kind !== 'table' || shareOf === node.incarnation) return source;
  return asChoice(source, source.tablets);
}

/** Exactly these tablets: what else a node keeps of the table is not theirs, and reading it would double rows. */
function asChoice(source: TaskSource, tablets: TableSource['tablets']): TaskSource {
  if (source.kind !== 'table') return source;
  const { kind, table, columns } = source;
  return { kind, table, tablets, columns };
}
