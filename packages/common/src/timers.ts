/**
 * Timers of any length. Node stores delays as signed 32-bit integers: `setTimeout` with more than 2,147,483,647
 * ms (about 24.8 days) fires after one millisecond. Delays that are configured, given by a user or computed
 * must use this file; `pnpm check` refuses them elsewhere.
 */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** A running timer. */
export interface Timer {
  /** Ensures that the callback is not called any more. */
  clear(): void;
  /** Lets the process exit although the timer is running. */
  unref(): this;
  /** Starts the whole delay again. */
  refresh(): this;
}

/** Calls `callback` once, `delayMs` milliseconds from now. `Infinity` is never. */
export function startTimer(callback: () => void, delayMs: number): Timer {
  return new LongTimer(callback, delayMs, false);
}

/** Calls `callback` every `intervalMs` milliseconds. `Infinity` is never. */
export function startInterval(callback: () => void, intervalMs: number): Timer {
  return new LongTimer(callback, intervalMs, true);
}

export interface PauseOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether the pause keeps the process alive; it does by default. */
  readonly ref?: boolean;
}

/** Resolves after `delayMs` milliseconds; rejects with the reason of the signal if that aborts first. */
export async function pause(delayMs: number, { signal, ref = true }: PauseOptions = {}): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = startTimer(resolve, delayMs);
  if (!ref) timer.unref();
  const onAbort = () => reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    timer.clear();
    signal?.removeEventListener('abort', onAbort);
  }
}

/**
 * Like `AbortSignal.timeout`: aborts with a `TimeoutError` after `delayMs` milliseconds and does not keep the process
 * alive.
 */
export function timeoutSignal(delayMs: number): AbortSignal {
  if (delayMs <= MAX_TIMER_MS) return AbortSignal.timeout(delayMs);
  const controller = new AbortController();
  const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  startTimer(() => controller.abort(reason), delayMs).unref();
  return controller.signal;
}

/** Limits a delay to the longest that Node supports, for options of libraries that set a timer. */
export const timerMs = (delayMs: number): number => Math.min(delayMs, MAX_TIMER_MS);

class LongTimer implements Timer {
  readonly #callback: () => void;
  readonly #delayMs: number;
  readonly #repeats: boolean;
  #leftMs = 0;
  #isRef = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(callback: () => void, delayMs: number, repeats: boolean) {
    if (Number.isNaN(delayMs)) throw new RangeError('The delay of a timer is not a number');
    this.#callback = callback;
    this.#delayMs = delayMs;
    this.#repeats = repeats;
    this.#start(delayMs);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  unref(): this {
    this.#isRef = false;
    this.#timer?.unref();
    return this;
  }

  refresh(): this {
    // Node can restart a timer without allocating a new one, which matters if it happens for every chunk of a
    // body.
    if (this.#timer !== undefined && this.#delayMs <= MAX_TIMER_MS) this.#timer.refresh();
    else {
      this.clear();
      this.#start(this.#delayMs);
    }
    return this;
  }

  #start(leftMs: number): void {
    const partMs = timerMs(leftMs);
    this.#leftMs = leftMs - partMs;
    this.#timer = setTimeout(this.#onPart, partMs);
    if (!this.#isRef) this.#timer.unref();
  }

  #onPart = (): void => {
    if (this.#leftMs > 0) {
      this.#start(this.#leftMs);
      return;
    }
    if (this.#repeats) this.#start(this.#delayMs);
    this.#callback();
  };
}
