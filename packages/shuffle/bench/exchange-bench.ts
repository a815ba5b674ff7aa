import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Incarnation } from '@tessera/common';
import { registerBuffers } from '@tessera/kernel';
import { HASH_BUCKETS, type OutputShape, type ShuffleBlock } from '../src/index.ts';
import { openNode } from '../src/testing/shuffle-nodes.ts';

/**
 * Measures a hash exchange from one node to another over gRPC: `node bench/exchange-bench.ts [rows] [compress] [registered]`. The
 * output is fetched and read by 1, 4 and 16 consumers. The benchmark prints rows per second, the CPU time per row of the
 * four processes, and the fixed cost of a small exchange.
 */
const rows = Number(process.argv[2] ?? 10_000_000);
const compress = process.argv.includes('compress');
/** The exchange buffers of each process. */
const registeredBytes = process.argv.includes('registered') ? 64 << 20 : 0;
/** The registered buffers are a part of the memory of outputs. */
const OUTPUT_BYTES = 192 << 20;

const SHAPE: OutputShape = {
  columns: [
    { name: 'key', type: 'BIGINT' },
    { name: 'day', type: 'DATE' },
    { name: 'price', type: 'DOUBLE' },
    { name: 'comment', type: 'VARCHAR' },
  ],
  hashKeys: [0],
};
const sqlOf = (count: number) => `FROM bench_rows WHERE key < ${count}`;
const sourceSql = `CREATE TABLE bench_rows AS
  SELECT i AS key, DATE '2000-01-01' + (i % 3000)::INTEGER AS day, i * 0.25::DOUBLE AS price, 'comment ' || (i % 5000) AS comment
  FROM range(${rows}) AS t(i)`;

const tell = (line: string) => process.stdout.write(`${line}\n`);

/** User and system time of a process so far, in seconds. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function answer<T>(child: ChildProcess, order?: unknown): Promise<T> {
  if (order !== undefined) child.send(order as object);
  return (await once(child, 'message'))[0] as T;
}

if (registeredBytes > 0) await registerBuffers(registeredBytes);
const child = fork(
  new URL('./exchange-process.ts', import.meta.url),
  [String(OUTPUT_BYTES), String(registeredBytes)],
  {
    stdio: 'inherit',
  },
);
const producer = await answer<{ address: string; incarnation: Incarnation; kernel: number }>(child);
const consumer = await openNode({
  kernel: { memoryLimitBytes: 4e9, registeredBytes },
  shuffle: { compress: () => compress },
});
const processes = {
  producer: child.pid!,
  'producer kernel': producer.kernel,
  consumer: process.pid,
  'consumer kernel': consumer.kernel.status().pid!,
};
const cpu = () => Object.values(processes).map(cpuOf);

async function exchange(count: number, consumers: number, quiet = false): Promise<void> {
  const started = performance.now();
  const cpu0 = cpu();
  const whole = await answer<ShuffleBlock>(child, { sql: sqlOf(count), shape: SHAPE });
  const cpu1 = cpu();
  const edge = (i: number) => Math.round((HASH_BUCKETS * i) / consumers);
  const fetched = await Promise.all(
    Array.from({ length: consumers }, async (_, i) => {
      const session = await consumer.kernel.session();
      const part =
        consumers === 1 ? whole : { ...whole, rows: undefined, buckets: [edge(i), edge(i + 1)] as const };
      const { sql, rows } = await consumer.shuffle.fetch(
        session,
        [part],
        SHAPE,
        new AbortController().signal,
      );
      await session.scalar(`SELECT count(*) + sum(key) + max(strlen(comment)) FROM ${sql}`);
      await session.close();
      return rows;
    }),
  );
  const ended = performance.now();
  const came = fetched.reduce((sum, rows) => sum + rows, 0);
  if (came !== count) throw new Error(`${came} rows came`);
  if (quiet) return;
  const cpu2 = cpu();
  const used = (from: readonly number[], to: readonly number[]) => to.map((seconds, i) => seconds - from[i]!);
  const sum = (seconds: readonly number[]) => seconds.reduce((total, one) => total + one, 0);
  const perRow = (seconds: number) => ((seconds / count) * 1e6).toFixed(3);
  const total = used(cpu0, cpu2);
  const parts = Object.keys(processes).map((name, i) => `${name} ${perRow(total[i]!)}`);
  tell(
    `${consumers} consumers: ${((count / (ended - started)) * 1e-3).toFixed(2)} M rows/s, CPU ${perRow(sum(total))} µs a row ` +
      `(store ${perRow(sum(used(cpu0, cpu1)))}, fetch ${perRow(sum(used(cpu1, cpu2)))}; ${parts.join(', ')})`,
  );
}

await answer(child, { prepare: sourceSql });
await exchange(Math.min(rows, 1_000_000), 4, true);
for (const consumers of [1, 4, 16]) for (let run = 0; run < 3; run++) await exchange(rows, consumers);
for (const count of [0, Math.min(rows, 100)]) {
  const times: number[] = [];
  const before = cpu();
  for (let i = 0; i < 50; i++) {
    const started = performance.now();
    await exchange(count, 1, true);
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  const used = cpu().reduce((total, seconds, i) => total + seconds - before[i]!, 0);
  tell(`${count} rows: median ${times[25]!.toFixed(2)} ms, CPU ${((used / 50) * 1e3).toFixed(1)} ms`);
}
child.send('stop');
await consumer.close();
