import type { Sender } from '@tessera/access-control';
import { newUlid, TesseraError } from '@tessera/common';
import { quoteText } from '@tessera/kernel';
import type { RunningQuery } from './running-queries.ts';

type AsyncStatus = 'RUNNING' | 'ENDED_SUCCESSFULLY' | 'FAILED' | 'CANCELLED';

/** The result of `CALL fb_GetAsyncStatus('<token>')`. */
export interface AsyncStatement {
  readonly token: string;
  readonly query: RunningQuery;
  readonly user: string;
  readonly userId: string | undefined;
  status: AsyncStatus;
  endedAt: Date | undefined;
  errorMessage: string | undefined;
}

/** The number of finished statements that are remembered; the oldest are forgotten first. */
const REMEMBERED = 10_000;

/** The asynchronous statements of clients; kept in memory and lost with the process. */
export class AsyncStatements {
  readonly #statements = new Map<string, AsyncStatement>();
  readonly #mayRead: (user: string, owner: Sender) => boolean;

  /** @param mayRead whether a user may see the statements of another one */
  constructor(mayRead: (user: string, owner: Sender) => boolean) {
    this.#mayRead = mayRead;
  }

  /** Registers a statement and follows its work to the end. */
  start(query: RunningQuery, { user, userId }: Sender, work: Promise<void>): AsyncStatement {
    const statement: AsyncStatement = {
      token: newUlid(),
      query,
      user,
      userId,
      status: 'RUNNING',
      endedAt: undefined,
      errorMessage: undefined,
    };
    this.#statements.set(statement.token, statement);
    this.#forgetOldest();
    work.then(
      () => end(statement, 'ENDED_SUCCESSFULLY', undefined),
      (error: Error) => {
        const cancelled = error instanceof TesseraError && error.name === 'QUERY_CANCELLED';
        end(statement, cancelled ? 'CANCELLED' : 'FAILED', error.message);
      },
    );
    return statement;
  }

  /** @throws TesseraError INVALID_ARGUMENT for a token that is unknown, forgotten, or another user's */
  get(token: string, user: string): AsyncStatement {
    const statement = this.#statements.get(token);
    if (statement !== undefined && this.#mayRead(user, statement)) return statement;
    throw TesseraError.of('INVALID_ARGUMENT', {
      message: `No asynchronous statement has the token ${token}`,
    });
  }

  #forgetOldest(): void {
    if (this.#statements.size <= REMEMBERED) return;
    for (const [token, { status }] of this.#statements) {
      if (status === 'RUNNING') continue;
      this.#statements.delete(token);
      return;
    }
  }
}

function end(statement: AsyncStatement, status: AsyncStatus, errorMessage: string | undefined): void {
  statement.status = status;
  statement.endedAt = new Date();
  statement.errorMessage = errorMessage;
}

/** The single row of `CALL fb_GetAsyncStatus`, as a query. */
export function asyncStatusQuery({ query, user, status, endedAt, errorMessage }: AsyncStatement): string {
  const time = (date: Date | undefined) => (date === undefined ? 'NULL' : quoteText(date.toISOString()));
  const columns = [
    `'' AS account_name`,
    `${quoteText(user)} AS user_name`,
    `${quoteText(query.requestId)} AS request_id`,
    `${time(query.submittedAt)}::timestamptz AS submitted_time`,
    `${time(query.submittedAt)}::timestamptz AS start_time`,
    `${time(endedAt)}::timestamptz AS end_time`,
    `${quoteText(status)} AS status`,
    `${quoteText(query.queryId)} AS query_id`,
    `${errorMessage === undefined ? 'NULL' : quoteText(errorMessage)}::text AS error_message`,
    '0::bigint AS retries',
  ];
  return `SELECT ${columns.join(', ')}`;
}
