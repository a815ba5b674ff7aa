import type { SqlLocation } from '@tessera/common';
import type { KernelColumn, KernelSession } from '@tessera/kernel';
import type { ReadArguments, StorageLocation } from '../reads/read-arguments.ts';

/** A name in FROM that is no CTE, as written: parts that were not given are undefined. Names are folded already. */
export interface RelationName {
  readonly database: string | undefined;
  readonly schema: string | undefined;
  readonly name: string;
  readonly location: SqlLocation | undefined;
}

/** Schema of the binder under which it has the tables. */
export const MANAGED_SCHEMA = 'managed';

export interface TableRelation {
  readonly kind: 'table';
  /** The table's name in `MANAGED_SCHEMA` of the binder, where it is empty. Holds only `[a-z0-9_]`. */
  readonly boundName: string;
  readonly columns: readonly { readonly name: string; readonly nullable: boolean }[];
}

/** What a name stands for. */
export type ResolvedRelation =
  | TableRelation
  | {
      readonly kind: 'view';
      /** A query of the dialect; names without database in it belong to `database`. */
      readonly sql: string;
      readonly columnNames: readonly string[] | undefined;
      readonly database: string;
      /** Different views have different ones. */
      readonly id: string;
    }
  /** A temp table of the session. */
  | { readonly kind: 'temporary'; readonly name: string }
  /** Files outside, as if a READ_* call stood here; `columns` are declared: the kernel's types. */
  | {
      readonly kind: 'files';
      readonly call: ReadArguments;
      readonly columns: readonly { readonly name: string; readonly type: string }[];
    };

/** What the catalog is for a statement. */
export interface RelationResolver {
  /**
   * Undefined when there is no such relation. `isDirect`: in the statement itself, not in the query of a view.
   * @throws TesseraError UNDEFINED_TABLE and relatives where the reason is known better than "does not exist"
   */
  resolve(name: RelationName, database: string, isDirect: boolean): Promise<ResolvedRelation | undefined>;
  /** @throws TesseraError UNDEFINED_OBJECT */
  location(name: string, database: string): Promise<StorageLocation>;
  /** The session that knows every table that was resolved, by its bound name; rows it has none. */
  binder(): Promise<KernelSession>;
  /** Makes an empty temp table in the binder's session. */
  emptyRelation(columns: readonly KernelColumn[]): Promise<string>;
}
