import type { Snapshot, TableObject } from '@tessera/catalog';
import type { KeyFilter, KeySummary, TableScan } from '@tessera/distexec';
import type { ScanSource, StageId } from '@tessera/planner';
import type { ClusterNode, ScanAssignment } from '@tessera/scheduler';
import type { ScanTablet, StorageAgent } from '@tessera/storage-agent';
import { assignByKeys, assignTablets, type Conjunct, keyColumnOf, type TabletShare } from '@tessera/tablet';
import { selectGranules } from '../read/granule-selection.ts';
import type { ReadTable } from '../read/index-coverage.ts';
import { type ChosenAccess, chosenAccess } from '../read/table-access.ts';
import { selectTablets } from '../read/table-selection.ts';
import { keyPlacement } from './key-placements.ts';

export interface AssignmentScope {
  readonly agent: StorageAgent;
  readonly snapshot: Snapshot;
  readonly signal: AbortSignal;
}

export interface AssignedScan {
  readonly scan: ScanSource;
  /** The tablets and granules that the nodes read together. */
  readonly chosen: readonly ScanTablet[];
  readonly assignments: readonly ScanAssignment[];
  readonly access: ChosenAccess;
}

/** Chooses the tablets and granules that a stage's scan needs and spreads them over the nodes: at least one gets a part. */
export async function assignScan(
  table: ReadTable,
  scan: ScanSource,
  nodes: readonly ClusterNode[],
  summaries: ReadonlyMap<StageId, readonly KeySummary[]>,
  { agent, snapshot, signal }: AssignmentScope,
): Promise<AssignedScan> {
  const filters = [[...scan.filters, ...dynamicConjuncts(scan, summaries)]];
  const wanted = { relation: scan.relation, columns: scan.columns, named: scan.columns, filters };
  const selection = selectTablets(table, wanted, snapshot, true);
  const granules = await selectGranules(table, selection.tablets, filters, { agent, snapshot, signal });
  const { tablets, granulesPruned } = granules;
  const isWhole = tablets.length === selection.tabletsTotal && granulesPruned === 0;
  const { version } = selection.contents;
  const columns = selection.columns.map(({ id }) => id);
  const keyFilters = keyFiltersOf(scan, summaries);
  const source = (share: readonly ScanTablet[], shareId: string | undefined): TableScan => ({
    kind: 'scan',
    table,
    tablets: share,
    columns,
    shareId,
    ...(isWhole
      ? { shareAtVersion: version }
      : table.uncoveredBy === undefined && { choiceAtVersion: version }),
    ...(keyFilters.length > 0 && { keyFilters }),
  });
  const within = scan.withinKeys && {
    column: scan.withinKeys.column,
    placement: await keyPlacement(
      scan.withinKeys.domain,
      nodes.map(({ name }) => name),
      { agent, snapshot, signal },
    ),
  };
  const shares =
    scan.partitioning === 'replicated'
      ? nodes.map((node) => ({ node, tablets, shareId: undefined }))
      : orOne(await sharesOf(table, scan, tablets, nodes, { agent, snapshot, signal }), nodes);
  return {
    scan,
    chosen: tablets,
    assignments: shares.map((share) => ({
      node: share.node,
      source: source(share.tablets, share.shareId),
      bytes: share.tablets.reduce((sum, tablet) => sum + bytesOf(tablet), 0),
      ...(within && { ownKeys: { column: within.column, ranges: within.placement.keysOf(share.node.name) } }),
    })),
    access: chosenAccess(table, selection, granules),
  };
}

/**
 * The shares of a scan. All scans of a domain use the same key ranges, since the scans of one stage have the
 * same nodes.
 */
async function sharesOf(
  table: TableObject,
  { keyDomain }: ScanSource,
  tablets: readonly ScanTablet[],
  nodes: readonly ClusterNode[],
  scope: AssignmentScope,
): Promise<readonly TabletShare<ClusterNode, ScanTablet>[]> {
  if (keyDomain === undefined)
    return assignTablets(scope.snapshot.tablets(table.id), tablets, nodes, table.indexGranularity);
  const names = nodes.map(({ name }) => name);
  return assignByKeys(await keyPlacement(keyDomain, names, scope), keyColumnOf(table)!, tablets, nodes);
}

/** Keeps one task without rows if there is nothing to read: GROUP BY ROLLUP over no rows returns a row. */
function orOne<S extends { readonly node: ClusterNode; readonly tablets: readonly ScanTablet[] }>(
  shares: readonly S[],
  [first]: readonly ClusterNode[],
): readonly (
  | S
  | { readonly node: ClusterNode; readonly tablets: readonly ScanTablet[]; readonly shareId: undefined }
)[] {
  return shares.length > 0 || first === undefined
    ? shares
    : [{ node: first, tablets: [], shareId: undefined }];
}

/** The bytes of the rows of a tablet that a node reads. */
const bytesOf = ({ tablet, rows, keys }: ScanTablet): number =>
  rows === undefined
    ? (tablet.bytes * (keys?.rows ?? tablet.rows)) / tablet.rows
    : (tablet.bytes * rows.reduce((sum, { start, end }) => sum + end - start, 0)) / tablet.rows;

/** Conditions that follow from the key summaries of finished stages. */
function dynamicConjuncts(
  { dynamicFilters }: ScanSource,
  summaries: ReadonlyMap<StageId, readonly KeySummary[]>,
): readonly Conjunct[] {
  return dynamicFilters.flatMap(({ column, stage, key }): readonly Conjunct[] => {
    const summary = summaries.get(stage)?.find((one) => one.column === key);
    if (summary === undefined) return [];
    const { min, max, values } = summary;
    if (values !== undefined) return [{ kind: 'in', column, values }];
    if (min === undefined || max === undefined) return [];
    return [
      { kind: 'compare', column, operator: '>=', value: min },
      { kind: 'compare', column, operator: '<=', value: max },
    ];
  });
}

/** The key filters of a scan. Without a summary the scan returns all rows, which is always correct. */
function keyFiltersOf(
  { dynamicFilters }: ScanSource,
  summaries: ReadonlyMap<StageId, readonly KeySummary[]>,
): readonly KeyFilter[] {
  return dynamicFilters.flatMap(({ column, stage, key, filtersRows }): readonly KeyFilter[] => {
    const summary = filtersRows && summaries.get(stage)?.find((one) => one.column === key);
    if (!summary) return [];
    const { values, min, max, bloom } = summary;
    const isUseful = values !== undefined || (min !== undefined && max !== undefined) || bloom !== undefined;
    return isUseful ? [{ column, values, min, max, bloom }] : [];
  });
}
