import type {
  Column,
  IndexPartials,
  ObjectId,
  Snapshot,
  TableIndex,
  TableObject,
  Tablet,
} from '@tessera/catalog';

/** A table as a statement reads it: all rows, or only those of tablets that an aggregating index does not summarise. */
export type ReadTable = TableObject & {
  /** The id of the partials of the index. */
  readonly uncoveredBy?: ObjectId | undefined;
};

/** How much of a table an aggregating index summarises at a snapshot. */
export interface IndexCoverage {
  readonly partialRows: number;
  /** The tablets of the table without valid partial rows. */
  readonly rest: readonly Tablet[];
  /** The rows of `rest` that are not deleted. */
  readonly restRows: number;
  /** The rows of the table that are not deleted. */
  readonly tableRows: number;
}

/** What queries that an index can answer read: the table's rows, partial rows, or partial rows and the rows of the rest. */
export type IndexReads = 'table' | 'partials' | 'partials and rest';

/** Reading a partial row costs about as much as this many rows, because it has more columns. */
const COST_OF_PARTIAL_ROW = 2;

export function indexReads({ partialRows, rest, restRows, tableRows }: IndexCoverage): IndexReads {
  if (partialRows * COST_OF_PARTIAL_ROW + restRows >= tableRows) return 'table';
  return rest.length > 0 ? 'partials and rest' : 'partials';
}

interface Known {
  readonly partials: readonly Tablet[];
  readonly version: number;
  readonly coverage: IndexCoverage;
}

/** Keyed by the snapshot's list of the table's tablets, then by the id of the partials. */
const known = new WeakMap<readonly Tablet[], Map<ObjectId, Known>>();

export function indexCoverage(
  snapshot: Snapshot,
  { id: tableId }: Pick<TableObject, 'id'>,
  partialsId: ObjectId,
): IndexCoverage {
  const tablets = snapshot.tablets(tableId);
  const partials = snapshot.tablets(partialsId);
  const version = snapshot.contentsVersion(tableId);
  const ofTable = known.get(tablets) ?? new Map<ObjectId, Known>();
  known.set(tablets, ofTable);
  const found = ofTable.get(partialsId);
  if (found?.partials === partials && found.version === version) return found.coverage;
  const covered = new Set(partials.map(({ partialOf }) => partialOf?.tabletId));
  const rest = tablets.filter(({ id }) => !covered.has(id));
  const live = ({ id, rows }: Tablet) => rows - (snapshot.deletionVector(tableId, id)?.rows ?? 0);
  const totals = snapshot.totals(tableId);
  const coverage = {
    partialRows: snapshot.totals(partialsId).rows,
    rest,
    restRows: rest.reduce((sum, tablet) => sum + live(tablet), 0),
    tableRows: totals.rows - totals.deletedRows,
  };
  ofTable.set(partialsId, { partials, version, coverage });
  return coverage;
}

/** The rows that a statement reads of a table at most. */
export function liveRows(snapshot: Snapshot, table: ReadTable): number {
  if (table.uncoveredBy !== undefined) return indexCoverage(snapshot, table, table.uncoveredBy).restRows;
  const { rows, deletedRows } = snapshot.totals(table.id);
  return rows - deletedRows;
}

const uncovered = new WeakMap<TableObject, Map<ObjectId, ReadTable>>();

/** The same table, of which only the tablets are read that the index does not summarise. One object for equal arguments. */
export function uncoveredTable(table: TableObject, uncoveredBy: ObjectId): ReadTable {
  const ofTable = uncovered.get(table) ?? new Map<ObjectId, ReadTable>();
  uncovered.set(table, ofTable);
  const found = ofTable.get(uncoveredBy) ?? { ...table, uncoveredBy };
  ofTable.set(uncoveredBy, found);
  return found;
}

const partialTables = new WeakMap<IndexPartials, Map<string, TableObject>>();

/** The partial rows of an index as a table that queries can read and tablets can be written for. One object for equal arguments. */
export function partialsTable(
  { name, location, schemaId, owner, createdAt, indexGranularity }: TableObject,
  index: Pick<TableIndex, 'name'> & { readonly partials: IndexPartials },
): TableObject {
  const { partials } = index;
  const made = partialTables.get(partials) ?? new Map<string, TableObject>();
  partialTables.set(partials, made);
  const shownAs = `${name} by index ${index.name}`;
  const key = `${shownAs} ${location ?? ''}`;
  const found = made.get(key) ?? {
    kind: 'table',
    id: partials.id,
    name: shownAs,
    createdAt,
    alteredAt: createdAt,
    owner,
    schemaId,
    tableType: 'FACT',
    columns: partials.columns,
    primaryIndex: [],
    partitionBy: [],
    indexGranularity,
    schemaVersion: 1,
    nextColumnId: partials.columns.length + 1,
    ...(location === undefined ? {} : { location }),
    indexes: [],
  };
  made.set(key, found);
  return found;
}

/** The columns of partial rows. */
export const partialColumns = (
  columns: readonly { readonly column: string; readonly type: string }[],
): readonly Column[] =>
  columns.map(({ column, type }, i) => ({
    id: i + 1,
    name: column,
    storedName: column,
    type,
    nullable: true,
    since: 0,
  }));

/** An aggregating index that stores partial rows, or a skip index that stores filters. */
export type StoredIndex = TableIndex & { readonly partials: IndexPartials };

export const storedIndexes = ({ indexes }: Pick<TableObject, 'indexes'>): readonly StoredIndex[] =>
  indexes.filter((index): index is StoredIndex => index.partials !== undefined);
