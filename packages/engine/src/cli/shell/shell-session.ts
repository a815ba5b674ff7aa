import { newQueryId, type QueryId } from '@tessera/common';
import { CommandFailure, EXIT } from '../exit-code.ts';
import { cancelledBy } from '../query/cancel-query.ts';
import { refusal } from '../query/error-report.ts';
import type { SizedPart } from '../query/file-part.ts';
import { multipartBody } from '../query/multipart-body.ts';
import { type Answer, Connection, type Server } from '../query/server.ts';
import { adoptSession } from '../query/session-changes.ts';
import type { UploadProgress } from '../query/upload-progress.ts';
import {
  type Progress,
  type ResultColumn,
  type Row,
  resultMessages,
  type Warning,
} from './result-messages.ts';
import { TypedStatement } from './typed-statement.ts';

/** Takes the result of one statement as it arrives. */
export interface ResultSink {
  /** The engine is still starting. */
  starting?(): void;
  /** The request has `totalBytes` with the files; absent if it sends none. */
  uploading?(totalBytes: number): Promise<UploadProgress>;
  progress?(progress: Progress): void;
  columns(columns: readonly ResultColumn[]): void | Promise<void>;
  /** Resolves to false if no more rows are needed: the query is then cancelled. */
  rows(rows: readonly Row[]): boolean | Promise<boolean>;
}

export interface StatementEnd {
  /** Undefined if the statement does not change rows. */
  readonly affectedRows: number | undefined;
  readonly warnings: readonly Warning[];
  /** Whether the result came from the result cache. */
  readonly isReused: boolean;
}

/** Statements that change the session: their headers must come with the response, so they send no progress. */
const SESSION_STATEMENT = /^\s*(?:SET|RESET|USE|BEGIN|START|COMMIT|END|ROLLBACK|ABORT)\b/i;

/**
 * A session over the stateless HTTP API: it sends with every statement what earlier ones changed, such as settings, the
 * database and the open transaction.
 */
export class ShellSession {
  readonly parameters = new Map<string, string>();
  readonly #connected: Promise<Connection>;
  #connection: Connection | undefined;

  /** @param server may still be starting: the first statement waits for it, and fails if it does not start */
  constructor(server: Server | Promise<Server>, parameters: Readonly<Record<string, string>> = {}) {
    if (server instanceof Promise) this.#connected = server.then((started) => this.#connect(started));
    else this.#connected = Promise.resolve(this.#connect(server));
    this.#connected.catch(() => undefined);
    for (const [name, value] of Object.entries(parameters)) this.parameters.set(name, value);
  }

  /**
   * Runs one statement. When `interrupt` aborts, the statement is cancelled on the server.
   * @throws CommandFailure with the server's errors, if it cannot be reached, or with EXIT.interrupted
   */
  async run(
    statement: TypedStatement,
    sink: ResultSink,
    interrupt: AbortSignal,
    parts: readonly SizedPart[] = [],
  ): Promise<StatementEnd> {
    interrupt.throwIfAborted();
    if (this.#connection === undefined) sink.starting?.();
    const connection = this.#connection ?? (await unlessAborted(this.#connected, interrupt));
    const queryId = newQueryId();
    using cancellation = cancelledBy(interrupt, connection, queryId);
    try {
      const answer = await this.#send(
        connection,
        statement.sql,
        parts,
        queryId,
        sink,
        cancellation.stop.signal,
      );
      adoptSession(this.parameters, answer.headers);
      return await readAnswer(answer, statement, sink, cancellation.stop);
    } catch (error) {
      if (interrupt.aborted) throw new CommandFailure(EXIT.interrupted, 'cancelled');
      throw error;
    }
  }

  /** The rows of a query of the shell itself. */
  async rows(
    sql: string | TypedStatement,
    signal: AbortSignal,
    parts: readonly SizedPart[] = [],
  ): Promise<readonly Row[]> {
    const all: Row[] = [];
    const rows = (some: readonly Row[]) => {
      all.push(...some);
      return true;
    };
    const statement = typeof sql === 'string' ? new TypedStatement(sql) : sql;
    await this.run(statement, { columns: () => {}, rows }, signal, parts);
    return all;
  }

  /** Whether the engine reads files of this machine where they are; others get them as uploads. False before it has started. */
  get readsFilesInPlace(): boolean {
    return this.#connection?.localFileKey !== undefined;
  }

  /** Does not wait for an engine that is still starting. */
  async close(): Promise<void> {
    await this.#connection?.close();
  }

  #connect(server: Server): Connection {
    this.#connection = new Connection(server);
    return this.#connection;
  }

  async #send(
    connection: Connection,
    sql: string,
    parts: readonly SizedPart[],
    queryId: QueryId,
    sink: ResultSink,
    signal: AbortSignal,
  ): Promise<Answer> {
    const parameters = {
      ...Object.fromEntries(this.parameters),
      ...(SESSION_STATEMENT.test(sql) || sink.progress === undefined ? {} : { progress: 'true' }),
      output_format: 'JSONLines_Compact',
      query_id: queryId,
    };
    if (parts.length === 0) {
      const headers = { 'content-type': 'text/plain; charset=utf-8' };
      return connection.post({ path: '/', parameters, headers, body: sql, signal });
    }
    const body = multipartBody(sql, parts, process.stdin, connection.localFileKey);
    const length = body.lengthBytes === undefined ? {} : { 'content-length': String(body.lengthBytes) };
    const isSent = body.lengthBytes !== undefined && connection.localFileKey === undefined;
    const upload = !isSent ? undefined : await sink.uploading?.(body.lengthBytes ?? 0);
    try {
      const headers = { 'content-type': body.contentType, ...length };
      const sent = body.stream((bytes) => upload?.sent(bytes));
      return await connection.post({ path: '/', parameters, headers, body: sent, signal });
    } finally {
      upload?.stop();
    }
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(new CommandFailure(EXIT.interrupted, 'cancelled'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function readAnswer(
  answer: Answer,
  statement: TypedStatement,
  sink: ResultSink,
  stop: AbortController,
): Promise<StatementEnd> {
  if (answer.statusCode >= 300) throw await refusal(answer, (errors) => statement.report(errors));
  const header = answer.headers['x-tessera-affected-rows'];
  let affectedRows = header === undefined ? undefined : Number(header);
  let warnings = warningsOf(answer.headers);
  let isReused = false;
  try {
    for await (const message of resultMessages(answer.body)) {
      if (message.message_type === 'START') await sink.columns(message.result_columns);
      else if (message.message_type === 'PROGRESS') sink.progress?.(message);
      else if (message.message_type === 'DATA') {
        if (await sink.rows(statement.rowsAsTyped(message.data))) continue;
        stop.abort();
        break;
      } else if (message.message_type === 'FINISH_WITH_ERRORS') {
        throw new CommandFailure(EXIT.queryError, statement.report(message.errors));
      } else if (message.message_type === 'FINISH_SUCCESSFULLY') {
        affectedRows ??= message.affected_rows;
        warnings = message.warnings ?? warnings;
        isReused = message.statistics?.from_result_cache === true;
      }
    }
  } catch (error) {
    if (error instanceof CommandFailure || stop.signal.aborted) throw error;
    // The reader of our output has closed it, as `head` does.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE')
      throw new CommandFailure(EXIT.connection, `error: the server broke the result off: ${String(error)}`);
    stop.abort();
  }
  const shown = warnings.map((warning) => ({
    ...warning,
    description: statement.textAsTyped(warning.description),
  }));
  return { affectedRows, warnings: shown, isReused };
}

function warningsOf(headers: Answer['headers']): readonly Warning[] {
  try {
    return JSON.parse(String(headers['x-tessera-warnings'] ?? '[]'));
  } catch {
    return [];
  }
}
