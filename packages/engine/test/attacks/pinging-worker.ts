import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** The latencies of a client that repeats `SELECT 1`, since the last report. */
export interface Pings {
  /** Latencies in milliseconds, in the order of the requests. */
  readonly latencies: readonly number[];
  /** Responses that are not 200 with the expected row. */
  readonly failures: readonly string[];
}

const { url, everyMs } = workerData as { url: string; everyMs: number };
let latencies: number[] = [];
let failures: string[] = [];

parentPort!.on('message', () => {
  parentPort!.postMessage({ latencies, failures } satisfies Pings);
  latencies = [];
  failures = [];
});

for (;;) {
  const startedAt = performance.now();
  const response = await fetch(url, { method: 'POST', body: 'SELECT 1' });
  const text = await response.text();
  latencies.push(performance.now() - startedAt);
  if (response.status !== 200 || !/\n1\n/.test(text)) failures.push(`${response.status}: ${text}`);
  await delay(Math.max(0, everyMs - (performance.now() - startedAt)));
}
