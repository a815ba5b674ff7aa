import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Logger, parseTraceparent, reportableError, TesseraError } from '@tessera/common';
import {
  type Coordinator,
  type DoneResult,
  LazyRequestDirectory,
  type RowsResult,
  type RunningQuery,
  type SessionUpdate,
  type Settings,
  type StatementRequest,
} from '@tessera/coordinator';
import type { HttpMetrics } from '../metrics.ts';
import { drainRequest } from '../request/drain-request.ts';
import { type RequestParameters, requestParameters } from '../request/request-parameters.ts';
import { receiveStatement } from '../request/statement-body.ts';
import { errorBody } from '../results/error-body.ts';
import { setNoticeHeader } from '../results/notices.ts';
import type { OutputFormat } from '../results/output-format.ts';
import { doneMessage, ProgressMessages } from '../results/progress-messages.ts';
import { ResultBody } from '../results/result-body.ts';
import type { UploadLimits } from '../upload/index.ts';

export interface QueryRouteOptions {
  readonly coordinator: Coordinator;
  /** The directory in which each request gets a directory for its files. */
  readonly uploadRoot: string;
  readonly limits: UploadLimits;
  /** Parts of requests with this key may refer to files of this machine; undefined if none may. */
  readonly localFileKey?: string | undefined;
  /** The longest time, in milliseconds, for which a client may accept no data of its result. */
  readonly writeIdleMs: number;
  readonly metrics: HttpMetrics;
  readonly log: Logger;
}

/** Answers one query request in any case: with its result, or with an error. */
export async function answerQuery(
  request: IncomingMessage,
  response: ServerResponse,
  { user, userId }: Pick<StatementRequest, 'user' | 'userId'>,
  options: QueryRouteOptions,
): Promise<void> {
  const { coordinator, metrics, log } = options;
  const protocolVersion = request.headers['firebolt-protocol-version'];
  if (typeof protocolVersion === 'string') response.setHeader('X-Firebolt-Protocol-Version', protocolVersion);
  let query: RunningQuery | undefined;
  let format: OutputFormat | undefined;
  let inStatement = false;
  const stopTimer = metrics.startQuery();
  const directory = new LazyRequestDirectory(options.uploadRoot);
  let handedOver = false;
  try {
    const parameters = requestParameters(request.url ?? '');
    format = parameters.format;
    query = coordinator.begin({ queryId: parameters.queryId, label: parameters.label, user });
    response.setHeader('Firebolt-Query-Id', query.queryId);
    const connection = watchConnection(response, query);
    const body = await receiveStatement(request, {
      directory,
      limits: options.limits,
      localFileKey: options.localFileKey,
      signal: query.signal,
    });
    metrics.received(body.uploads);
    inStatement = true;
    const traceparent = headerOf(request, 'traceparent');
    const context = {
      ...{ ...options, user, userId, query, parameters },
      ...{ body, directory, connection, traceparent },
    };
    if (parameters.async) {
      await startAsync(response, context);
      handedOver = true;
    } else {
      await answerStatement(response, context);
    }
    stopTimer('ok');
  } catch (error) {
    const failure = reportableError(error, log);
    stopTimer(failure.name);
    log.info({ queryId: query?.queryId, error: failure.name, message: failure.message }, 'query failed');
    sendError(response, failure, { query, format, isOk: inStatement && protocolVersion !== undefined });
  } finally {
    if (!handedOver) {
      // Nothing is awaited between the last byte of an answer and this call, because the client may reuse the
      // id at once.
      if (query !== undefined) coordinator.end(query);
      await directory.remove();
    }
    drainRequest(request);
  }
}

interface StatementContext extends QueryRouteOptions {
  readonly user: string;
  readonly userId: string | undefined;
  readonly query: RunningQuery;
  readonly parameters: RequestParameters;
  readonly body: Awaited<ReturnType<typeof receiveStatement>>;
  readonly directory: LazyRequestDirectory;
  readonly connection: ConnectionWatch;
  /** The header of this name. */
  readonly traceparent: string | undefined;
}

async function answerStatement(response: ServerResponse, context: StatementContext): Promise<void> {
  const { coordinator, query, parameters, connection } = context;
  const statement = statementRequest(context);
  if (parameters.mode === 'describe_parameters') {
    sendJson(response, 200, await coordinator.describe(query, statement));
    return;
  }
  if (parameters.settings.cancel_query_on_connection_drop === 'none') connection.ignore();
  const { format, compressed } = parameters;
  const { metrics, log, writeIdleMs: idleMs } = context;
  const body = new ResultBody(response, { query, format, compressed, idleMs, log });
  const progress = sendsProgress(parameters) ? new ProgressMessages(query, body) : undefined;
  try {
    const result = await coordinator
      .execute(query, statement, async (one) => {
        await addResult(body, one);
        await body.flush();
      })
      .finally(() => progress?.end());
    if (!response.headersSent) setSessionHeader(response, query.session);
    if (result.kind === 'rows') await addResult(body, result);
    else if (!body.hasBegun) return sendDone(response, result, query);
    else if (progress?.hasSent) await body.message(doneMessage(result, query));
    metrics.sent(body.end());
  } catch (error) {
    if (!body.hasBegun) throw error;
    metrics.sent(body.fail(reportableError(error, log)));
  }
}

/**
 * Whether progress can be sent before the result. The headers are then sent too, so a request whose last
 * statement may have to return a change of the session in a header gets none.
 */
const sendsProgress = ({ progress, format, settings }: RequestParameters): boolean =>
  progress &&
  format.hasMessages === true &&
  (!settings.enable_multi_query_requests || settings.multi_query_results === 'all');

async function addResult(body: ResultBody, result: RowsResult): Promise<void> {
  try {
    await body.add(result);
  } finally {
    await result.close();
  }
}

/**
 * Answers at once; the statement continues without its client. It cannot read uploads, because the request's
 * files are deleted after the answer.
 */
async function startAsync(response: ServerResponse, context: StatementContext): Promise<void> {
  const { coordinator, query, body, directory, connection } = context;
  if (body.uploads.size > 0) {
    throw TesseraError.of('BAD_REQUEST', {
      message:
        'async=true cannot be combined with file parts, which are deleted when the request is answered',
    });
  }
  connection.ignore();
  const token = await coordinator.startAsync(query, statementRequest(context), () => directory.remove());
  const monitorSql = `CALL fb_GetAsyncStatus('${token}')`;
  sendJson(response, 202, { message: 'the query was accepted for async processing', token, monitorSql });
}

const statementRequest = ({
  user,
  userId,
  parameters,
  body,
  directory,
  traceparent,
}: StatementContext): StatementRequest => ({
  ...body,
  database: parameters.database,
  transactionId: parameters.transactionId,
  settings: withTraceparent(parameters.settings, traceparent),
  parameters: parameters.parameters,
  directory,
  encoding: parameters.format.encoding,
  user,
  userId,
});

/** A setting counts more than the header; a header that is not valid is ignored, as the standard says. */
const withTraceparent = (settings: Settings, header: string | undefined): Settings =>
  header === undefined || settings.traceparent !== '' || parseTraceparent(header) === undefined
    ? settings
    : { ...settings, traceparent: header };

const headerOf = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
};

function sendDone(response: ServerResponse, { affectedRows }: DoneResult, query: RunningQuery): void {
  if (affectedRows !== undefined) response.setHeader('X-Tessera-Affected-Rows', affectedRows);
  setNoticeHeader(response, query);
  response.setHeader('Content-Length', 0);
  response.end();
}

/**
 * Sets the session header. A response has at most one name-value pair, because clients parse lists
 * differently.
 */
function setSessionHeader(response: ServerResponse, update: SessionUpdate | undefined): void {
  if (update === undefined) return;
  if (update.kind === 'set')
    response.setHeader('Firebolt-Update-Parameters', `${update.name}=${update.value}`);
  else response.setHeader('Firebolt-Remove-Parameters', update.name);
}

interface ConnectionWatch {
  /** Lets the query continue without its client from here on. */
  ignore(): void;
}

/** Cancels the query if its client disconnects before the answer is complete. */
function watchConnection(response: ServerResponse, query: RunningQuery): ConnectionWatch {
  const onClose = () => {
    if (!response.writableFinished)
      query.cancel(TesseraError.of('QUERY_CANCELLED', { reason: 'the client disconnected' }));
  };
  response.once('close', onClose);
  return { ignore: () => response.off('close', onClose) };
}

interface FailedRequest {
  readonly query: RunningQuery | undefined;
  readonly format: OutputFormat | undefined;
  /** Whether an error of the statement itself is answered with status 200. */
  readonly isOk: boolean;
}

function sendError(
  response: ServerResponse,
  error: TesseraError,
  { query, format, isOk }: FailedRequest,
): void {
  if (response.destroyed || response.headersSent) {
    response.destroy();
    return;
  }
  setSessionHeader(response, query?.session);
  const isStatementError = isOk && (error.httpStatus === 400 || error.name === 'FORBIDDEN');
  if (error.retry === 'client') response.setHeader('Retry-After', 1);
  if (error.name === 'DRAINING') response.setHeader('X-Firebolt-Drained', 'true');
  if (!response.req.complete) response.setHeader('Connection', 'close');
  const body = errorBody(error, query, format);
  if (!isStatementError) sendBody(response, error.httpStatus, body);
  else sendBody(response, 200, body, format?.hasMessages ? format.contentType : JSON_TYPE);
}

const JSON_TYPE = 'application/json; charset=utf-8';

const sendJson = (response: ServerResponse, status: number, value: unknown): void =>
  sendBody(response, status, `${JSON.stringify(value)}\n`);

function sendBody(response: ServerResponse, status: number, body: string, contentType = JSON_TYPE): void {
  response.statusCode = status;
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}
