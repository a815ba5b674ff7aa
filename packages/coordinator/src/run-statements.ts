import { TesseraError } from '@tessera/common';
import { type StatementText, splitStatements } from '@tessera/sql';
import type { AccessCheck } from './authorization/access-check.ts';
import { commitName } from './commit-name.ts';
import { remember } from './request-session.ts';
import type { RunningQuery } from './running-queries.ts';
import type { StatementRequest } from './statement-request.ts';
import type { RowsResult, StatementResult } from './statement-result.ts';
import type { StatementRunner } from './statement-runner.ts';
import type { Transactions } from './transactions.ts';

export interface RunsStatements {
  readonly runner: StatementRunner;
  readonly access: AccessCheck;
  readonly transactions: Transactions | undefined;
}

/** Runs the statements of a request one after the other; the result is the last one's. */
export async function runStatements(
  query: RunningQuery,
  request: StatementRequest,
  { runner, access, transactions }: RunsStatements,
): Promise<StatementResult> {
  const statements = statementsOf(request);
  await access.checkDatabase(request.database, request.user);
  let session = request;
  try {
    for (const [i, { text }] of statements.entries()) {
      const txnId = commitName(query.queryId, i, text, session);
      const result = await runner.run({ query, request: session, text }, txnId);
      if (i === statements.length - 1) return result;
      if (result.kind === 'rows') await readToEnd(result);
      else if (result.session !== undefined) session = remember(session, result.session);
    }
    throw new Error('A loop over statements ends with the last');
  } catch (error) {
    // As in PostgreSQL, also a statement that is not understood ends what its transaction can do.
    if (session.transactionId !== undefined) transactions?.abort(session.transactionId);
    throw error;
  } finally {
    await rollbackBegun(request, session, transactions);
  }
}

function statementsOf({ sql, settings }: StatementRequest): readonly StatementText[] {
  const statements = splitStatements(sql);
  if (statements.length === 0)
    throw TesseraError.of('SYNTAX_ERROR', { message: 'The request holds no statement' });
  if (statements.length > 1 && !settings.enable_multi_query_requests) {
    const message = `The request holds ${statements.length} statements; send one, or set enable_multi_query_requests=true`;
    throw TesseraError.of('SYNTAX_ERROR', { message });
  }
  return statements;
}

/** The text of the one statement of a request. @throws TesseraError SYNTAX_ERROR for a request of none or several */
export function onlyStatement({ sql }: StatementRequest, message: string): string {
  const [statement, ...more] = splitStatements(sql);
  if (statement !== undefined && more.length === 0) return statement.text;
  throw TesseraError.of('SYNTAX_ERROR', { message });
}

/** A transaction that began and did not end inside one request: no client knows of it. */
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

/** For rows that nobody takes. */
export async function readToEnd(result: RowsResult): Promise<void> {
  try {
    for await (const _ of result.chunks);
  } finally {
    await result.close();
  }
}
