import { cancellation } from '@tessera/common';

/** Limits concurrent work in number and in bytes of memory; the rest waits in order of arrival. */
export class Slots {
  #free: number;
  readonly #limitBytes: number;
  #bytes = 0;
  readonly #waiting: { readonly bytes: number; readonly start: () => void }[] = [];

  constructor(count: number, limitBytes: number) {
    this.#free = count;
    this.#limitBytes = limitBytes;
  }

  /** @param bytes the memory that the work takes; more than the limit only if no other work runs */
  async run<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length === 0 && this.#fits(bytes)) this.#take(bytes);
    else await new Promise<void>((start) => this.#waiting.push({ bytes, start }));
    try {
      return await work();
    } finally {
      this.#free++;
      this.#bytes -= bytes;
      this.#startWaiting();
    }
  }

  #startWaiting(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#take(next.bytes);
      next.start();
    }
  }

  #fits(bytes: number): boolean {
    return this.#free > 0 && (this.#bytes === 0 || this.#bytes + bytes <= this.#limitBytes);
  }

  #take(bytes: number): void {
    this.#free--;
    this.#bytes += bytes;
  }
}

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
