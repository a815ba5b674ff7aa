import { setTimeout as pause } from 'node:timers/promises';

const AGAIN_MS = 25;

/**
 * Repeats a check until the condition holds. @throws Error that names the condition if it does not hold in
 * time
 */
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
