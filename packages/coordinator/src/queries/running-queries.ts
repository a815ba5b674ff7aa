import {
  type QueryId,
  type RequestId,
  type Span,
  startTimer,
  TesseraError,
  type Timer,
} from '@tessera/common';
import type { AdmittedQuery } from '../admission/admission-control.ts';
import { Notices } from '../request/notices.ts';
import type { SessionUpdate } from '../request/statement-result.ts';
import { SequenceDemand } from '../sequences/sequence-demand.ts';
import { QueryActivity } from './query-history.ts';

interface QueryIdentity {
  readonly queryId: QueryId;
  readonly requestId: RequestId;
  readonly label: string;
  /** The user who sent it. */
  readonly user: string;
}

/**
 * The state of a query while it is in the engine, from the first byte of its request to the last byte of its
 * result.
 */
export interface RunningQuery extends QueryIdentity {
  readonly submittedAt: Date;
  /** Its present and past activity, for `information_schema`. */
  readonly activity: QueryActivity;
  /** The number of sequence values that it needs. */
  readonly demand: SequenceDemand;
  /** The notices of its statements for the client. */
  readonly notices: Notices;
  /** The admission slot of the running statement; undefined if there is no admission control. */
  admitted: AdmittedQuery | undefined;
  /** The session change that the answer carries, whether the request succeeded or failed. */
  session: SessionUpdate | undefined;
  /** Whether its client keeps results of earlier statements open: their memory is not free before this statement has ended. */
  holdsResults: boolean;
  /** The span of the query; undefined if its trace is not recorded. */
  span: Span | undefined;
  /** Aborts when the query must stop; its reason is the TesseraError for the client. */
  readonly signal: AbortSignal;
  cancel(reason: TesseraError): void;
  /** Cancels the query after this many milliseconds; 0 removes the deadline. */
  setDeadline(timeoutMs: number): void;
}

/** The queries of this node. A draining node waits until all of them have ended. */
export class RunningQueries {
  readonly #queries = new Map<QueryId, RunningQuery>();
  readonly #idleWaiters = new Set<() => void>();

  get size(): number {
    return this.#queries.size;
  }

  /** @throws TesseraError QUERY_ID_IN_USE */
  add(identity: QueryIdentity): RunningQuery {
    const { queryId } = identity;
    if (this.#queries.has(queryId)) throw TesseraError.of('QUERY_ID_IN_USE', { queryId });
    const query = newRunningQuery(identity);
    this.#queries.set(identity.queryId, query);
    return query;
  }

  remove(queryId: QueryId): void {
    this.#queries.get(queryId)?.setDeadline(0);
    this.#queries.delete(queryId);
    if (this.#queries.size > 0) return;
    for (const waiter of this.#idleWaiters) waiter();
    this.#idleWaiters.clear();
  }

  all(): readonly RunningQuery[] {
    return [...this.#queries.values()];
  }

  /** Returns false if no such query runs, or only one of another user than `ofUser`. */
  cancel(queryId: QueryId, reason: TesseraError, ofUser?: string): boolean {
    const query = this.#queries.get(queryId);
    if (query === undefined || (ofUser !== undefined && query.user !== ofUser)) return false;
    query.cancel(reason);
    return true;
  }

  cancelAll(reason: TesseraError): void {
    for (const query of this.#queries.values()) query.cancel(reason);
  }

  /** Resolves once no query runs. */
  idle(): Promise<void> {
    if (this.#queries.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.add(resolve));
  }
}

function newRunningQuery(identity: QueryIdentity): RunningQuery {
  const abort = new AbortController();
  const activity = new QueryActivity();
  activity.user = identity.user;
  let deadline: Timer | undefined;
  return {
    ...identity,
    submittedAt: new Date(),
    activity,
    demand: new SequenceDemand(),
    notices: new Notices(),
    admitted: undefined,
    session: undefined,
    holdsResults: false,
    span: undefined,
    signal: abort.signal,
    cancel: (reason) => abort.abort(reason),
    setDeadline: (timeoutMs) => {
      deadline?.clear();
      if (timeoutMs === 0) return;
      deadline = startTimer(
        () => abort.abort(TesseraError.of('STATEMENT_TIMEOUT', { timeoutMs })),
        timeoutMs,
      );
    },
  };
}
