import { tracedIfLong } from '@tessera/common';
import { type Kernel, quoteName } from '@tessera/kernel';
import type { ExternalSources } from '@tessera/object-store';
import { classifyStatement, type QueryDescription, type SqlType } from '@tessera/sql';
import { scannedBytes } from '@tessera/system-catalog';
import type { QueryBinder } from '../binder/query-binder.ts';
import { retryInQuarantine } from '../queries/retry-in-quarantine.ts';
import type { RunningQuery } from '../queries/running-queries.ts';
import { plus } from '../queries/scan-totals.ts';
import type { StatementContext } from '../queries/statement-context.ts';
import type { ExecutableQuery, ExecutionOptions, StreamedRows } from '../read/executable-query.ts';
import { isUnfetchedColumn } from '../read/query-failure.ts';
import type { QueryStatistics, ResultChunk, RowsResult } from '../request/statement-result.ts';
import type { StatementSequences } from '../sequences/statement-sequences.ts';
import { readAhead } from './read-ahead.ts';
import { encodeResult, encodeStreamedResult, isStreamable } from './result-encoding.ts';
import { withLiteralPlan } from './with-literal-plan.ts';

/** A statement on this node, with what runs its queries. */
export interface StatementRun extends StatementContext {
  readonly binder: QueryBinder;
  readonly kernel: Kernel;
  readonly external: ExternalSources;
}

/** Options for describing a query that represents another statement. */
export interface DescribedAs extends Pick<ExecutionOptions, 'rowPositionsOf' | 'blindTarget'> {
  /** The types of the columns that the subquery in FROM is assigned to. */
  readonly asked?: readonly SqlType[];
}

/**
 * The parameters and columns of a query, as far as they follow from its text and the schemas of its files.
 */
export const describeQuery = (
  run: StatementRun,
  { asked, ...options }: DescribedAs = {},
): Promise<QueryDescription> =>
  retryInQuarantine(run.query, (quarantine) => run.binder.describe(run, { quarantine, ...options }, asked));

/** Runs one query up to the first chunk of its result. */
export const runQuery = (run: StatementRun): Promise<RowsResult> =>
  retryInQuarantine(run.query, async (quarantine) => {
    const result = await withLiteralPlan((options) => withColumns(run, { quarantine, ...options }));
    // The next query in quarantine waits until the session of this one is closed.
    return quarantine ? readAhead(result, await run.request.directory.open()) : result;
  });

/** Repeats the query with more columns if the kernel evaluates columns that the result does not depend on. */
async function withColumns(run: StatementRun, given: ExecutionOptions): Promise<RowsResult> {
  const options = { ...given, streams: isStreamable(run.request) };
  try {
    return await attempt(run, { ...options, canRunAgain: true });
  } catch (error) {
    if (!isUnfetchedColumn(error)) throw error;
    return attempt(run, { ...options, canRunAgain: false });
  }
}

async function attempt(run: StatementRun, options: ExecutionOptions): Promise<RowsResult> {
  const { binder, text, request } = run;
  const statement = classifyStatement(text);
  if (statement.kind !== 'explain') return reusableResult(run, options);
  const settings = { ...request.settings, max_result_rows: 0 };
  const explaining = await binder.explain(run, statement, options);
  return startedResult({ ...run, request: { ...request, settings } }, explaining);
}

/** A query whose result comes from the cache if an earlier query has computed it, and is kept there otherwise. */
async function reusableResult(run: StatementRun, options: ExecutionOptions): Promise<RowsResult> {
  const { query, binder } = run;
  const startedAt = Date.now();
  const executable = await binder.executable(run, { ...options, mayReuse: true });
  const { reused, reuse } = executable;
  if (reused !== undefined) {
    await executable.release();
    query.activity.isReused = true;
    return {
      kind: 'rows',
      columns: reused.columns,
      chunks: chunksOf(reused.chunks),
      statistics: () => statisticsOf(query, startedAt),
      close: async () => undefined,
    };
  }
  const result = await startedResult(run, executable);
  if (reuse === undefined) return result;
  const scannedRows = executable.scanned.rows;
  return binder.results.keeping(result, { reuse, scannedRows, costMs: Date.now() - startedAt });
}

async function* chunksOf(chunks: readonly ResultChunk[]): AsyncGenerator<ResultChunk, void> {
  yield* chunks;
}

/** Runs an executable query up to the first chunk of its result, which releases it. */
export async function startedResult(
  { query, request }: StatementContext,
  executable: ExecutableQuery,
): Promise<RowsResult> {
  const release = () => executable.release();
  const stopCounting = countScanned(query, executable);
  try {
    const startedAt = Date.now();
    const drawn =
      executable.sequences === undefined ? executable : await drawnRows(executable, executable.sequences);
    const { streamed } = drawn;
    const encoded =
      streamed === undefined
        ? encodeResult(drawn, request)
        : encodeStreamedResult(drawn, streamed.parts, request);
    const first = await tracedIfLong('execute', () => encoded.next());
    return {
      kind: 'rows',
      columns: executable.columns,
      chunks: remaining(first, counting(encoded, query, streamed), executable.explain, release),
      statistics: () => statisticsOf(query, startedAt),
      close: release,
    };
  } catch (error) {
    stopCounting();
    const explained = executable.explain(error);
    await release();
    throw explained;
  }
}

/** Counts what a streamed result has read of tables when it has been read. */
async function* counting(
  chunks: AsyncGenerator<ResultChunk, void>,
  query: RunningQuery,
  streamed: StreamedRows | undefined,
): AsyncGenerator<ResultChunk, void> {
  yield* chunks;
  if (streamed !== undefined) countScanned(query, { scanned: await streamed.scanned() });
}

/**
 * Rows with sequence values are computed completely before the first one is sent: if there are too few
 * values, they are computed again.
 */
async function drawnRows(
  executable: ExecutableQuery,
  sequences: StatementSequences,
): Promise<ExecutableQuery> {
  const { session, sql, params, columns } = executable;
  const names = columns.map((_, i) => `c${i}`);
  await session.execute(
    `CREATE TEMP TABLE drawn AS SELECT * FROM (${sql}) AS q(${names.join(', ')})`,
    params,
  );
  const items = await sequences.applySettings('drawn', names);
  const named = items.map((item, i) => `${item} AS ${quoteName(columns[i]!.name)}`);
  return {
    ...executable,
    sql: `SELECT ${named.join(', ')} FROM drawn`,
    params: [],
    isKept: false,
    isFixed: false,
    fewRows: false,
  };
}

async function* remaining(
  first: IteratorResult<ResultChunk, void>,
  rest: AsyncGenerator<ResultChunk, void>,
  explained: (error: unknown) => unknown,
  release: () => Promise<void>,
): AsyncGenerator<ResultChunk, void> {
  try {
    if (first.done) return;
    yield first.value;
    yield* rest;
  } catch (error) {
    throw explained(error);
  } finally {
    await release();
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
  activity.progress.willRead(scanned);
  return () => {
    activity.scanned = before;
  };
}

function statisticsOf({ submittedAt, activity }: RunningQuery, startedAt: number): QueryStatistics {
  const { scanned } = activity;
  const now = Date.now();
  const submitted = submittedAt.getTime();
  return {
    elapsed: (now - submitted) / 1000,
    timeBeforeExecution: (startedAt - submitted) / 1000,
    isReused: activity.isReused,
    reusedParts: activity.reusedParts,
    timeToExecute: (now - startedAt) / 1000,
    rowsRead: scanned.rows,
    bytesRead: scannedBytes(scanned),
    bytesFromCache: scanned.bytesFromCache,
    bytesFromStorage: scanned.bytesFromStorage,
  };
}
