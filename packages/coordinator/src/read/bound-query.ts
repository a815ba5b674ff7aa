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

/** A query of the dialect that is to become one of the kernel, ready to run. */
export interface BindRequest {
  readonly sql: string;
  readonly parameters: readonly QueryParameter[];
  readonly uploads: ReadonlyMap<string, UploadedFile>;
  readonly directory: RequestDirectory;
  readonly settings: Settings;
  /** `database` is the one that names without one belong to. */
  readonly sessionValues: PrepareContext['sessionValues'];
  readonly preparedStatements?: StatementRequest['preparedStatements'];
  /** What names mean. Asked for at most once, when the query names a relation, and released with the bound query. */
  readonly snapshot: () => Promise<StatementSnapshot>;
  /**
   * The table that stands first in FROM (outside CTEs and subqueries) has the columns `"$tablet"` (INTEGER: position in
   * `BoundQuery.target.tablets`) and `"$row"` (BIGINT: position in the tablet's body) behind its own.
   */
  readonly rowPositionsOf?: 'first relation' | undefined;
  /** The id of the table that stands first in FROM, where its rows are replaced without being looked at: it needs no SELECT. */
  readonly blindTarget?: ObjectId | undefined;
  /**
   * The caller binds and runs the query once more when it fails with what `isUnfetchedColumn` knows: then columns that the
   * query names, but that nothing comes of, need not be fetched.
   */
  readonly canRunAgain?: boolean | undefined;
  /** As what it may run on several nodes; absent: it runs on this one. */
  readonly distributed?:
    | { readonly queryId: QueryId; readonly onProgress: (progress: ExecutionProgress) => void }
    | undefined;
  /**
   * Its rows are to be stored and not shown: where it runs on several nodes they may write them, and then `isStored`. Asked for
   * when the columns are known.
   */
  readonly storing?: ((query: Pick<BoundQuery, 'columns' | 'session'>) => Promise<RowStorage>) | undefined;
  /** With what it takes values of sequences; absent: it may not run, so that it takes none. */
  readonly draws?: SequenceDraw | undefined;
  /** On a kernel process of its own: the second attempt of a statement that may have killed the first one. */
  readonly quarantine?: boolean | undefined;
  /** Tells the client something that is no error; absent: it is not told. */
  readonly warn?: PrepareContext['warn'];
  readonly signal: AbortSignal;
}

/** How rows of a query are stored, instead of shown. */
export interface RowStorage {
  /** SQL of the kernel over the query's: the table's columns by their stored names, in order, with their types. */
  rows(sql: string): string;
  readonly sink: TabletSink;
}

/** A query that can run: everything it reads is there. */
export interface BoundQuery {
  /** The session that the query can run in, with no call under way; the bound query closes it. */
  readonly session: KernelSession;
  /** SQL of the kernel; its columns have the dialect's names, and types as `columns` says. */
  readonly sql: string;
  readonly params: KernelParams;
  readonly columns: readonly OutputColumn[];
  /** Its text is sent again and again, and the kernel may keep it prepared. */
  readonly isKept?: boolean | undefined;
  /** The table that stands first in FROM, with `rowPositionsOf`. */
  readonly target?: { readonly tableId: ObjectId; readonly tablets: readonly ScanTablet[] } | undefined;
  /** The relations that the text names itself, not through views: tables, views, external tables. */
  readonly relations: readonly RelationObject[];
  /** How each managed table is read. */
  readonly tables: readonly TableAccess[];
  /** What it reads of tables and files. */
  readonly scanned: ScanTotals;
  /** Those that it takes values of, if any: its rows must be computed once. */
  readonly sequences?: StatementSequences | undefined;
  /** The part of it that ran on several nodes before `sql`, which reads what came of it. */
  readonly executed?: ExecutedPlan | undefined;
  /** The rows are stored already: `sql` gives the tablets in place of them (`tabletOfRow`). */
  readonly isStored?: boolean | undefined;
  /** Files outside the managed store. */
  readonly files: readonly ReadFile[];
  /**
   * The error of running `sql` as the user should see it: naming files by their URLs, or why the query was cancelled.
   */
  explain(error: unknown): unknown;
  /** Always to be called; frees scans, snapshot and session. May be called again. */
  release(): Promise<void>;
}
