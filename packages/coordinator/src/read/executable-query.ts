import type { ObjectId, RelationObject } from '@tessera/catalog';
import type { TabletSink } from '@tessera/distexec';
import type { FewRows, KernelParams, KernelSession } from '@tessera/kernel';
import type { ExecutedPlan } from '@tessera/scheduler';
import type { OutputColumn } from '@tessera/sql';
import type { ScanTablet } from '@tessera/storage-agent';
import type { ScanTotals } from '@tessera/system-catalog';
import type { KeptRows } from '../reuse/kept-parts.ts';
import type { CachedResult, Reuse } from '../reuse/result-cache.ts';
import type { StatementSequences } from '../sequences/statement-sequences.ts';
import type { BoundQuery } from './bound-query.ts';
import type { ReadFile } from './read-file.ts';
import type { TableAccess } from './table-access.ts';

/** How a query of a statement is bound and made executable. */
export interface ExecutionOptions {
  /**
   * The table that stands first in FROM (outside CTEs and subqueries) gets the additional columns `"$tablet"`
   * (INTEGER: position in `ExecutableQuery.target.tablets`) and `"$row"` (BIGINT: position in the tablet's
   * body).
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
  /**
   * Set if its rows are stored and not returned: on several nodes, the nodes may write them, which sets
   * `isStored`. Called when the columns are known.
   */
  readonly storing?:
    | ((query: Pick<ExecutableQuery, 'columns' | 'session'>) => Promise<RowStorage>)
    | undefined;
  /** Whether the result may be one that was computed for an earlier query: see `ExecutableQuery.reused`. */
  readonly mayReuse?: boolean | undefined;
  /** Whether it is a part of another query, whose rows are kept: `ExecutableQuery.part` is then set. */
  readonly isPart?: boolean | undefined;
  /** The parts of the query that are read from kept rows, by their names in `PARTS_SCHEMA`. */
  readonly parts?: ReadonlyMap<string, KeptRows> | undefined;
  /** Whether tasks on several nodes measure their operators (`TaskOutcome.profile`). */
  readonly profiled?: boolean | undefined;
  /** Whether the caller can read the rows part by part (`ExecutableQuery.streamed`). */
  readonly streams?: boolean | undefined;
  /**
   * Called if the query was not bound because earlier ones differ from it in literals only. Its errors then have no place
   * in the text: the caller binds it again, without this option, to report them.
   */
  readonly onLiteralPlan?: (() => void) | undefined;
  /** Whether the query is only bound or described: it then takes no sequence values. */
  readonly neverRuns?: boolean | undefined;
  /**
   * Whether it runs in quarantine: the second attempt of a statement that may have crashed a kernel process.
   */
  readonly quarantine?: boolean | undefined;
}

/** How rows of a query are stored, instead of shown. */
export interface RowStorage {
  /** SQL of the kernel over the query's: the table's columns by their stored names, in order, with their types. */
  rows(sql: string): string;
  readonly sink: TabletSink;
}

/** Rows that are read while nodes compute them. */
export interface StreamedRows {
  /** Each part is read with its SQL, then released before the next one is requested. */
  readonly parts: AsyncIterable<{ readonly sql: string; release(): Promise<void> }>;
  /**
   * What was read from tables and files; known when all parts have been read. Nothing is counted if the reader ended before
   * the rows did.
   */
  scanned(): Promise<ScanTotals>;
}

/** A query with a session of its own, and with all data that it reads available. */
export interface ExecutableQuery {
  /** The session for running the query, with no call in progress; the query closes it. */
  readonly session: KernelSession;
  /** SQL of the kernel; its columns have the dialect's names, and the types in `columns`. */
  readonly sql: string;
  readonly params: KernelParams;
  readonly columns: readonly OutputColumn[];
  /** The result, if an earlier query has computed it; nothing is then ready to run, and `sql` is empty. */
  readonly reused?: CachedResult | undefined;
  /** Under which key the result may be kept for later queries; undefined without `mayReuse`. */
  readonly reuse?: Reuse | undefined;
  /** The bound query and its key, which decide whether its rows may be kept as those of a part. Set if `isPart` was given. */
  readonly part?: { readonly bound: BoundQuery; readonly reuse: Reuse } | undefined;
  /** Whether the same text is sent repeatedly, so that the kernel may keep it prepared. */
  readonly isKept?: boolean | undefined;
  /** This and the next one as in `KernelSession.query`. */
  readonly isFixed?: boolean | undefined;
  readonly fewRows?: FewRows | undefined;
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
  /** Set if nodes still compute the rows: they are then read part by part, not with `sql`. */
  readonly streamed?: StreamedRows | undefined;
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

/** The part of an executable query that is decided when its data is available. */
export type ReadableQuery = Pick<
  ExecutableQuery,
  'sql' | 'isFixed' | 'tables' | 'target' | 'executed' | 'isStored' | 'streamed'
> & {
  /** The rows and bytes that nodes read of files outside the managed store. */
  readonly readInParts?: ScanTotals | undefined;
};
