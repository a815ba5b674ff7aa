import type { QueryId } from '@tessera/common';
import type { ExecutionProgress } from '@tessera/scheduler';
import type { PrepareContext } from '@tessera/sql';
import type { StatementRequest } from '../request/statement-request.ts';
import type { StatementSnapshot } from '../transactions/statement-snapshot.ts';
import type { RunningQuery } from './running-queries.ts';

/**
 * One statement of a request, with everything that holds for all queries which it runs. It is made once, never
 * changed, and passed whole.
 */
export interface StatementContext {
  readonly query: RunningQuery;
  readonly request: StatementRequest;
  /** The text of the statement, or of a query that was generated for it. */
  readonly text: string;
  /**
   * The snapshot of the statement: that of its transaction, or the newest one. Called at most once for each
   * query, and only if the query names a relation; released with the query.
   */
  readonly snapshot: () => Promise<StatementSnapshot>;
  /** `database` is the database of unqualified names. */
  readonly sessionValues: PrepareContext['sessionValues'];
}

/** The id under which nodes run tasks of the query, and where its progress is recorded. */
export const distributedQuery = ({
  queryId,
  activity,
}: RunningQuery): {
  readonly queryId: QueryId;
  readonly onRun: (progress: () => ExecutionProgress) => void;
} => ({
  queryId,
  onRun: (progress) => activity.progress.observeStages(progress),
});
