import { stat } from 'node:fs/promises';
import { TesseraError } from '@tessera/common';
import type { Kernel, KernelSession } from '@tessera/kernel';
import type { ExternalSources } from '@tessera/object-store';
import { classifyStatement, type PreparedQuery, prepareQuery, type ReadCall } from '@tessera/sql';
import { interruptOnAbort } from './interrupt-on-abort.ts';
import type { PreparedStatements } from './prepared-statements.ts';
import { explainFailure } from './query-failure.ts';
import { ReadResolution } from './read-resolution.ts';
import { encodeResult } from './result-encoding.ts';
import type { RunningQuery } from './running-queries.ts';
import { withSecondAttempt } from './second-attempt.ts';
import type { StatementRequest } from './statement-request.ts';
import type { QueryStatistics, ResultChunk, RowsResult } from './statement-result.ts';
import type { TableServices } from './tables.ts';
import type { Transactions } from './transactions.ts';

export interface QueryRunOptions {
  readonly kernel: Kernel;
  readonly external: ExternalSources;
  readonly query: RunningQuery;
  readonly request: StatementRequest;
  readonly text: string;
  readonly statements: PreparedStatements;
  /** Undefined: the node keeps no tables. */
  readonly tables?: TableServices | undefined;
  readonly transactions?: Transactions | undefined;
  readonly sessionValues: { account: string; database: string; engine: string; user: string };
}

/** Runs one query to the first chunk of its result. */
export const runQuery = (options: QueryRunOptions): Promise<RowsResult> =>
  withSecondAttempt(options.query.signal, (quarantine) => attempt(options, quarantine));

async function attempt(options: QueryRunOptions, quarantine: boolean): Promise<RowsResult> {
  const { query, request } = options;
  const { signal } = query;
  signal.throwIfAborted();
  const session = await options.kernel.session({ timeZone: request.settings.timezone, quarantine });
  const stopInterrupting = interruptOnAbort(session, signal);
  const reads = new ReadResolution({ ...options, ...request, session, signal });
  let prepared: PreparedQuery | undefined;

  const leave = () => {
    stopInterrupting();
    return session.close();
  };
  const explained = (error: unknown): unknown =>
    signal.aborted ? signal.reason : explainFailure(error, { files: reads.files, isLastAttempt: quarantine });

  try {
    prepared = await prepare(options, session, reads);
    const bytesRead = await totalBytes(reads);
    const startedAt = Date.now();
    const encoded = limitRows(encodeResult(session, prepared, request), request.settings.max_result_rows);
    const first = await encoded.next();
    return {
      kind: 'rows',
      columns: prepared.columns,
      chunks: remaining(first, encoded, explained, leave),
      statistics: () => statisticsOf(query, startedAt, bytesRead),
      close: leave,
    };
  } catch (error) {
    await leave();
    throw explained(error);
  }
}

async function prepare(
  { text, request, sessionValues, statements }: QueryRunOptions,
  session: KernelSession,
  reads: ReadResolution,
): Promise<PreparedQuery> {
  const { settings, parameters } = request;
  const scope = { ...sessionValues, timezone: settings.timezone };
  const known = parameters.length === 0 ? statements.get(text, scope) : undefined;
  if (known !== undefined) return known;
  const resolveRead = (call: ReadCall) => reads.resolve(call);
  const prepared = await prepareQuery(text, { session, settings, parameters, sessionValues, resolveRead });
  if (parameters.length === 0 && reads.files.length === 0 && isPlainQuery(text))
    statements.add(text, scope, prepared);
  return prepared;
}

/** EXPLAIN is answered while it is prepared, so its answer must not be kept. */
const isPlainQuery = (text: string): boolean => classifyStatement(text).kind === 'query';

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

async function* limitRows(
  chunks: AsyncGenerator<ResultChunk, void>,
  limit: number,
): AsyncGenerator<ResultChunk, void> {
  let rows = 0;
  for await (const chunk of chunks) {
    rows += chunk.rows;
    if (limit > 0 && rows > limit) throw TesseraError.of('RESULT_TOO_LARGE', { limit });
    yield chunk;
  }
}

async function totalBytes(reads: ReadResolution): Promise<number> {
  const sizes = await Promise.all(reads.files.map((file) => stat(file.path).then((s) => s.size)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function statisticsOf(query: RunningQuery, startedAt: number, bytesRead: number): QueryStatistics {
  const now = Date.now();
  const submitted = query.submittedAt.getTime();
  return {
    elapsed: (now - submitted) / 1000,
    timeBeforeExecution: (startedAt - submitted) / 1000,
    timeToExecute: (now - startedAt) / 1000,
    rowsRead: 0,
    bytesRead,
  };
}
