import type { QueryId } from '@tessera/common';
import type { Connection } from './server.ts';

/** How long to wait for the server's confirmation of a cancellation. */
const CANCEL_TIMEOUT_MS = 2_000;

/**
 * Cancels the query. The connection is closed right after, which cancels too, but a request stops the query
 * sooner.
 */
export async function cancelQuery(connection: Connection, queryId: QueryId): Promise<void> {
  try {
    const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
    const answer = await connection.post({ path: '/cancel', parameters: { query_id: queryId }, signal });
    await answer.body.dump();
  } catch {
    // The server cannot be reached or refuses; the connection is closed in any case.
  }
}
