import type { SqlLocation } from '@tessera/common';
import type { BindingSession, KernelColumn, KernelSession } from '@tessera/kernel';
import type { ReadArguments, StorageLocation } from '../reads/read-arguments.ts';

/** The kernel sequences that a statement uses, for sessions other than the one that runs it. */
export interface SessionSequences {
  defineIn(session: KernelSession): Promise<void>;
}

/** A name in FROM that is not a CTE. Parts that were not given are undefined; names are already folded. */
export interface RelationName {
  readonly database: string | undefined;
  readonly schema: string | undefined;
  readonly name: string;
  readonly location: SqlLocation | undefined;
}

/** The schema of the binder that contains the tables. */
export const MANAGED_SCHEMA = 'managed';

export interface TableRelation {
  readonly kind: 'table';
  /**
   * The name of the empty table that represents this table in `MANAGED_SCHEMA` of the binder. It consists of
   * `[a-z0-9_]`.
   */
  readonly boundName: string;
  readonly columns: readonly {
    readonly name: string;
    readonly nullable: boolean;
    /** `Column.declared`. */
    readonly declared?: string;
    /** The kernel's type. */
    readonly type?: string;
  }[];
  /** The columns of the declared primary key. */
  readonly primaryKey?: readonly string[] | undefined;
}

/** A column of a managed table whose values a query uses as regular expressions. */
export interface PatternColumn {
  readonly boundName: string;
  readonly column: string;
  /** The bound names of all managed tables in the same FROM. */
  readonly from: readonly string[];
}

/** An aggregating index of a table that a query reads. */
export interface AggregatingIndex {
  readonly name: string;
  /** The expressions of its definition. */
  readonly expressions: readonly string[];
  /** The columns of its partial rows, as they are stored. */
  readonly stored: readonly { readonly name: string; readonly type: string }[];
  readonly table: {
    readonly name: string;
    readonly columns: readonly { readonly name: string; readonly nullable: boolean; readonly type: string }[];
  };
  /** The number of rows that a query reads with the index: partial rows, and rows that none summarises. */
  readonly rows: { readonly partial: number; readonly rest: number; readonly table: number };
  /**
   * Makes its partial rows, and the table's rows that none summarises, known to the binder, and returns their bound names. The
   * second one is undefined if there are none. Undefined if reading the table costs less.
   */
  use(): Promise<{ readonly partials: string; readonly rest: string | undefined } | undefined>;
}

/** The relation that a name resolves to. */
export type ResolvedRelation =
  | TableRelation
  | {
      readonly kind: 'view';
      /** A query of the dialect. Names without a database belong to `database`. */
      readonly sql: string;
      readonly columnNames: readonly string[] | undefined;
      readonly database: string;
      /** The id of the view. */
      readonly id: string;
    }
  /**
   * A temp table or view of the session, or a table in the memory of the kernel that statements share; `ofSystem` for those of
   * information_schema and pg_catalog.
   */
  | {
      readonly kind: 'temporary';
      readonly database: 'temp' | 'kept';
      readonly name: string;
      readonly ofSystem: boolean;
    }
  /**
   * Files outside the engine, as if a READ_* call stood here. `columns` are declared with the kernel's types.
   */
  | {
      readonly kind: 'files';
      readonly call: ReadArguments;
      readonly columns: readonly { readonly name: string; readonly type: string }[];
    };

/** The context in which a query mentions a name. */
export interface Mention {
  /** The id of the view whose query contains the name; undefined if the statement itself does. */
  readonly view: string | undefined;
  /** The database of names that do not give one. */
  readonly database: string;
  readonly location: SqlLocation | undefined;
}

/** The catalog as a statement sees it. It is called before anything in its answers is looked up. */
export interface RelationResolver {
  /**
   * Resolves a name; undefined if there is no such relation.
   * @throws TesseraError UNDEFINED_TABLE or a similar code if a more specific reason than "does not exist" is
   * known; FORBIDDEN
   */
  resolve(name: RelationName, mention: Mention): Promise<ResolvedRelation | undefined>;
  /** @throws TesseraError UNDEFINED_OBJECT, FORBIDDEN */
  location(name: string, mention: Mention): Promise<StorageLocation>;
  /**
   * The location that contains a URL, if the user sees one: of several, the one with the longest URL.
   * @throws TesseraError FORBIDDEN if the user may not use it
   */
  locationOf(url: string, mention: Mention): Promise<StorageLocation | undefined>;
  /** Checks access before a READ_* call of a URL that is not an upload. @throws TesseraError FORBIDDEN */
  url(mention: Mention): Promise<void>;
  /** The aggregating indexes of the table with the bound name; absent if queries do not use indexes. */
  aggregatingIndexes?(boundName: string): Promise<readonly AggregatingIndex[]>;
  /**
   * Valid patterns among the values of a column, for the kernel to compile once each; none if that gains nothing. Absent if
   * queries are only described.
   */
  patternsOf?(column: PatternColumn): Promise<readonly string[]>;
  /** The session that contains every resolved table under its bound name, without rows, and the sequences, if any are given. */
  binder(sequences?: SessionSequences): Promise<BindingSession>;
  /** Creates an empty temp table in the binder's session and returns its name. */
  emptyRelation(columns: readonly KernelColumn[]): Promise<string>;
  /**
   * Registers files that several nodes may read (`RelationSource.scanId`) and returns their name in
   * `MANAGED_SCHEMA` of the binder.
   */
  fileScan(scanId: string, columns: readonly KernelColumn[]): Promise<string>;
}
