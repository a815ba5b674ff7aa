/**
 * Measures rows per second into and out of the kernel process, the time of the smallest query, and how long
 * the event loop of this process was blocked meanwhile.
 *     node bench/loadtest/src/kernel-bench.ts [--json] [--rows N]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { type Kernel, type KernelSession, startKernel } from '@tessera/kernel';
import { tableFromIPC } from 'apache-arrow';

const COLUMNS = "range AS id, range * 7 AS n, range * 0.5::DOUBLE AS d, 'row ' || (range % 1000) AS s";
const SMALL_QUERIES = 2_000;

interface Measurement {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: string;
}

const { values: args } = parseArgs({
  options: { json: { type: 'boolean', default: false }, rows: { type: 'string', default: '10000000' } },
});
const rows = Number(args.rows);
const directory = mkdtempSync(join(tmpdir(), 'kernel-bench-'));
const quiet = () => undefined;
const kernel = await startKernel({
  directory: join(directory, 'kernel'),
  readableDirectories: [],
  memoryLimitBytes: 4e9,
  threads: 0,
  bootstrap: [],
  log: { info: quiet, warn: quiet, error: quiet },
});
try {
  report([...(await smallQueries(kernel)), ...(await bulk(kernel, rows))]);
} finally {
  await kernel.close();
  rmSync(directory, { recursive: true, force: true });
}

async function smallQueries(kernel: Kernel): Promise<Measurement[]> {
  const times: number[] = [];
  for (let i = 0; i < SMALL_QUERIES; i++) {
    const start = performance.now();
    const session = await kernel.session();
    const result = await session.query('SELECT 42');
    for await (const _ of result.batches);
    await session.close();
    times.push(performance.now() - start);
  }
  const warm = times.slice(SMALL_QUERIES / 4).sort((a, b) => a - b);
  const at = (quantile: number) => warm[Math.floor(warm.length * quantile)]!;
  return [
    { what: 'SELECT 42, session to session, p50', value: at(0.5), unit: 'ms', target: '0.3' },
    { what: 'SELECT 42, session to session, p99', value: at(0.99), unit: 'ms' },
  ];
}

async function bulk(kernel: Kernel, rows: number): Promise<Measurement[]> {
  const session = await kernel.session();
  await session.execute(`CREATE TEMP TABLE source AS SELECT ${COLUMNS} FROM range(${rows})`);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const rssBefore = process.memoryUsage.rss();
  let rssPeak = rssBefore;

  delay.enable();
  let start = performance.now();
  let out = 0;
  const result = await session.query('FROM source');
  const kept: { ipc: Uint8Array }[] = [];
  let keptRows = 0;
  for await (const batch of result.batches) {
    out += batch.rows;
    rssPeak = Math.max(rssPeak, process.memoryUsage.rss());
    if (keptRows < 2_000_000) {
      kept.push({ ipc: batch.ipc });
      keptRows += batch.rows;
    } else batch.release();
  }
  const outSeconds = (performance.now() - start) / 1000;
  const outDelay = delay.max / 1e6;
  await session.close();

  delay.reset();
  const target = await kernel.session();
  start = performance.now();
  const appended = await target.append(
    'copy',
    tableFromIPC(result.schemaIpc).schema,
    repeat(kept, keptRows, rows),
  );
  const inSeconds = (performance.now() - start) / 1000;
  delay.disable();
  await check(target, appended);
  await target.close();
  return [
    { what: `out, ${out} rows × 4 columns`, value: out / outSeconds / 1e6, unit: 'M rows/s', target: '10' },
    { what: 'out, event loop held up at most', value: outDelay, unit: 'ms', target: '50' },
    { what: 'out, memory of this process above before', value: (rssPeak - rssBefore) / 1e6, unit: 'MB' },
    {
      what: `in, ${appended} rows × 4 columns`,
      value: appended / inSeconds / 1e6,
      unit: 'M rows/s',
      target: '5',
    },
    { what: 'in, event loop held up at most', value: delay.max / 1e6, unit: 'ms', target: '50' },
  ];
}

async function* repeat(batches: { ipc: Uint8Array }[], rowsPerRound: number, rows: number) {
  for (let sent = 0; sent < rows; sent += rowsPerRound) yield* batches;
}

async function check(session: KernelSession, rows: number): Promise<void> {
  const counted = await session.scalar('SELECT count(s) FROM copy');
  if (counted !== rows) throw new Error(`${rows} rows were appended, the table has ${counted}`);
}

function report(measurements: Measurement[]): void {
  if (args.json) {
    process.stdout.write(`${JSON.stringify(measurements)}\n`);
    return;
  }
  for (const { what, value, unit, target } of measurements) {
    const goal = target === undefined ? '' : `  (target ${target})`;
    process.stdout.write(`${what.padEnd(44)} ${value.toFixed(2).padStart(8)} ${unit}${goal}\n`);
  }
}
