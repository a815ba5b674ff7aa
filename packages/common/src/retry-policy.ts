import type { ErrorName } from './error-table.ts';
import { TesseraError } from './errors.ts';

/**
 * The work that the engine may retry by itself: an attempt at a query, a task of a distributed query, a run of
 * all its tasks, a fetch of a task's output, the commit of a change, a request to the leader of the metadata
 * log.
 */
export type RetriedWork = 'query' | 'task' | 'run' | 'fetch' | 'commit' | 'metadata';

/**
 * The place of a retry. `quarantine`: in the quarantine process, where queries run one at a time. `elsewhere`:
 * on another node. `alone`: without other tasks of the query at the same time. `again`: in the same place.
 * `newer snapshot`: computed again from a newer snapshot. `next leader`: at the node that leads by then.
 */
export type RetryPlace = 'quarantine' | 'elsewhere' | 'alone' | 'again' | 'newer snapshot' | 'next leader';

export interface Retry {
  readonly place: RetryPlace;
  /** The total number of attempts; undefined if the work itself limits them, by number or by time. */
  readonly attempts?: number;
}

/** The attempts at a commit that conflicts every time. */
const MAX_COMMIT_ATTEMPTS = 20;

/**
 * One row for each error that is treated differently from its retry class. The classes: after `task`, a task is
 * retried elsewhere and a fetch in the same place; after `query`, a fetch is retried.
 */
const POLICY: Readonly<Partial<Record<ErrorName, Partial<Record<RetriedWork, Retry | 'never'>>>>> = {
  // Any query of the process may have caused it, so each runs once more where it can only harm itself.
  KERNEL_LOST: { query: { place: 'quarantine', attempts: 2 }, task: { place: 'elsewhere' } },
  OUT_OF_MEMORY: { query: { place: 'quarantine', attempts: 2 }, task: { place: 'alone' } },
  DISK_FULL: { task: { place: 'elsewhere' } },
  DRAINING: { task: { place: 'elsewhere' } },
  NOT_READY: { task: { place: 'elsewhere' } },
  // The run did not cancel the task, so its node is stopping.
  QUERY_CANCELLED: { task: { place: 'elsewhere' } },
  // The lost output is computed again before its reader.
  FETCH_FAILED: { run: { place: 'elsewhere' }, fetch: 'never' },
  // The run is planned again for the remaining nodes.
  NODE_LOST: { run: { place: 'elsewhere' } },
  NODE_RESTARTED: { run: { place: 'elsewhere' } },
  TRANSACTION_CONFLICT: { commit: { place: 'newer snapshot', attempts: MAX_COMMIT_ATTEMPTS } },
  DUPLICATE_OBJECT: { commit: { place: 'newer snapshot', attempts: MAX_COMMIT_ATTEMPTS } },
  NOT_LEADER: { metadata: { place: 'next leader' } },
  // Another process may have taken the address of a former leader; the next leader will have another one.
  UNAUTHENTICATED: { metadata: { place: 'next leader' } },
  METADATA_UNAVAILABLE: { metadata: { place: 'next leader' } },
  STORAGE_UNAVAILABLE: { metadata: { place: 'next leader' } },
};

/** Decides whether and how the engine retries failed work; undefined if it reports the failure. */
export function retryDecision(error: unknown, work: RetriedWork): Retry | undefined {
  if (!(error instanceof TesseraError)) return undefined;
  const decision = POLICY[error.name]?.[work] ?? byClass(error, work);
  return decision === 'never' ? undefined : decision;
}

function byClass({ retry }: TesseraError, work: RetriedWork): Retry | 'never' {
  if (work === 'task') return retry === 'task' ? { place: 'elsewhere' } : 'never';
  if (work === 'fetch') return retry === 'task' || retry === 'query' ? { place: 'again' } : 'never';
  return 'never';
}
