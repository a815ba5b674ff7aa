import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { OutputShape, Piece } from '../src/index.ts';
import { openNode } from '../src/testing/shuffle-nodes.ts';

/**
 * Rows from one process into a temp table of another, over gRPC: `node bench/exchange-bench.ts [rows] [compress]`. Store
 * and fetch apart and together, CPU seconds of the four processes, and the fixed cost of a small exchange.
 */
const rows = Number(process.argv[2] ?? 10_000_000);
const compress = process.argv[3] === 'compress';

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

const child = fork(new URL('./exchange-process.ts', import.meta.url), { stdio: 'inherit' });
const producer = await answer<{ address: string; incarnation: string; kernel: number }>(child);
const consumer = await openNode({
  kernel: { memoryLimitBytes: 4e9 },
  shuffle: { compress: () => compress },
});
const processes = {
  producer: child.pid!,
  'producer kernel': producer.kernel,
  consumer: process.pid,
  'consumer kernel': consumer.kernel.status().pid!,
};
const cpu = () => Object.values(processes).map(cpuOf);

async function exchange(count: number, quiet = false): Promise<void> {
  const started = performance.now();
  const cpu0 = cpu();
  const piece = await answer<Piece>(child, { sql: sqlOf(count), shape: SHAPE });
  const stored = performance.now();
  const cpu1 = cpu();
  const session = await consumer.kernel.session();
  const fetched = await consumer.shuffle.fetch(session, [piece], SHAPE, new AbortController().signal);
  const ended = performance.now();
  if (fetched.rows !== count) throw new Error(`${fetched.rows} rows came`);
  const cpu2 = cpu();
  await session.close();
  if (quiet) return;
  const line = (what: string, ms: number) =>
    tell(`${what.padEnd(8)} ${ms.toFixed(0).padStart(6)} ms  ${((count / ms) * 1e-3).toFixed(2)} M rows/s`);
  line('store', stored - started);
  line('fetch', ended - stored);
  line('both', ended - started);
  tell(
    `${(fetched.bytes / 1e6).toFixed(0)} MB, ${((fetched.bytes / (ended - stored)) * 1e-3).toFixed(0)} MB/s`,
  );
  for (const [i, name] of Object.keys(processes).entries()) {
    tell(
      `CPU ${name.padEnd(16)} store ${(cpu1[i]! - cpu0[i]!).toFixed(2)} s  fetch ${(cpu2[i]! - cpu1[i]!).toFixed(2)} s`,
    );
  }
}

await answer(child, { prepare: sourceSql });
await exchange(Math.min(rows, 1_000_000), true);
for (let run = 0; run < 3; run++) await exchange(rows);
for (const count of [0, Math.min(rows, 100)]) {
  const times: number[] = [];
  for (let i = 0; i < 50; i++) {
    const started = performance.now();
    await exchange(count, true);
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  tell(`${count} rows: median ${times[25]!.toFixed(2)} ms`);
}
child.send('stop');
await consumer.close();
