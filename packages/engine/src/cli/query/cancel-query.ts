import type { QueryId } from '@tessera/common';
import type { Connection } from './server.ts';

/** How long to wait for the server's confirmation of a cancellation. */
const CANCEL_TIMEOUT_MS = 2_000;

/**
 * Cancels the query. The connection is closed right after, which cancels too, but a request stops the query
 * sooner.
 */
async function cancelQuery(connection: Connection, queryId: QueryId): Promise<void> {
  try {
    const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
    const answer = await connection.post({ path: '/cancel', parameters: { query_id: queryId }, signal });
    await answer.body.dump();
  } catch {
    // The server cannot be reached or refuses; the connection is closed in any case.
  }
}

/** Ends when the query does, so that a later interruption does not cancel it. */
interface QueryCancellation extends Disposable {
  /** Aborts the request to the server. */
  readonly stop: AbortController;
}

/** Cancels the query on the server and stops its request if `interrupt` aborts. */
export function cancelledBy(
  interrupt: AbortSignal,
  connection: Connection,
  queryId: QueryId,
): QueryCancellation {
  const stop = new AbortController();
  const cancel = async () => {
    await cancelQuery(connection, queryId);
    stop.abort();
  };
  interrupt.addEventListener('abort', cancel, { once: true });
  return { stop, [Symbol.dispose]: () => interrupt.removeEventListener('abort', cancel) };
}
