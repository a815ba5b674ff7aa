import type { KernelParams, KernelSession } from '@tessera/kernel';
import type { ReadCall, RelationSource } from '../reads/read-call.ts';
import type { Warn } from '../reads/stray-values.ts';
import type { RelationResolver } from '../relations/relation-resolver.ts';
import type { QueryParameter } from '../rewrites/parameters.ts';
import type { SequenceResolver } from '../rewrites/sequence-calls.ts';
import type { OutputColumn } from '../types/sql-type.ts';

/** The kernel's sequences that a statement uses, for sessions besides the one that it runs in. */
export interface SessionSequences {
  defineIn(session: KernelSession): Promise<void>;
}

export interface PrepareContext {
  readonly session: KernelSession;
  readonly settings: { readonly timezone: string };
  readonly parameters: readonly QueryParameter[];
  readonly sessionValues: {
    readonly account: string;
    readonly database: string;
    readonly engine: string;
    readonly user: string;
    readonly protocol?: 'postgres' | undefined;
  };
  /** Makes the file or files of a READ_* call readable by the kernel. */
  resolveRead(call: ReadCall): Promise<RelationSource>;
  /** Tells the client something that is no error; absent: it is not told. */
  readonly warn?: Warn | undefined;
  /** Absent: the query may not use sequences. */
  readonly sequences?: (SequenceResolver & SessionSequences) | undefined;
  /** Absent: no name in FROM is known but those of CTEs. */
  readonly relations?: RelationResolver | undefined;
}

/** A query for the kernel, and what it gives in terms of the dialect. */
export interface RunnableQuery {
  /** Its columns have the dialect's names and types. */
  readonly sql: string;
  readonly parameters: KernelParams;
  readonly columns: readonly OutputColumn[];
}

export interface PreparedQuery extends RunnableQuery {
  /**
   * Managed tables stand in it as `managed.<bound name>`, each exactly `tables` times, and are to be replaced by what
   * scans them.
   */
  readonly sql: string;
  /** By bound name: how often it stands in `sql`. */
  readonly tables: ReadonlyMap<string, number>;
  /** Names in lower case that may be those of columns; undefined where a star stands for all columns. */
  readonly namedColumns: ReadonlySet<string> | undefined;
  /** The query as the binder knows it, before its output is converted; absent when it reads no table. */
  readonly boundSql?: string | undefined;
  /**
   * `sql` over other SQL that gives the columns of `boundSql` by position: their names, and the dialect's types.
   */
  withOutput(boundOutput: string): string;
  /** What the running session has, as SQL of a query by the name of the empty table that stands for it in `boundSql`. */
  readonly sessionRelations: ReadonlyMap<string, string>;
  /**
   * For `ORDER BY … LIMIT n` over one table: SQL over the same bound name that gives `"$tablet"` and `"$row"` of at most
   * `rows` rows, of which the result is a part; it reads columns of no other names than `names` (in lower case).
   */
  readonly topRows?:
    | { readonly sql: string; readonly names: ReadonlySet<string>; readonly rows: number }
    | undefined;
  /**
   * Whether the query looks at the clock. `pinned`: at that of its preparation, which stands in it as a constant, so that it
   * is for one run. `free`: at the kernel's own, so that conclusions from `boundSql` on values of time may not hold.
   */
  readonly time: 'none' | 'pinned' | 'free';
  /** It computes one row over nothing, as `SELECT 42`. */
  readonly readsNothing: boolean;
}
