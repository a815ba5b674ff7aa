import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { startKernel } from '@tessera/kernel';
import { loadAvro } from '@tessera/readers';
import avsc from 'avsc';

/**
 * Loads an Avro file of ten columns into a temp table of the kernel, for each codec.
 * `node bench/loadtest/src/avro-bench.ts [rows] [--json]`
 */
const asJson = process.argv.includes('--json');
const rows = Number(process.argv.slice(2).find((argument) => /^\d+$/.test(argument)) ?? 1_000_000);

const schema = {
  type: 'record',
  name: 'Sale',
  fields: [
    { name: 'id', type: 'long' },
    { name: 'customer', type: 'int' },
    { name: 'name', type: 'string' },
    { name: 'city', type: ['null', 'string'] },
    { name: 'price', type: 'double' },
    { name: 'discount', type: ['null', 'double'] },
    { name: 'paid', type: 'boolean' },
    { name: 'status', type: { type: 'enum', name: 'Status', symbols: ['OPEN', 'SENT', 'DONE'] } },
    { name: 'day', type: { type: 'int', logicalType: 'date' } },
    { name: 'at', type: { type: 'long', logicalType: 'timestamp-micros' } },
  ],
} as unknown as avsc.Schema;

function* sales() {
  const states = ['OPEN', 'SENT', 'DONE'];
  for (let id = 0; id < rows; id++) {
    yield {
      id,
      customer: (id * 7919) % 100_000,
      name: `customer number ${(id * 7919) % 100_000}`,
      city: id % 10 === 0 ? null : `city ${id % 500}`,
      price: (id % 10_000) / 100,
      discount: id % 3 === 0 ? 0.1 : null,
      paid: id % 2 === 0,
      status: states[id % 3],
      day: 19_000 + (id % 1000),
      at: 1_700_000_000_000_000 + id * 1_000_000,
    };
  }
}

const directory = mkdtempSync(join(tmpdir(), 'tessera-avro-bench-'));
const silent = { info: () => {}, warn: () => {}, error: () => {} };
const kernel = await startKernel({
  directory: join(directory, 'kernel'),
  readableDirectories: [],
  memoryLimitBytes: 2e9,
  threads: 0,
  bootstrap: [],
  log: silent,
});
const results = [];
for (const codec of ['null', 'deflate']) {
  const path = join(directory, `${codec}.avro`);
  const encoder = new avsc.streams.BlockEncoder(schema, { codec, blockSize: 1 << 16 });
  await pipeline(Readable.from(sales()), encoder, createWriteStream(path));
  const session = await kernel.session();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const idleBytes = process.memoryUsage().rss;
  let peakBytes = idleBytes;
  const sampling = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
  }, 10);
  delay.enable();
  const start = performance.now();
  const signal = AbortSignal.timeout(600_000);
  await loadAvro(session, { files: [{ path, label: codec }], table: 'sales', signal });
  const seconds = (performance.now() - start) / 1000;
  delay.disable();
  clearInterval(sampling);
  await session.close();
  results.push({
    codec,
    rows,
    fileBytes: statSync(path).size,
    rowsPerSecond: Math.round(rows / seconds),
    longestEventLoopDelayMs: Math.round(delay.max / 1e6),
    memoryGrowthMiB: Math.round((peakBytes - idleBytes) / 2 ** 20),
  });
}
await kernel.close();
rmSync(directory, { recursive: true });
if (asJson) process.stdout.write(`${JSON.stringify(results)}\n`);
// biome-ignore lint/suspicious/noConsole: a benchmark prints its table.
else console.table(results);
