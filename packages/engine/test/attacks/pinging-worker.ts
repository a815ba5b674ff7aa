import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** The latencies of a client that repeats `SELECT 1`, since the last report. */
export interface Pings {
  /** Latencies in milliseconds, in the order of the requests. */
  readonly latencies: readonly number[];
  /** The requests that took longer than `SLOW_MS`: when they began (milliseconds since 1970), and their latency. */
  readonly slow: readonly { readonly at: number; readonly ms: number }[];
  /** Responses that are not 200 with the expected row. */
  readonly failures: readonly string[];
}

const { url, everyMs } = workerData as { url: string; everyMs: number };
const SLOW_MS = 100;
let latencies: number[] = [];
let slow: { at: number; ms: number }[] = [];
let failures: string[] = [];

parentPort!.on('message', () => {
  parentPort!.postMessage({ latencies, slow, failures } satisfies Pings);
  latencies = [];
  slow = [];
  failures = [];
});

for (;;) {
  const startedAt = performance.now();
  const response = await fetch(url, { method: 'POST', body: 'SELECT 1' });
  const text = await response.text();
  const ms = performance.now() - startedAt;
  latencies.push(ms);
  if (ms > SLOW_MS) slow.push({ at: Date.now() - ms, ms });
  if (response.status !== 200 || !/\n1\n/.test(text)) failures.push(`${response.status}: ${text}`);
  await delay(Math.max(0, everyMs - (performance.now() - startedAt)));
}
