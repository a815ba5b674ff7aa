import { createHash, createHmac, randomBytes } from 'node:crypto';
import { withoutPasswords } from '@tessera/sql';
import type { StatementRequest } from './statement-request.ts';

/**
 * The idempotency key under which a statement of a request commits, forever: the same request with the same
 * query id is not executed again, while another statement with the same id has another key.
 * @param position the position of the statement in the request, from 0
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
 * Hashes the text of a statement. The key stays in the log forever, and a plain hash of a statement with a
 * password would reveal whether a guess is right. So the hash of such a statement is only reproducible within
 * the same process.
 */
const hashFor = (text: string) =>
  withoutPasswords(text) === text ? createHash('sha256') : createHmac('sha256', PASSWORD_KEY);
