import type { BindingSession, FewRows, KernelColumn, KernelParams } from '@tessera/kernel';
import type { ReadArguments } from '../reads/read-arguments.ts';
import type { ReadCall, RelationSource } from '../reads/read-call.ts';
import type { Warn } from '../reads/stray-values.ts';
import type { QueryParameter } from '../rewrites/parameters.ts';
import type { OutputColumn } from '../types/sql-type.ts';
import type { AggregatingIndex, RelationResolver, SessionSequences } from './relation-resolver.ts';
import type { SequenceResolver } from './sequence-calls.ts';

export interface PrepareContext {
  readonly session: BindingSession;
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
  /**
   * Determines how to read an upload that FROM names without a function, from its name and its content. If absent, FROM
   * cannot name files.
   * @throws TesseraError FILE_NOT_FOUND, BAD_FILE
   */
  readonly recogniseUpload?: ((url: string) => Promise<ReadArguments>) | undefined;
  /** Completes the arguments for a file that is no upload: those of a CSV file follow from its first lines. */
  readonly recogniseFile?: ((args: ReadArguments) => Promise<ReadArguments>) | undefined;
  /** Sends the client a warning. If absent, warnings are dropped. */
  readonly warn?: Warn | undefined;
  /** If absent, the query may not use sequences. */
  readonly sequences?: (SequenceResolver & SessionSequences) | undefined;
  /** If absent, FROM may only name CTEs. */
  readonly relations?: RelationResolver | undefined;
  /** The number of characters beyond which the text of a view throws `LongView`; if absent, no text does. */
  readonly longestView?: number | undefined;
}

/** The statement reads a view whose text is so long that it is prepared in a thread. */
export class LongView extends Error {
  constructor() {
    super('a view with a long text is prepared in a thread');
  }
}

/** A query for the kernel, with its result columns in terms of the dialect. */
export interface RunnableQuery {
  /** SQL of the kernel. Its columns have the dialect's names and types. */
  readonly sql: string;
  readonly parameters: KernelParams;
  readonly columns: readonly OutputColumn[];
}

/** What a query does with an aggregating index of one of its tables. */
export interface IndexUse {
  readonly index: string;
  readonly table: string;
  /** The number of rows that it reads with the index. */
  readonly rows: AggregatingIndex['rows'];
  /** The reason why it does not use the index; undefined if it does. */
  readonly reason: string | undefined;
}

/** The column that comes first in ORDER BY. */
export interface TopRowsKey {
  /** In lower case. */
  readonly column: string;
  readonly isDescending: boolean;
}

/** A prepared query without functions, as another thread can give it. */
export interface QueryData extends RunnableQuery {
  /**
   * The query with managed tables as `managed.<bound name>`, each exactly `tables` times. They must be
   * replaced by the SQL that scans them before it runs.
   */
  readonly sql: string;
  /** The number of references to each table in `sql`, by bound name. */
  readonly tables: ReadonlyMap<string, number>;
  /** See `columnNames`. */
  readonly namedColumns: ReadonlySet<string> | undefined;
  /** The query as the binder knows it, before its output is converted; absent if it reads no table. */
  readonly boundSql?: string | undefined;
  /** The columns of `boundSql`. */
  readonly bound: readonly ConvertedColumn[];
  /**
   * Relations that exist only in the running session: the query for each, by the name of the empty table that
   * represents it in `boundSql`.
   */
  readonly sessionRelations: ReadonlyMap<string, string>;
  /**
   * For `ORDER BY … LIMIT n` over one table: SQL over the same bound name that returns `"$tablet"` and
   * `"$row"` of at most `rows` rows, a superset of the result, and `"$key"`, the value of `key`. It only reads columns
   * whose names are in `names` (lower case).
   */
  readonly topRows?:
    | {
        readonly sql: string;
        readonly key: TopRowsKey | undefined;
        readonly names: ReadonlySet<string>;
        readonly rows: number;
      }
    | undefined;
  /**
   * Whether the query reads the clock. `pinned`: it contains the time of its preparation as a constant, so it
   * is valid for one run. `free`: it reads the kernel's clock, so conclusions from `boundSql` about time
   * values may not hold.
   */
  readonly time: 'none' | 'pinned' | 'free';
  /** The current date that the query contains as a constant, so that it is valid for that day; as in 2026-11-21. */
  readonly date?: string | undefined;
  /**
   * The first part of the query whose value may change although the tables do not: the name of a function such as
   * `random`, or `TABLESAMPLE`. Undefined if there is none, or if the query reads no table.
   */
  readonly unstable?: string | undefined;
  /** The aggregating indexes of the tables that it reads, and which of them it uses. */
  readonly indexes: readonly IndexUse[];
  /** Whether the query returns one row without reading anything, as `SELECT 42`. */
  readonly readsNothing: boolean;
  /** Whether a kernel that keeps it prepared keeps neither hash tables nor rows: it aggregates all rows of one relation. */
  readonly keepsNoRows: boolean;
  /** Whether it returns no more rows than one vector of the kernel: by its LIMIT, as an aggregate without groups, or perhaps. */
  readonly fewRows: FewRows;
}

/** A column of the kernel, whose values may have to become another type of the kernel first. */
export interface ConvertedColumn extends KernelColumn {
  readonly convertTo?: string;
}

export interface PreparedQuery extends Omit<QueryData, 'bound'> {
  /**
   * `sql` over other SQL that returns the columns of `boundSql` by position: it adds their names and the
   * dialect's types.
   */
  withOutput(boundOutput: string): string;
}
