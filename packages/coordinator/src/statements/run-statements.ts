import { TesseraError } from '@tessera/common';
import { locationInText, type StatementText } from '@tessera/sql';
import type { RunningQuery } from '../queries/running-queries.ts';
import { keepPlaceInCsv } from '../read/csv-failure.ts';
import { remember } from '../request/request-session.ts';
import {
  idempotencyKeyOf,
  type RequestStatements,
  requestStatements,
} from '../request/request-statements.ts';
import type { StatementRequest } from '../request/statement-request.ts';
import type { RowsResult, SessionUpdate, StatementResult } from '../request/statement-result.ts';
import type { Transactions } from '../transactions/transactions.ts';
import type { AccessCheck } from './access-check.ts';
import type { StatementRunner } from './statement-runner.ts';

export interface RunsStatements {
  readonly runner: StatementRunner;
  readonly access: AccessCheck;
  readonly transactions: Transactions | undefined;
  /** Receives each result of a request with multi_query_results=all, and closes it. */
  readonly onRows: ((result: RowsResult) => Promise<void>) | undefined;
}

/**
 * Runs the statements of a request one after the other; the result is the last one's, unless `onRows`
 * receives them all. Changes of the client's session go to `query.session`, even if a statement fails.
 */
export async function runStatements(
  query: RunningQuery,
  request: StatementRequest,
  { runner, access, transactions, onRows }: RunsStatements,
): Promise<StatementResult> {
  const { transactionId: given } = request;
  const wasOpen = given !== undefined && transactions?.isOpen(given) === true;
  let session = request;
  try {
    const statements = await requestStatements(request);
    const { texts } = statements;
    const takesAll = texts.length > 1 && request.settings.multi_query_results === 'all' ? onRows : undefined;
    await access.checkDatabase(request.database, request.user);
    let result: StatementResult = { kind: 'done' };
    /**
     * Statements before this position belong to a transaction that the first run of the request has
     * committed.
     */
    let committedUntil = 0;
    for (const [i, statement] of texts.entries()) {
      const isLast = i === texts.length - 1;
      const name = blockName(query, statements, i, request);
      if (name !== undefined && (await transactions?.wasCommitted(name)))
        committedUntil = statements.committedBlocks.get(i)! + 1;
      if (i < committedUntil && !statements.sessionStatements.has(i)) continue;
      const sender = session;
      const idempotencyKey = () => idempotencyKeyOf(query.queryId, i, statement.text, sender);
      try {
        result = await runner.run(runner.context(query, session, statement.text), idempotencyKey);
        if (takesAll !== undefined && result.kind === 'rows') {
          await takesAll(result);
          result = { kind: 'done' };
        }
      } catch (error) {
        throw inRequest(error, request.sql, texts, i);
      }
      if (result.kind === 'done' && result.session !== undefined) session = remember(session, result.session);
      if (name !== undefined) transactions?.get(session.transactionId!).commitAs(name);
      if (isLast && takesAll === undefined) break;
      if (result.kind === 'rows') await readToEnd(result);
      else if (result.session !== undefined) noticeNotKept(query, result.session);
      result = { kind: 'done' };
    }
    query.session = sessionUpdate(given, session.transactionId, result);
    return result;
  } catch (error) {
    // As in PostgreSQL, even an invalid statement aborts its transaction.
    if (session.transactionId !== undefined) transactions?.abort(session.transactionId);
    await rollbackBegun(request, session, transactions);
    if (wasOpen && !transactions!.isOpen(given)) query.session = NO_TRANSACTION;
    throw error;
  }
}

const NO_TRANSACTION: SessionUpdate = { kind: 'remove', name: 'transaction_id' };

/** The session change of the request: a new transaction, or else the change by the last statement. */
function sessionUpdate(
  before: string | undefined,
  after: string | undefined,
  result: StatementResult,
): SessionUpdate | undefined {
  if (after === before) return result.kind === 'done' ? result.session : undefined;
  return after === undefined ? NO_TRANSACTION : { kind: 'set', name: 'transaction_id', value: after };
}

/** The idempotency key of a transaction that begins at a position and is committed in the same request. */
function blockName(
  { queryId }: RunningQuery,
  { texts, committedBlocks }: RequestStatements,
  begin: number,
  request: StatementRequest,
): string | undefined {
  const commit = committedBlocks.get(begin);
  if (commit === undefined) return undefined;
  const block = texts.slice(begin, commit + 1).map(({ text }) => text);
  return idempotencyKeyOf(queryId, begin, block.join(';\n'), request);
}

/** The error of a statement: it points into the request, and names the statement if there are several. */
function inRequest(error: unknown, sql: string, texts: readonly StatementText[], i: number): unknown {
  if (!(error instanceof TesseraError)) return error;
  const message =
    texts.length === 1 ? error.message : `${error.message} (statement ${i + 1} of ${texts.length})`;
  const { location } = error;
  const placed = error.with({ message, location: location && locationInText(sql, texts[i]!, location) });
  return keepPlaceInCsv(placed, error);
}

function noticeNotKept({ notices }: RunningQuery, { name }: SessionUpdate): void {
  if (name === 'transaction_id') return;
  notices.notice(`${name} is changed for the rest of this request only`, {
    resolution: 'To keep it, send the change as the last statement or in a request of its own.',
  });
}

/** Ends a transaction that began in a failed request: no client knows about it. */
async function rollbackBegun(
  request: StatementRequest,
  { transactionId }: StatementRequest,
  transactions: Transactions | undefined,
): Promise<void> {
  if (transactionId === undefined || transactionId === request.transactionId) return;
  await transactions?.rollback(transactionId).catch((error: unknown) => {
    if (!(error instanceof TesseraError) || error.name !== 'NO_TRANSACTION') throw error;
  });
}

/** Reads and discards a result. */
export async function readToEnd(result: RowsResult): Promise<void> {
  try {
    for await (const _ of result.chunks);
  } finally {
    await result.close();
  }
}
