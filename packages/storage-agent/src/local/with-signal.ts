import { cancellation } from '@tessera/common';

/** The promise, or QUERY_CANCELLED as soon as the signal is aborted; the work goes on for others who wait. */
export function withSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(cancellation(signal));
  return new Promise((resolve, reject) => {
    const abort = () => reject(cancellation(signal));
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
