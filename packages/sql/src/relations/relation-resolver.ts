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

/** Where a query names something. */
export interface Mention {
  /** Id of the view whose query names it; undefined: the statement itself does. */
  readonly view: string | undefined;
  /** That names without one belong to. */
  readonly database: string;
  readonly location: SqlLocation | undefined;
}

/** What the catalog is for a statement; asked before anything is looked up in what it answers. */
export interface RelationResolver {
  /**
   * Undefined when there is no such relation.
   * @throws TesseraError UNDEFINED_TABLE and relatives where the reason is known better than "does not exist"; FORBIDDEN
   */
  resolve(name: RelationName, mention: Mention): Promise<ResolvedRelation | undefined>;
  /** @throws TesseraError UNDEFINED_OBJECT, FORBIDDEN */
  location(name: string, mention: Mention): Promise<StorageLocation>;
  /** Before a READ_* call of a URL that is no upload. @throws TesseraError FORBIDDEN */
  url(mention: Mention): Promise<void>;
  /** The session that knows every table that was resolved, by its bound name; rows it has none. */
  binder(): Promise<KernelSession>;
  /** Makes an empty temp table in the binder's session. */
  emptyRelation(columns: readonly KernelColumn[]): Promise<string>;
  /** The name in `MANAGED_SCHEMA` of the binder under which it knows files that several nodes may read (`RelationSource.scanId`). */
  fileScan(scanId: string, columns: readonly KernelColumn[]): Promise<string>;
}
