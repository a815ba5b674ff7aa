/**
 * Measures what a node that misses tablets gains if another node has them: time and CPU time of fetching them from an object
 * store with latency, and from the other node over gRPC.
 *   node packages/storage-agent/bench/peer-bench.ts [--latency-ms 20] [--rounds 5]
 * The store is a directory behind the latency, so its CPU time does not include a client of S3; that of the other node
 * includes both of its ends.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Tablet } from '@tessera/catalog';
import { startRpcServer } from '@tessera/rpc';
import { ClusterTablets, openStorageAgent, storageAgentService } from '../src/index.ts';
import { FaultyStore } from '../src/testing/faulty-store.ts';
import { Fixture } from '../src/testing/fixture.ts';
import { storeTablet, testTable, WIDE } from '../src/testing/tables.ts';

const { values } = parseArgs({
  options: { 'latency-ms': { type: 'string', default: '20' }, rounds: { type: 'string', default: '5' } },
});
const latencyMs = Number(values['latency-ms']);
const rounds = Number(values.rounds);
const signal = new AbortController().signal;
const silent = () => undefined;
const log = { info: silent, warn: silent, error: silent, debug: silent };
const clusterToken = 'token-of-the-benchmark';

await using fixture = await Fixture.open();
const table = { ...testTable('facts', { a: 'BIGINT', b: 'VARCHAR' }), indexGranularity: 65_536 };
const rows = (count: number) => `SELECT i AS a, md5(i::VARCHAR) AS b FROM range(${count}) t(i)`;
const tablets = async (count: number, rowsEach: number, header?: typeof WIDE) => {
  const stored: Tablet[] = [];
  for (let i = 0; i < count; i++) stored.push(await storeTablet(fixture, table, rows(rowsEach), header));
  return stored;
};
const wide = await tablets(8, 1_000_000, WIDE);
const cases = [
  {
    name: 'one granule of a wide tablet',
    tablets: wide.slice(0, 1).map((tablet) => ({ tablet, granules: [3] })),
  },
  {
    name: 'a granule each of 4 wide tablets',
    tablets: wide.slice(0, 4).map((tablet) => ({ tablet, granules: [3] })),
  },
  { name: 'a small tablet', tablets: (await tablets(1, 4_000)).map((tablet) => ({ tablet })) },
  { name: '64 small tablets', tablets: (await tablets(64, 4_000)).map((tablet) => ({ tablet })) },
  { name: '8 wide tablets', tablets: wide.map((tablet) => ({ tablet })) },
];

const holder = await openStorageAgent({
  store: new FaultyStore(fixture.store),
  kernel: fixture.kernel,
  directory: join(fixture.directory, 'holder'),
});
await holder.warm(
  table,
  cases.flatMap((one) => one.tablets.map(({ tablet }) => tablet)),
  [1, 2],
  signal,
);
const services = [storageAgentService(holder)];
const server = await startRpcServer({
  host: '127.0.0.1',
  port: 0,
  services,
  clusterToken,
  log: log as never,
});

const store = new FaultyStore(fixture.store);
const getRange = store.getRange.bind(store);
store.getRange = async (...range) => {
  await delay(latencyMs);
  return getRange(...range);
};
const reader = await fixture.agent({ store });
let others: string[] = [];
// The object store must not help out on a busy machine.
const credentials = { clusterToken };
const peers = new ClusterTablets({ others: () => others, credentials, log, silenceMs: 60_000 });
reader.readFrom(peers);
const SOURCES = { 'object store': [], 'other node': [`127.0.0.1:${server.port}`] };
for (const { name, tablets: needed } of cases) {
  const samples: { source: string; ms: number; cpuMs: number; bytes: number; fromPeers: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    for (const [source, addresses] of Object.entries(SOURCES)) {
      others = addresses;
      await reader.forget(needed.map(({ tablet }) => tablet));
      const [startedAt, cpu, before] = [performance.now(), process.cpuUsage(), reader.metrics()];
      const request = fixture.request({ table, tablets: needed, columns: [1], once: true });
      (await reader.prepareScan(request)).release();
      const [{ user, system }, after] = [process.cpuUsage(cpu), reader.metrics()];
      const fromPeers = after.bytesFromPeers - before.bytesFromPeers;
      const bytes = after.bytesFetched - before.bytesFetched + fromPeers;
      const sample = { ms: performance.now() - startedAt, cpuMs: (user + system) / 1_000, bytes, fromPeers };
      if (round > 0) samples.push({ source, ...sample });
    }
  }
  process.stdout.write(`${name}, ${(samples[0]!.bytes / 1e6).toFixed(2)} MB\n`);
  for (const [source, of] of Map.groupBy(samples, (sample) => sample.source)) {
    const middle = (what: 'ms' | 'cpuMs') =>
      of
        .map((sample) => sample[what])
        .sort((a, b) => a - b)
        [Math.floor(of.length / 2)]!.toFixed(1);
    const { fromPeers, bytes } = of[0]!;
    process.stdout.write(
      `  ${source}: ${middle('ms')} ms, ${middle('cpuMs')} ms CPU; ${((100 * fromPeers) / bytes).toFixed(0)} % of the bytes from the other node\n`,
    );
  }
}
peers.close();
await server.close(0);
await holder.close();
