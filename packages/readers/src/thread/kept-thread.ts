import { Worker } from 'node:worker_threads';
import { startTimer, type Timer } from '@tessera/common';

/**
 * The limit for the thread's JavaScript objects; column buffers are outside of it and have their own budget.
 */
const THREAD_HEAP_MIB = 256;
/** How long an idle thread is kept, in milliseconds. To start one takes about 100 ms of CPU time. */
const KEPT_MS = 5_000;
/** A thread that has more memory than this after its work is not kept. */
const MAX_KEPT_BYTES = 64 * 2 ** 20;

let kept: { readonly thread: Worker; readonly timer: Timer } | undefined;

/** A thread that waits for work: the one that was kept, or a new one. */
export function takeThread(): Worker {
  const thread = kept?.thread ?? started();
  forget();
  thread.ref();
  return thread;
}

/**
 * Keeps a thread that has finished its work for the next one, unless there is one already. A thread that failed or was stopped
 * must be terminated instead.
 * @param bytes the memory that it has
 */
export async function keepThread(thread: Worker, bytes: number): Promise<void> {
  if (kept !== undefined || bytes > MAX_KEPT_BYTES) {
    await thread.terminate();
    return;
  }
  const timer = startTimer(() => {
    forget();
    void thread.terminate();
  }, KEPT_MS).unref();
  kept = { thread, timer };
  thread.unref();
}

function forget(): void {
  kept?.timer.clear();
  kept = undefined;
}

function started(): Worker {
  const thread = new Worker(new URL('./decode-thread.ts', import.meta.url), {
    name: 'decode',
    resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MIB },
  });
  // Its user notices its end; while it is kept, it has none.
  thread.on('error', () => undefined);
  thread.on('exit', () => {
    if (kept?.thread === thread) forget();
  });
  return thread;
}
