import { setImmediate } from 'node:timers/promises';

/** Lets the event loop read its sockets. The first wait ends in the turn that has just read them. */
export async function othersRead(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Parts of a request that together take less than this many milliseconds do not keep others waiting. */
const SHORT_MS = 4;

/**
 * A function to call between the parts of a piece of work: it lets the event loop read its sockets if the parts since
 * the last time took long.
 * @param now a clock in milliseconds
 */
export function pauses(now: () => number = () => performance.now()): () => Promise<void> {
  let since = now();
  return async () => {
    if (now() - since < SHORT_MS) return;
    await othersRead();
    since = now();
  };
}

/** Work in steps, each of which takes much less than `SHORT_MS`. */
export type Steps<T> = Generator<void, T>;

/** Takes all steps at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Takes steps with pauses between them: see `pauses`. */
export async function inTurns<T>(steps: Steps<T>, pause = pauses()): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
  }
}
