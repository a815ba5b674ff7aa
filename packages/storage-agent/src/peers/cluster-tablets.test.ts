import { join } from 'node:path';
import type { TableObject, Tablet } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import { type RpcServer, startRpcServer } from '@tessera/rpc';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openStorageAgent } from '../open-storage-agent.ts';
import { storageAgentService } from '../service/storage-agent-service.ts';
import type { StorageAgent } from '../storage-agent.ts';
import { FaultyStore, flipByteAt } from '../testing/faulty-store.ts';
import { Fixture } from '../testing/fixture.ts';
import { storeTablet, testTable, WIDE } from '../testing/tables.ts';
import { ClusterTablets } from './cluster-tablets.ts';

const clusterToken = 'token-of-the-cluster';
const silent = () => undefined;
const log = { info: silent, warn: silent, error: silent, debug: silent };
const signal = new AbortController().signal;

let fixture: Fixture;
let table: TableObject;
let wide: Tablet;
let compact: Tablet;
let holder: StorageAgent;
/** Replaces the bytes that the other node sends of a range. */
let sent: StorageAgent['localRange'] | undefined;
let rangesAsked = 0;
let server: RpcServer;

let store: FaultyStore;
let reader: StorageAgent;
let peers: ClusterTablets;
let others: string[];
/** The nodes that failed, as the log names them. */
let failed: { node: string; reason: string }[];

beforeAll(async () => {
  fixture = await Fixture.open();
  table = { ...testTable('facts', { a: 'BIGINT', b: 'VARCHAR' }), indexGranularity: 20_480 };
  const rows = 'SELECT i AS a, md5(i::VARCHAR) AS b FROM range(100000) t(i)';
  wide = await storeTablet(fixture, table, rows, WIDE);
  compact = await storeTablet(fixture, table, rows.replace('100000', '5000'));
  holder = await openHolder();
  await holder.warm(table, [wide, compact], [1], signal);
  const served: StorageAgent = Object.create(holder, {
    bytesOnDisk: { value: (id: typeof wide.id) => holder.bytesOnDisk(id) },
    localRange: {
      value: (...range: Parameters<StorageAgent['localRange']>) => {
        rangesAsked++;
        return sent === undefined ? holder.localRange(...range) : sent(...range);
      },
    },
  });
  const services = [storageAgentService(served)];
  server = await startRpcServer({ host: '127.0.0.1', port: 0, services, clusterToken, log: log as never });
});
const openHolder = () =>
  openStorageAgent({
    store: new FaultyStore(fixture.store),
    kernel: fixture.kernel,
    directory: join(fixture.directory, 'holder'),
  });
afterAll(async () => {
  await server.close(0);
  await holder.close();
  await fixture[Symbol.asyncDispose]();
});

beforeEach(async () => {
  sent = undefined;
  rangesAsked = 0;
  failed = [];
  others = [`127.0.0.1:${server.port}`];
  store = new FaultyStore(fixture.store);
  reader = await fixture.agent({ store });
  usePeers(60_000);
});
afterEach(async () => {
  peers.close();
  await reader.forget([wide, compact]);
});

function usePeers(silenceMs: number): void {
  peers?.close();
  const info = (details: object) => void failed.push(details as (typeof failed)[number]);
  const credentials = { clusterToken };
  peers = new ClusterTablets({ others: () => others, credentials, log: { ...log, info }, silenceMs });
  reader.readFrom(peers);
}

/** The rows that a scan of both tablets returns, and where their bytes came from. */
async function scanned(columns = [1]) {
  const request = fixture.request({
    table,
    tablets: [{ tablet: wide }, { tablet: compact }],
    columns,
    once: true,
  });
  const { n, s } = await fixture.read(reader, request, 'count(*) AS n, sum(a) AS s');
  expect({ n, s }).toEqual({ n: 105_000, s: (100_000 * 99_999 + 5_000 * 4_999) / 2 });
  const { bytesFromPeers, bytesFetched, corruptRefetches } = reader.metrics();
  return { bytesFromPeers, bytesFetched, corruptRefetches };
}

async function* never(): AsyncGenerator<Uint8Array> {
  await new Promise(() => undefined);
}

const NOTHING = { bytesFromPeers: 0, corruptRefetches: 0 };

test('missing bytes come from another node if it has them, the rest from the object store', async () => {
  expect((await scanned()).bytesFromPeers).toBeGreaterThan(wide.bytes - wide.headerOffset + compact.bytes);
  expect(store.requests).toBe(0);
  const { bytesFetched } = await scanned([1, 2]);
  expect(bytesFetched).toBe(store.bytes);
  expect(store.requests).toBeGreaterThan(0);
  expect(failed).toEqual([]);
});

test('a node that has restarted offers what is on its disk, before and after it has opened it itself', async () => {
  const bytesOnDisk = () => [wide, compact].map(({ id }) => holder.bytesOnDisk(id));
  const before = bytesOnDisk();
  await holder.close();
  holder = await openHolder();
  const [wideBytes, compactBytes] = bytesOnDisk();
  expect([wideBytes! >= before[0]!, compactBytes! >= before[1]!]).toEqual([true, true]);
  expect(wideBytes).toBeLessThan(wide.bytes);
  store.getRange = () => Promise.reject(new Error('the bucket is down'));
  expect((await scanned()).bytesFromPeers).toBeGreaterThan(0);
  await holder.warm(table, [wide, compact], [1], signal);
  expect(holder.metrics().bytesFetched).toBe(0);
  expect(bytesOnDisk()).toEqual([wideBytes, compactBytes]);
  await reader.forget([wide, compact]);
  expect((await scanned()).bytesFetched).toBe(0);
  expect(failed).toEqual([]);
});

test('nothing is read from other nodes that do not have the tablet', async () => {
  others = [];
  expect(await scanned()).toMatchObject({ ...NOTHING, bytesFetched: store.bytes });
  const other = await storeTablet(
    fixture,
    table,
    'SELECT i AS a, md5(i::VARCHAR) AS b FROM range(9000) t(i)',
  );
  others = [`127.0.0.1:${server.port}`];
  const before = store.requests;
  await reader.warm(table, [other], [1], signal);
  expect(store.requests).toBeGreaterThan(before);
  expect(rangesAsked).toBe(0);
});

test('an object store that fails does not matter for what another node has', async () => {
  store.getRange = () => Promise.reject(new Error('the bucket is down'));
  expect((await scanned()).bytesFetched).toBe(0);
});

test('wrong bytes are noticed by their checksum, and the object store is asked', async () => {
  sent = async function* (id, range) {
    let at = range.offset;
    for await (const piece of holder.localRange(id, range)) {
      yield flipByteAt(range.offset + Math.floor(range.bytes / 2))(piece, at);
      at += piece.length;
    }
  };
  const { bytesFromPeers, bytesFetched, corruptRefetches } = await scanned();
  expect({ bytesFromPeers, bytesFetched }).toEqual({ bytesFromPeers: 0, bytesFetched: store.bytes });
  expect(corruptRefetches).toBeGreaterThanOrEqual(3);
});

test.each([
  {
    name: 'that ends in the middle of a range',
    send: async function* (id, range) {
      for await (const piece of holder.localRange(id, range)) {
        yield piece.subarray(0, piece.length / 2);
        throw TesseraError.of('DISK_FAILED', { what: 'the tablets', reason: 'EIO' });
      }
    },
    reason: 'EIO',
  },
  {
    name: 'that sends too little',
    send: async function* (id, range) {
      for await (const piece of holder.localRange(id, range)) yield piece.subarray(1);
    },
    reason: 'bytes came',
  },
  {
    name: 'that sends too much',
    send: async function* (id, range) {
      yield* holder.localRange(id, range);
      yield new Uint8Array(1);
    },
    reason: 'more than',
  },
] satisfies { name: string; send: StorageAgent['localRange']; reason: string }[])(
  'a node $name is left alone, and the object store is asked',
  async ({ send, reason }) => {
    sent = send;
    expect(await scanned()).toMatchObject({ ...NOTHING, bytesFetched: store.bytes });
    expect(failed[0]).toMatchObject({ node: others[0], reason: expect.stringContaining(reason) });
    const asked = rangesAsked;
    await scanned([1, 2]);
    expect(rangesAsked).toBe(asked);
  },
);

test('a node that dies in the middle of a range, or is gone, costs only what it would have sent', async () => {
  const dying = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    services: [
      storageAgentService(
        Object.create(holder, {
          bytesOnDisk: { value: (id: typeof wide.id) => holder.bytesOnDisk(id) },
          localRange: {
            value: async function* (...[id, range]: Parameters<StorageAgent['localRange']>) {
              for await (const piece of holder.localRange(id, range)) {
                yield piece.subarray(0, 1);
                void dying.close(0);
                yield* never();
              }
            },
          },
        }),
      ),
    ],
    clusterToken,
    log: log as never,
  });
  others = [`127.0.0.1:${dying.port}`];
  expect(await scanned()).toMatchObject({ ...NOTHING, bytesFetched: store.bytes });
  expect(failed[0]!.node).toBe(others[0]);

  // The next scan finds nobody there, but another node with the tablets.
  usePeers(60_000);
  others.push(`127.0.0.1:${server.port}`);
  await reader.forget([wide, compact]);
  expect(await scanned()).toMatchObject({ bytesFetched: store.bytes, bytesFromPeers: expect.any(Number) });
  expect(rangesAsked).toBeGreaterThan(0);
  expect(failed.at(-1)!.node).toBe(others[0]);
});

test('a node that is silent is left alone, and the object store is asked', async () => {
  await scanned();
  await reader.forget([wide, compact]);
  const before = store.requests;
  sent = never;
  // Short, so that the test does not wait: it may also pass before the node says where the tablets are.
  usePeers(20);
  await scanned();
  expect(store.requests).toBeGreaterThan(before);
  expect(failed[0]).toMatchObject({ node: others[0], reason: expect.stringMatching(/silent|no answer/) });
});

test('a scan that is cancelled while another node is silent ends at once', async () => {
  sent = never;
  const cancelled = new AbortController();
  const scan = reader.prepareScan(
    fixture.request({ table, tablets: [{ tablet: wide }], columns: [1], signal: cancelled.signal }),
  );
  await expect.poll(() => rangesAsked).toBeGreaterThan(0);
  cancelled.abort();
  await expect(scan).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
  expect(store.requests).toBe(0);
});
