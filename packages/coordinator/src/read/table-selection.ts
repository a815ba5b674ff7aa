import type { Column, Snapshot, TableObject, Tablet } from '@tessera/catalog';
import type { TableScan } from '@tessera/planner';
import type { ScanTablet } from '@tessera/storage-agent';
import { type Conjunct, pruneTablets } from '@tessera/tablet';
import { indexCoverage, type ReadTable } from './index-coverage.ts';

/** What a statement needs of a table. */
export interface TableSelection {
  readonly tablets: readonly ScanTablet[];
  /** The contents of the table at the snapshot. */
  readonly contents: { readonly version: number; readonly tablets: () => readonly ScanTablet[] };
  /** The columns to fetch. */
  readonly columns: readonly Column[];
  /** The columns that the statement does not name. */
  readonly unnamed: readonly Column[];
  readonly tabletsTotal: number;
  /** The tablets that an aggregating index summarises, whose partial rows are read instead. */
  readonly tabletsSummarised: number;
  /** The tablets pruned by conditions on the partition columns. */
  readonly tabletsPrunedByPartition: number;
  /** The tablets pruned by minima, maxima and NULL counts of other columns. */
  readonly tabletsPrunedByRange: number;
}

/**
 * @param scan undefined if the statement may read everything
 * @param isNarrow whether only the columns that the result depends on are fetched, of those that it names
 */
export function selectTablets(
  table: ReadTable,
  scan: TableScan | undefined,
  snapshot: Snapshot,
  isNarrow: boolean,
): TableSelection {
  const all = snapshot.tablets(table.id);
  const filters = scan?.filters ?? [];
  const isUnread = scan !== undefined && filters.length === 0;
  const read = table.uncoveredBy === undefined ? all : indexCoverage(snapshot, table, table.uncoveredBy).rest;
  const ofPartitions = pruneTablets(table, read, onPartitionColumns(table, filters));
  const kept = isUnread ? [] : pruneTablets(table, ofPartitions, filters);
  const isWhole = kept.length === all.length;
  const named = scan && new Set(scan.named);
  const fetched = isNarrow ? scan && new Set(scan.columns) : named;
  const version = snapshot.contentsVersion(table.id);
  const whole = () => wholeTable(table, snapshot, version);
  return {
    tablets: isWhole ? whole() : scanTablets(table, kept, snapshot),
    contents: { version, tablets: whole },
    columns: table.columns.filter(({ name }) => fetched?.has(name) ?? true),
    unnamed: table.columns.filter(({ name }) => !(named?.has(name) ?? true)),
    tabletsTotal: all.length,
    tabletsSummarised: all.length - read.length,
    tabletsPrunedByPartition: read.length - ofPartitions.length,
    tabletsPrunedByRange: ofPartitions.length - kept.length,
  };
}

/** Conditions that distinguish partitions: those on columns that are partition keys themselves. */
function onPartitionColumns(
  { partitionBy }: TableObject,
  filters: TableScan['filters'],
): readonly (readonly Conjunct[])[] {
  if (partitionBy.length === 0) return [];
  const keys = new Set(
    partitionBy.map((key) =>
      key
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .toLowerCase(),
    ),
  );
  const isOnKey = (conjunct: Conjunct): boolean =>
    conjunct.kind === 'or'
      ? conjunct.branches.every((branch) => branch.every(isOnKey))
      : keys.has(conjunct.column.toLowerCase());
  return filters.map((conjuncts) => conjuncts.filter(isOnKey));
}

/** All tablets of tables in the form of scans, by the snapshot's list of them. */
const wholeTables = new WeakMap<
  readonly Tablet[],
  { readonly at: number; readonly tablets: readonly ScanTablet[] }
>();

function wholeTable(table: TableObject, snapshot: Snapshot, at: number): readonly ScanTablet[] {
  const list = snapshot.tablets(table.id);
  const known = wholeTables.get(list);
  if (known?.at === at) return known.tablets;
  const tablets = scanTablets(table, list, snapshot);
  wholeTables.set(list, { at, tablets });
  return tablets;
}

const scanTablets = (
  table: TableObject,
  tablets: readonly Tablet[],
  snapshot: Snapshot,
): readonly ScanTablet[] =>
  tablets.map((tablet) => ({ tablet, vector: snapshot.deletionVector(table.id, tablet.id) }));
