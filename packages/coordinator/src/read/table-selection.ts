import type { Column, Snapshot, TableObject, Tablet } from '@tessera/catalog';
import type { TableScan } from '@tessera/planner';
import type { ScanTablet } from '@tessera/storage-agent';

/** What a statement needs of a table. */
export interface TableSelection {
  readonly tablets: readonly ScanTablet[];
  /** `contentsVersion` of the table when `tablets` are all of it. */
  readonly wholeTableAt: number | undefined;
  readonly columns: readonly Column[];
  readonly tabletsTotal: number;
  readonly tabletsPrunedByPartition: number;
  readonly tabletsPrunedByRange: number;
}

/** All tablets of tables, as scans take them: by the list that the snapshot has of them. */
const wholeTables = new WeakMap<
  readonly Tablet[],
  { readonly at: number; readonly tablets: readonly ScanTablet[] }
>();

/** `scan` undefined: the statement may read everything. */
export function selectTablets(
  table: TableObject,
  scan: TableScan | undefined,
  snapshot: Snapshot,
): TableSelection {
  const names = scan && new Set(scan.columns);
  const at = snapshot.contentsVersion(table.id);
  const tablets = wholeTable(table, snapshot, at);
  return {
    tablets,
    wholeTableAt: at,
    columns: names === undefined ? table.columns : table.columns.filter(({ name }) => names.has(name)),
    tabletsTotal: tablets.length,
    tabletsPrunedByPartition: 0,
    tabletsPrunedByRange: 0,
  };
}

function wholeTable(table: TableObject, snapshot: Snapshot, at: number): readonly ScanTablet[] {
  const list = snapshot.tablets(table.id);
  const known = wholeTables.get(list);
  if (known?.at === at) return known.tablets;
  const tablets = list.map((tablet) => ({ tablet, vector: snapshot.deletionVector(table.id, tablet.id) }));
  wholeTables.set(list, { at, tablets });
  return tablets;
}
