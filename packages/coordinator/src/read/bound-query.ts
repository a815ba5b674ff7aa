import type { ObjectId, RelationObject, TableObject, ViewObject } from '@tessera/catalog';
import type { FileColumn, PlannedScan } from '@tessera/file-scan';
import { type KernelColumn, typeToSql } from '@tessera/kernel';
import type { TableScan } from '@tessera/planner';
import type { PreparedQuery, RelationName } from '@tessera/sql';
import type { IndexReads, ReadTable } from './index-coverage.ts';

/** The meaning of a name when the statement was bound. */
export interface NamedRelation {
  readonly name: Pick<RelationName, 'database' | 'schema' | 'name' | 'location'>;
  /** The database of unqualified names. */
  readonly database: string;
  readonly object: RelationObject;
  /** The view whose query names it; undefined if the statement's own text does. */
  readonly view: ViewObject | undefined;
}

/** A managed table as a statement reads it. */
export interface BoundTable {
  readonly table: ReadTable;
  readonly rowPositions: boolean;
  /** The number of rows that it was planned with. */
  readonly plannedRows: number;
}

/** What an aggregating index was good for when a statement was bound. */
export interface IndexChoice {
  readonly table: TableObject;
  /** The id of the partials of the index. */
  readonly partials: ObjectId;
  readonly reads: IndexReads;
}

/** A column of regular expressions that a query contains as literals, so that each is compiled once. */
export interface CompiledPatterns {
  readonly table: TableObject;
  readonly column: string;
  readonly patterns: number;
  /** `Snapshot.contentsVersion` of the table when they were read. */
  readonly version: number;
}

/** Files that several nodes may read in parts, as a statement reads them. */
export interface BoundFiles {
  readonly scan: PlannedScan;
  /** All their columns. */
  readonly columns: readonly FileColumn[];
}

export const fileColumns = (columns: readonly KernelColumn[]): readonly FileColumn[] =>
  columns.map(({ name, type }) => ({ name, type: typeToSql(type) }));

/**
 * A query whose names and types are resolved against a snapshot. It depends on the text and on the relations that it
 * names, but its result does not depend on the rows that they had then, so it can be cached.
 */
export interface BoundQuery {
  readonly prepared: PreparedQuery;
  readonly named: readonly NamedRelation[];
  /** Keyed by bound name. */
  readonly tables: ReadonlyMap<string, BoundTable>;
  /** Keyed by bound name. */
  readonly files: ReadonlyMap<string, BoundFiles>;
  /** The aggregating indexes of the tables that the statement names. */
  readonly indexes: readonly IndexChoice[];
  /** The query is correct for other values of these columns, too. */
  readonly patterns: readonly CompiledPatterns[];
  /**
   * Scans by bound name; undefined if the plan was not examined or not understood: then everything is read.
   */
  readonly scans: ReadonlyMap<string, TableScan> | undefined;
  /** The kernel's plan of `prepared.boundSql`; undefined if it was not examined or not understood. */
  readonly serializedPlan?: string | undefined;
  /** False if every table is in memory, where nothing is pruned. */
  readonly isPlanned: boolean;
  /**
   * Whether the kernel is known to evaluate columns that the result does not depend on, so that they must be
   * fetched too.
   */
  looksAtAllNamed: boolean;
  /** The number of statements that have used it. */
  uses: number;
}
