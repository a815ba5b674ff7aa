import { type Kernel, quoteName } from '@tessera/kernel';
import type { ExternalSources } from '@tessera/object-store';
import { classifyStatement, type PrepareContext } from '@tessera/sql';
import { scannedBytes } from '@tessera/system-catalog';
import type { QueryBinder } from '../binder/query-binder.ts';
import { withFurtherAttempts } from '../queries/further-attempts.ts';
import type { RunningQuery } from '../queries/running-queries.ts';
import { plus } from '../queries/scan-totals.ts';
import type { BindRequest, ExecutableQuery } from '../read/executable-query.ts';
import { isUnfetchedColumn } from '../read/unfetched-column.ts';
import type { StatementRequest } from '../request/statement-request.ts';
import type { QueryStatistics, ResultChunk, RowsResult } from '../request/statement-result.ts';
import type { StatementSequences } from '../sequences/statement-sequences.ts';
import type { StatementSnapshot } from '../transactions/statement-snapshot.ts';
import { encodeResult } from './result-encoding.ts';

export interface QueryRunOptions {
  readonly binder: QueryBinder;
  readonly kernel: Kernel;
  readonly external: ExternalSources;
  readonly query: RunningQuery;
  readonly request: StatementRequest;
  readonly text: string;
  /**
   * The snapshot of the statement: that of its transaction, or the newest one. Only called if it reads
   * tables.
   */
  readonly snapshot: () => Promise<StatementSnapshot>;
  readonly sessionValues: PrepareContext['sessionValues'];
}

/** Runs one query up to the first chunk of its result. */
export const runQuery = (options: QueryRunOptions): Promise<RowsResult> =>
  withFurtherAttempts(options.query, (quarantine) => withColumns(options, quarantine));

/** Repeats the query with more columns if the kernel evaluates columns that the result does not depend on. */
async function withColumns(options: QueryRunOptions, quarantine: boolean): Promise<RowsResult> {
  try {
    return await attempt(options, { quarantine, canRunAgain: true });
  } catch (error) {
    if (!isUnfetchedColumn(error)) throw error;
    return attempt(options, { quarantine, canRunAgain: false });
  }
}

async function attempt(options: QueryRunOptions, how: HowToBind): Promise<RowsResult> {
  const { binder, text } = options;
  const statement = classifyStatement(text);
  const toBind = bindRequest(options, how);
  const bound = await (statement.kind === 'explain'
    ? binder.explain(toBind, statement)
    : binder.bind(toBind));
  if (statement.kind !== 'explain') return startedResult(options, bound);
  const { request } = options;
  const settings = { ...request.settings, max_result_rows: 0 };
  return startedResult({ ...options, request: { ...request, settings } }, bound);
}

/** Runs a bound query up to the first chunk of its result, which releases it. */
export async function startedResult(
  { query, request }: QueryRunOptions,
  bound: ExecutableQuery,
): Promise<RowsResult> {
  const leave = () => bound.release();
  const stopCounting = countScanned(query, bound);
  try {
    const startedAt = Date.now();
    const drawn = bound.sequences === undefined ? bound : await drawnRows(bound, bound.sequences);
    const encoded = encodeResult(drawn, request);
    const first = await encoded.next();
    return {
      kind: 'rows',
      columns: bound.columns,
      chunks: remaining(first, encoded, bound.explain, leave),
      statistics: () => statisticsOf(query, startedAt),
      close: leave,
    };
  } catch (error) {
    stopCounting();
    const explained = bound.explain(error);
    await leave();
    throw explained;
  }
}

/**
 * Rows with sequence values are computed completely before the first one is sent: if there are too few
 * values, they are computed again.
 */
async function drawnRows(bound: ExecutableQuery, sequences: StatementSequences): Promise<ExecutableQuery> {
  const { session, sql, params, columns } = bound;
  const names = columns.map((_, i) => `c${i}`);
  await session.execute(
    `CREATE TEMP TABLE drawn AS SELECT * FROM (${sql}) AS q(${names.join(', ')})`,
    params,
  );
  const items = await sequences.applySettings('drawn', names);
  const named = items.map((item, i) => `${item} AS ${quoteName(columns[i]!.name)}`);
  return { ...bound, sql: `SELECT ${named.join(', ')} FROM drawn`, params: [], isKept: false };
}

export type HowToBind = Pick<BindRequest, 'quarantine' | 'canRunAgain'>;

/** The request to bind the statement. */
export const bindRequest = (
  { query, request, text, snapshot, sessionValues }: QueryRunOptions,
  how: HowToBind,
): BindRequest => ({
  ...request,
  sql: text,
  snapshot,
  sessionValues,
  ...how,
  distributed: distributedQuery(query),
  warn: (message, resolution) => query.notices.warn(message, { resolution }),
  draws: { demand: query.demand, session: request.drawn, transactionId: request.transactionId },
  signal: query.signal,
});

/** The parameters of a query that may run on several nodes. */
export const distributedQuery = ({ queryId, activity }: RunningQuery): BindRequest['distributed'] => ({
  queryId,
  onProgress: (progress) => {
    activity.progress = progress;
  },
});

async function* remaining(
  first: IteratorResult<ResultChunk, void>,
  rest: AsyncGenerator<ResultChunk, void>,
  explained: (error: unknown) => unknown,
  leave: () => Promise<void>,
): AsyncGenerator<ResultChunk, void> {
  try {
    if (first.done) return;
    yield first.value;
    yield* rest;
  } catch (error) {
    throw explained(error);
  } finally {
    await leave();
  }
}

/**
 * Adds what a query reads to its request's totals; the returned function subtracts it again, for a query that
 * is repeated.
 */
export function countScanned(
  { activity }: RunningQuery,
  { scanned }: Pick<ExecutableQuery, 'scanned'>,
): () => void {
  const before = activity.scanned;
  activity.scanned = plus(before, scanned);
  return () => {
    activity.scanned = before;
  };
}

function statisticsOf(
  { submittedAt, activity: { scanned } }: RunningQuery,
  startedAt: number,
): QueryStatistics {
  const now = Date.now();
  const submitted = submittedAt.getTime();
  return {
    elapsed: (now - submitted) / 1000,
    timeBeforeExecution: (startedAt - submitted) / 1000,
    timeToExecute: (now - startedAt) / 1000,
    rowsRead: scanned.rows,
    bytesRead: scannedBytes(scanned),
    bytesFromCache: scanned.bytesFromCache,
    bytesFromStorage: scanned.bytesFromStorage,
  };
}
