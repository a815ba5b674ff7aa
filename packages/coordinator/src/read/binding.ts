import type { RelationObject, TableObject, ViewObject } from '@tessera/catalog';
import type { PlannedScan } from '@tessera/file-scan';
import type { TableScan } from '@tessera/planner';
import type { PreparedQuery, RelationName } from '@tessera/sql';

/** What a name meant when the statement was bound. */
export interface NamedRelation {
  readonly name: Pick<RelationName, 'database' | 'schema' | 'name' | 'location'>;
  /** That names without one belonged to. */
  readonly database: string;
  readonly object: RelationObject;
  /** Whose query names it; undefined: the statement's own text does. */
  readonly view: ViewObject | undefined;
}

/** A managed table as a statement reads it. */
export interface BoundTable {
  readonly table: TableObject;
  readonly rowPositions: boolean;
  /** The size that it was planned by. */
  readonly plannedRows: number;
}

/** Files that several nodes may read parts of, as a statement reads them. */
export interface BoundFiles {
  readonly scan: PlannedScan;
  /** Names of all their columns. */
  readonly columns: readonly string[];
}

/** What follows from a statement's text and the relations it names, whatever rows are in them. */
export interface Binding {
  readonly prepared: PreparedQuery;
  readonly named: readonly NamedRelation[];
  /** Keyed by bound name. */
  readonly tables: ReadonlyMap<string, BoundTable>;
  /** Keyed by bound name. */
  readonly files: ReadonlyMap<string, BoundFiles>;
  /** By bound name; undefined where the plan was not looked at or not understood: then everything is read. */
  readonly scans: ReadonlyMap<string, TableScan> | undefined;
  /** The kernel's plan of `prepared.boundSql`; undefined where it was not looked at or not understood. */
  readonly serializedPlan?: string | undefined;
  /** False while every table is in memory, where nothing is chosen. */
  readonly isPlanned: boolean;
  /** Whether the kernel is known to look at columns that the result does not depend on: then they are fetched too. */
  looksAtAllNamed: boolean;
  /** By how many statements. */
  uses: number;
}
