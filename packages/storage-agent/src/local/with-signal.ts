import { cancellation } from '@tessera/common';

/**
 * Awaits the promise, but throws QUERY_CANCELLED as soon as the signal aborts. The work continues for other
 * callers.
 */
export function withSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(cancellation(signal));
  return new Promise((resolve, reject) => {
    const abort = () => reject(cancellation(signal));
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
