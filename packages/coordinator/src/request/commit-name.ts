import { createHash, createHmac, randomBytes } from 'node:crypto';
import { withoutPasswords } from '@tessera/sql';
import type { StatementRequest } from './statement-request.ts';

/**
 * The name under which a statement of a request commits, for ever: the same request sent again with its query id is not
 * done again, another statement that comes with the same id is one of its own.
 * @param position of the statement in the request, from 0
 */
export function commitName(
  queryId: string,
  position: number,
  text: string,
  {
    user,
    database,
    parameters,
    transactionId,
  }: Pick<StatementRequest, 'user' | 'database' | 'parameters' | 'transactionId'>,
): string {
  const values = parameters.map(({ name, value }) => [name, typeof value, String(value)]);
  const said = JSON.stringify([position, user, text, database ?? null, values, transactionId ?? null]);
  return `${queryId}#${hashFor(text).update(said).digest('base64url').slice(0, 16)}`;
}

const PASSWORD_KEY = randomBytes(32);

/**
 * The name stands in the log for ever, where a plain hash of a statement with a password would tell whether a guess is right: a
 * statement of that kind is known again by the same process alone.
 */
const hashFor = (text: string) =>
  withoutPasswords(text) === text ? createHash('sha256') : createHmac('sha256', PASSWORD_KEY);
