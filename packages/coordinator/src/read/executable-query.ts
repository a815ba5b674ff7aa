import type { ObjectId, RelationObject } from '@tessera/catalog';
import type { QueryId } from '@tessera/common';
import type { TabletSink } from '@tessera/distexec';
import type { KernelParams, KernelSession } from '@tessera/kernel';
import type { ExecutedPlan, ExecutionProgress } from '@tessera/scheduler';
import type { OutputColumn, PrepareContext, QueryParameter } from '@tessera/sql';
import type { ScanTablet } from '@tessera/storage-agent';
import type { ScanTotals } from '@tessera/system-catalog';
import type { Settings } from '../request/settings.ts';
import type { RequestDirectory, StatementRequest, UploadedFile } from '../request/statement-request.ts';
import type { SequenceDraw, StatementSequences } from '../sequences/statement-sequences.ts';
import type { StatementSnapshot } from '../transactions/statement-snapshot.ts';
import type { ReadFile } from './read-resolution.ts';
import type { TableAccess } from './table-access.ts';

/** A request to bind a query of the dialect. */
export interface BindRequest {
  readonly sql: string;
  readonly parameters: readonly QueryParameter[];
  readonly uploads: ReadonlyMap<string, UploadedFile>;
  readonly directory: RequestDirectory;
  readonly settings: Settings;
  /** `database` is the database of unqualified names. */
  readonly sessionValues: PrepareContext['sessionValues'];
  readonly preparedStatements?: StatementRequest['preparedStatements'];
  /**
   * The snapshot that resolves names. Called at most once, if the query names a relation; released with the
   * bound query.
   */
  readonly snapshot: () => Promise<StatementSnapshot>;
  /**
   * The table that stands first in FROM (outside CTEs and subqueries) gets the additional columns `"$tablet"`
   * (INTEGER: position in `ExecutableQuery.target.tablets`) and `"$row"` (BIGINT: position in the tablet's body).
   */
  readonly rowPositionsOf?: 'first relation' | undefined;
  /**
   * The id of the table that stands first in FROM, if its rows are replaced without being read: it then
   * requires no SELECT.
   */
  readonly blindTarget?: ObjectId | undefined;
  /**
   * Whether the caller binds and runs the query again if it fails with an error that `isUnfetchedColumn`
   * recognises. Columns that the query names but does not need are then not fetched.
   */
  readonly canRunAgain?: boolean | undefined;
  /** The parameters for running on several nodes; if absent, it runs on this one. */
  readonly distributed?:
    | { readonly queryId: QueryId; readonly onProgress: (progress: ExecutionProgress) => void }
    | undefined;
  /**
   * Set if its rows are stored and not returned: on several nodes, the nodes may write them, which sets
   * `isStored`. Called when the columns are known.
   */
  readonly storing?:
    | ((query: Pick<ExecutableQuery, 'columns' | 'session'>) => Promise<RowStorage>)
    | undefined;
  /** The context for sequence values; if absent, the query may not run and takes none. */
  readonly draws?: SequenceDraw | undefined;
  /**
   * Whether it runs in quarantine: the second attempt of a statement that may have crashed a kernel process.
   */
  readonly quarantine?: boolean | undefined;
  /** Sends the client a warning; if absent, warnings are dropped. */
  readonly warn?: PrepareContext['warn'];
  readonly signal: AbortSignal;
}

/** How rows of a query are stored, instead of shown. */
export interface RowStorage {
  /** SQL of the kernel over the query's: the table's columns by their stored names, in order, with their types. */
  rows(sql: string): string;
  readonly sink: TabletSink;
}

/** A query with a session of its own, and with all data that it reads available. */
export interface ExecutableQuery {
  /** The session for running the query, with no call in progress; the bound query closes it. */
  readonly session: KernelSession;
  /** SQL of the kernel; its columns have the dialect's names, and the types in `columns`. */
  readonly sql: string;
  readonly params: KernelParams;
  readonly columns: readonly OutputColumn[];
  /** Whether the same text is sent repeatedly, so that the kernel may keep it prepared. */
  readonly isKept?: boolean | undefined;
  /** The table that stands first in FROM, if `rowPositionsOf` was requested. */
  readonly target?: { readonly tableId: ObjectId; readonly tablets: readonly ScanTablet[] } | undefined;
  /** The relations that the text names itself, not through views: tables, views, external tables. */
  readonly relations: readonly RelationObject[];
  /** How each managed table is read. */
  readonly tables: readonly TableAccess[];
  /** The totals of what it reads from tables and files. */
  readonly scanned: ScanTotals;
  /** The sequences that it takes values from, if any: its rows must then be computed only once. */
  readonly sequences?: StatementSequences | undefined;
  /** The part that ran on several nodes; `sql` reads its output. */
  readonly executed?: ExecutedPlan | undefined;
  /** Whether the rows are already stored: `sql` then returns the tablets instead (`tabletOfRow`). */
  readonly isStored?: boolean | undefined;
  /** The files outside the managed store. */
  readonly files: readonly ReadFile[];
  /**
   * Translates an error of running `sql` for the user: with URLs of files, or with the reason of a
   * cancellation.
   */
  explain(error: unknown): unknown;
  /** Must always be called; releases scans, snapshot and session. May be called repeatedly. */
  release(): Promise<void>;
}
