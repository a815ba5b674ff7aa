import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { newQueryId, type QueryId } from '@tessera/common';
import { CommandFailure, EXIT } from '../exit-code.ts';
import { cancelledBy } from './cancel-query.ts';
import { errorReport, parseErrors, refusal } from './error-report.ts';
import { type FilePart, sizeParts } from './file-part.ts';
import { FinalError } from './final-error.ts';
import { multipartBody } from './multipart-body.ts';
import { outputFormat, saysItsEnd } from './output-format.ts';
import { type Answer, Connection, type Server } from './server.ts';
import type { Streams } from './streams.ts';
import { uploadProgress } from './upload-progress.ts';

export interface QueryRequest {
  readonly server: Server;
  readonly sql: string;
  readonly files: readonly FilePart[];
  readonly format: string | undefined;
  readonly database: string | undefined;
  readonly settings: Readonly<Record<string, string>>;
  /** Called with the headers of the response, which can change the session. */
  readonly onHeaders?: (headers: Answer['headers']) => void;
}

/**
 * Sends one or several statements with their files and writes the results to stdout as they arrive. Throws
 * CommandFailure with the server's errors, or with the reason why the server could not be reached. If
 * `interrupt` aborts, the query is cancelled.
 */
export async function runQuery(query: QueryRequest, io: Streams, interrupt: AbortSignal): Promise<void> {
  const format = outputFormat(query.format, io.stdout.isTTY === true);
  const parts = await sizeParts(query.files);
  const connection = new Connection(query.server);
  const queryId = newQueryId();
  using cancellation = cancelledBy(interrupt, connection, queryId);
  try {
    const parameters = {
      ...((await holdsSeveral(query.sql)) ? PRINT_ALL : {}),
      ...(query.database === undefined ? {} : { database: query.database }),
      ...query.settings,
      output_format: format,
      query_id: queryId,
    };
    const answer = await send(connection, query.sql, parts, parameters, io, cancellation.stop.signal);
    query.onHeaders?.(answer.headers);
    if (answer.statusCode >= 300) throw await refusal(answer, (errors) => errorReport(errors, query.sql));
    await printResult(answer, query.sql, format, queryId, io);
  } catch (error) {
    if (!interrupt.aborted) throw error;
    throw new CommandFailure(EXIT.interrupted, 'cancelled');
  } finally {
    await connection.close();
  }
}

const PRINT_ALL = { enable_multi_query_requests: 'true', multi_query_results: 'all' };

/** Whether a text contains several statements. If it cannot be split, the server reports why. */
async function holdsSeveral(sql: string): Promise<boolean> {
  if (!/;[\s\S]*\S/.test(sql)) return false;
  // Loading the parser takes longer than most statements do, so it is loaded where a semicolon needs it.
  const { splitStatements } = await import('@tessera/sql');
  try {
    return splitStatements(sql).length > 1;
  } catch {
    return false;
  }
}

async function send(
  connection: Connection,
  sql: string,
  parts: Awaited<ReturnType<typeof sizeParts>>,
  parameters: Record<string, string>,
  io: Streams,
  signal: AbortSignal,
): Promise<Answer> {
  if (parts.length === 0)
    return connection.post({
      path: '/',
      parameters,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: sql,
      signal,
    });
  const body = multipartBody(sql, parts, io.stdin);
  const progress = await uploadProgress(body.lengthBytes, io.stderr);
  const length = body.lengthBytes === undefined ? {} : { 'content-length': String(body.lengthBytes) };
  try {
    return await connection.post({
      path: '/',
      parameters,
      headers: { 'content-type': body.contentType, ...length },
      body: body.stream(progress.sent),
      signal,
    });
  } finally {
    progress.stop();
  }
}

async function printResult(
  answer: Answer,
  sql: string,
  format: string,
  queryId: QueryId,
  io: Streams,
): Promise<void> {
  const end = saysItsEnd(format)
    ? new ResultTail()
    : (await holdsSeveral(sql))
      ? new FinalError(queryId)
      : undefined;
  try {
    const stages = end === undefined ? [answer.body, io.stdout] : [answer.body, end, io.stdout];
    await pipeline(stages, { end: false });
  } catch (error) {
    // The reader of our output has closed it, as `head` does.
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return;
    throw new CommandFailure(
      EXIT.connection,
      'error: the server broke the result off: what was printed is not complete (its log says why)',
    );
  }
  const errors = end?.errors;
  if (errors !== undefined) throw new CommandFailure(EXIT.queryError, errorReport(errors, sql));
  const affected = answer.headers['x-tessera-affected-rows'];
  if (affected !== undefined && io.stderr.isTTY === true)
    io.stderr.write(`${String(affected)} rows affected\n`);
}

const KEPT_BYTES = 64 * 1024;

/** Passes a result on and keeps its end, in which the line format reports whether the query succeeded. */
class ResultTail extends Transform {
  #tail = Buffer.alloc(0);

  override _transform(chunk: Buffer, _encoding: string, done: (error: null, chunk: Buffer) => void): void {
    this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-KEPT_BYTES);
    done(null, chunk);
  }

  /** The errors in a last line FINISH_WITH_ERRORS. */
  get errors(): ReturnType<typeof parseErrors> {
    return parseErrors(this.#tail.toString('utf8').trimEnd().split('\n').at(-1)!);
  }
}
