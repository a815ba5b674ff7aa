import { setTimeout as pause } from 'node:timers/promises';

/**
 * The pause after a check. It grows, because a check is often a query and takes the time of what is waited for, but stays short
 * enough to see a state that lasts for a moment.
 */
const PAUSES = { firstMs: 25, growth: 1.1, longestMs: 80 };

/**
 * Repeats a check until the condition holds. @throws Error that names the condition if it does not hold in
 * time
 */
export async function until(
  condition: string,
  withinMs: number,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (
    let ms = PAUSES.firstMs;
    performance.now() < deadline;
    ms = Math.min(ms * PAUSES.growth, PAUSES.longestMs)
  ) {
    if (await holds()) return;
    await pause(ms);
  }
  throw new Error(`not within ${withinMs} ms: ${condition}`);
}
