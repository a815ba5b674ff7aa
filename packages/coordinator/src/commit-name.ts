import { createHash } from 'node:crypto';
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
  { database, parameters, transactionId }: StatementRequest,
): string {
  const values = parameters.map(({ name, value }) => [name, typeof value, String(value)]);
  const said = JSON.stringify([position, text, database ?? null, values, transactionId ?? null]);
  return `${queryId}#${createHash('sha256').update(said).digest('base64url').slice(0, 16)}`;
}
