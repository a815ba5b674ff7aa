import { setTimeout as pause } from 'node:timers/promises';

const AGAIN_MS = 25;

/** Asks again until the condition holds. @throws Error naming it when it does not hold in time */
export async function until(
  condition: string,
  withinMs: number,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  for (const deadline = performance.now() + withinMs; performance.now() < deadline; await pause(AGAIN_MS)) {
    if (await holds()) return;
  }
  throw new Error(`not within ${withinMs} ms: ${condition}`);
}
