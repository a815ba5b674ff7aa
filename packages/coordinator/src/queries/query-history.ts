import { measurement, type NodeName, type QueryId, type RequestId } from '@tessera/common';
import { normalizedSql, redactedSql } from '@tessera/sql';
import type { FinishedQuery, QueryFacts } from '@tessera/system-catalog';
import { type HistoryPlace, StoredHistory } from '../history/stored-history.ts';
import { NOTHING_SCANNED } from './scan-totals.ts';
import { StatementProgress } from './statement-progress.ts';

const MAX_TEXT = 65_536;
const SAVE_EVERY_MS = 5_000;
const SYSTEM_QUERY = /^\s*(?:SET|RESET|SHOW|USE|DESCRIBE|DESC)\b|\binformation_schema\s*\./i;

/** The counters of one query while it runs. */
export class QueryActivity {
  user = '';
  userId: string | undefined;
  text = '';
  startedAt: Date | undefined;
  /** The totals of all statements of the request so far. */
  scanned = NOTHING_SCANNED;
  insertedRows = 0;
  insertedBytes = 0;
  spilledBytes = 0;
  isReused = false;
  /** The number of parts of queries that were read from kept rows. */
  reusedParts = 0;
  returnedRows = 0;
  returnedBytes = 0;
  retries = 0;
  isQueued = false;
  queuedMicroseconds = 0;
  readonly progress = new StatementProgress();
  error: Error | undefined;

  /** Records the start of the statement, once its request has arrived completely. */
  start({ user, userId }: Pick<QueryFacts, 'user' | 'userId'>, text: string): void {
    this.user = user;
    this.userId = userId;
    const shown = redactedSql(text);
    this.text = shown.length > MAX_TEXT ? shown.slice(0, MAX_TEXT) : shown;
    this.startedAt ??= new Date();
  }

  fail(error: unknown): void {
    this.error ??= error instanceof Error ? error : new Error(String(error));
  }
}

/** A statement, or several of one request, that has left the engine. */
export interface QueryEnd {
  readonly queryId: QueryId;
  readonly label: string;
  readonly user: string;
  readonly durationMs: number;
  readonly queuedMs: number;
  readonly rowsRead: number;
  readonly bytesRead: number;
  readonly rowsReturned: number;
  readonly bytesReturned: number;
  readonly rowsInserted: number;
  readonly retries: number;
  /** `ok`, or the name of the error. */
  readonly outcome: string;
}

export const queryEnds = measurement<QueryEnd>('query');

function endOf({ facts, endedAt }: EndedQuery, error: Error | undefined): QueryEnd {
  const { scanned } = facts;
  return {
    queryId: facts.queryId,
    label: facts.label,
    user: facts.user,
    durationMs: endedAt.getTime() - facts.submittedAt.getTime(),
    queuedMs: Math.round(facts.queuedMicroseconds / 1_000),
    rowsRead: scanned.rows,
    bytesRead: scanned.bytesFromCache + scanned.bytesFromStorage + scanned.bytesFromFiles,
    rowsReturned: facts.returnedRows,
    bytesReturned: facts.returnedBytes,
    rowsInserted: facts.insertedRows,
    retries: facts.retries,
    outcome: error?.name ?? 'ok',
  };
}

interface QueryInEngine {
  readonly queryId: QueryId;
  readonly requestId: RequestId;
  readonly label: string;
  readonly submittedAt: Date;
  readonly signal: AbortSignal;
  readonly activity: QueryActivity;
}

/** The present facts of a query, without its progress. */
function queryFacts({ queryId, requestId, label, submittedAt, activity }: QueryInEngine): QueryFacts {
  const { error: _error, progress: _progress, ...counters } = activity;
  return { queryId, requestId, label, submittedAt, ...counters };
}

/** The present facts of a running query. */
export const runningFacts = async (query: QueryInEngine): Promise<QueryFacts> => ({
  ...queryFacts(query),
  progress: await query.activity.progress.now(),
});

/** The latest queries of all nodes of the cluster that have ended. */
export class QueryHistory {
  readonly #nodeName: () => NodeName;
  readonly #ended: StoredHistory<EndedQuery>;

  /**
   * @param nodeName the name of this node
   * @param place if undefined, the history is that of this process
   */
  constructor(nodeName: () => NodeName, place?: HistoryPlace) {
    this.#nodeName = nodeName;
    this.#ended = new StoredHistory({
      kind: 'queries',
      place,
      saveEveryMs: SAVE_EVERY_MS,
      timeOf: ({ endedAt }) => endedAt,
      lengthOf: ({ facts }) => facts.text.length,
      fromJson: restored,
    });
  }

  add(query: QueryInEngine): void {
    const { activity, signal } = query;
    if (activity.text === '') return;
    const error = activity.error ?? (signal.aborted ? (signal.reason as Error) : undefined);
    const status =
      error === undefined ? 'ENDED_SUCCESSFULLY' : error.name === 'QUERY_CANCELLED' ? 'CANCELED' : 'FAILED';
    const ended = {
      node: this.#nodeName(),
      facts: queryFacts(query),
      status,
      endedAt: new Date(),
      errorMessage: error?.message,
    } as const;
    queryEnds.emit(endOf(ended, error));
    this.#ended.add(ended);
  }

  /** The queries of users whose queries may be seen, oldest first. */
  async readBy(mayRead: (query: QueryFacts) => boolean): Promise<readonly FinishedQuery[]> {
    const records = await this.#ended.records();
    const normalized = new Map<string, string>();
    return records
      .filter(({ facts }) => mayRead(facts))
      .map(({ facts, ...end }) => {
        const { text } = facts;
        const normalizedText = normalized.get(text) ?? normalizedSql(text);
        normalized.set(text, normalizedText);
        return { ...facts, ...end, normalizedText, isSystemQuery: SYSTEM_QUERY.test(text) };
      });
  }

  close(): Promise<void> {
    return this.#ended.close();
  }
}

/** A record with the times that JSON holds as texts. */
const restored = ({ facts, endedAt, ...rest }: EndedQuery): EndedQuery => ({
  ...rest,
  facts: {
    ...facts,
    // Earlier versions did not record it.
    isReused: facts.isReused ?? false,
    submittedAt: new Date(facts.submittedAt),
    startedAt: facts.startedAt && new Date(facts.startedAt),
  },
  endedAt: new Date(endedAt),
});

interface EndedQuery {
  readonly node: NodeName;
  readonly facts: QueryFacts;
  readonly status: FinishedQuery['status'];
  readonly endedAt: Date;
  readonly errorMessage: string | undefined;
}
