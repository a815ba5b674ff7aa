import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TesseraError } from '@tessera/common';
import type { Kernel, KernelSession } from '@tessera/kernel';
import type { ExternalSources } from '@tessera/object-store';
import { formattedQuery, type PreparedQuery, prepareQuery } from '@tessera/sql';
import { explainFailure } from './query-failure.ts';
import { ReadResolution } from './read-resolution.ts';
import type { RunningQuery } from './running-queries.ts';
import type { StatementRequest } from './statement-request.ts';
import type { QueryStatistics, ResultChunk, RowsResult } from './statement-result.ts';

const ARROW_END_OF_STREAM = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);
const FILE_CHUNK_BYTES = 1 << 20;

export interface QueryRunOptions {
  readonly kernel: Kernel;
  readonly external: ExternalSources;
  readonly query: RunningQuery;
  readonly request: StatementRequest;
  readonly text: string;
  readonly sessionValues: { account: string; database: string; engine: string; user: string };
}

/**
 * Runs one query to the first chunk of its result. A query that dies with its kernel before that is run once more, in
 * quarantine, unseen by the client.
 */
export async function runQuery(options: QueryRunOptions): Promise<RowsResult> {
  try {
    return await attempt(options, false);
  } catch (error) {
    if (!(error instanceof TesseraError) || error.retry !== 'query' || options.query.signal.aborted) throw error;
    return attempt(options, true);
  }
}

async function attempt(options: QueryRunOptions, quarantine: boolean): Promise<RowsResult> {
  const { query, request, text } = options;
  const { signal } = query;
  signal.throwIfAborted();
  const session = await options.kernel.session({ timeZone: request.settings.timezone, quarantine });
  const interrupt = () => session.interrupt();
  signal.addEventListener('abort', interrupt, { once: true });
  const reads = new ReadResolution({ ...options, ...request, session, signal });
  let prepared: PreparedQuery | undefined;

  const leave = () => {
    signal.removeEventListener('abort', interrupt);
    return session.close();
  };
  const explained = (error: unknown): unknown =>
    signal.aborted ? signal.reason : explainFailure(error, { text, ran: prepared?.sql, files: reads.files });

  try {
    prepared = await prepareQuery(text, {
      session,
      settings: request.settings,
      parameters: request.parameters,
      sessionValues: options.sessionValues,
      resolveRead: (call) => reads.resolve(call),
    });
    const bytesRead = await totalBytes(reads);
    const startedAt = Date.now();
    const encoded = limitRows(encode(session, prepared, request), request.settings.max_result_rows);
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

function encode(
  session: KernelSession,
  prepared: PreparedQuery,
  request: StatementRequest,
): AsyncGenerator<ResultChunk, void> {
  switch (request.encoding.kind) {
    case 'rows':
      return textRows(session, prepared, formattedQuery(prepared, request.encoding));
    case 'arrow':
      return arrowStream(session, prepared);
    case 'parquet':
      return parquetFile(session, prepared, request);
  }
}

/** The kernel makes the text; a chunk is the data buffer of its one column as it stands. */
async function* textRows(session: KernelSession, prepared: PreparedQuery, sql: string): AsyncGenerator<ResultChunk, void> {
  const result = await session.query(sql, prepared.parameters);
  for await (const batch of result.batches) yield { bytes: batch.textColumn(0), rows: batch.rows };
}

async function* arrowStream(session: KernelSession, prepared: PreparedQuery): AsyncGenerator<ResultChunk, void> {
  const result = await session.query(prepared.sql, prepared.parameters);
  yield { bytes: result.schemaIpc, rows: 0 };
  for await (const batch of result.batches) yield { bytes: batch.ipc, rows: batch.rows };
  yield { bytes: ARROW_END_OF_STREAM, rows: 0 };
}

/** A Parquet file has its index at its end, so it is written to disk first and streamed from there. */
async function* parquetFile(
  session: KernelSession,
  prepared: PreparedQuery,
  request: StatementRequest,
): AsyncGenerator<ResultChunk, void> {
  const path = join(await request.directory.open(), 'result.parquet');
  const limit = request.settings.max_result_rows;
  const source = limit === 0 ? prepared.sql : `SELECT * FROM (${prepared.sql}) LIMIT ${limit + 1}`;
  const rows = await session.execute(
    `COPY (${source}) TO '${path.replaceAll("'", "''")}' (FORMAT parquet, COMPRESSION zstd)`,
    prepared.parameters,
  );
  let counted = rows;
  for await (const bytes of createReadStream(path, { highWaterMark: FILE_CHUNK_BYTES })) {
    yield { bytes, rows: counted };
    counted = 0;
  }
}

async function* limitRows(chunks: AsyncGenerator<ResultChunk, void>, limit: number): AsyncGenerator<ResultChunk, void> {
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

export interface StatementDescription {
  readonly parameter_types: Readonly<Record<string, string>>;
  readonly result_columns: readonly { readonly name: string; readonly type: string }[];
}

/** Types of parameters and columns of a statement, as far as they follow from its text; its files are looked at. */
export async function describeQuery(options: QueryRunOptions): Promise<StatementDescription> {
  const { request, text, query } = options;
  const session = await options.kernel.session({ timeZone: request.settings.timezone });
  const reads = new ReadResolution({ ...options, ...request, session, signal: query.signal });
  try {
    return await describeParameters(text, {
      session,
      settings: request.settings,
      parameters: request.parameters,
      sessionValues: options.sessionValues,
      resolveRead: (call) => reads.resolve(call),
    });
  } catch (error) {
    throw query.signal.aborted ? query.signal.reason : explainFailure(error, { text, ran: undefined, files: reads.files });
  } finally {
    await session.close();
  }
}
