import type { TableObject, Tablet } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import {
  openRpcChannel,
  type RpcChannel,
  type RpcServer,
  StorageAgentService,
  startRpcServer,
} from '@tessera/rpc';
import { readHeader } from '@tessera/tablet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StorageAgent } from '../storage-agent.ts';
import { FaultyStore } from '../testing/faulty-store.ts';
import { Fixture } from '../testing/fixture.ts';
import { storeTablet, testTable, WIDE } from '../testing/tables.ts';
import { storageAgentService } from './storage-agent-service.ts';

const TOKEN = 'token-of-the-cluster';
let fixture: Fixture;
let agent: StorageAgent;
let server: RpcServer;
const channels: RpcChannel[] = [];
let table: TableObject;
let tablet: Tablet;

beforeAll(async () => {
  fixture = await Fixture.open();
  agent = await fixture.agent({ store: new FaultyStore(fixture.store) });
  table = { ...testTable('facts', { a: 'BIGINT', b: 'VARCHAR' }), indexGranularity: 20_480 };
  tablet = await storeTablet(
    fixture,
    table,
    'SELECT i AS a, md5(i::VARCHAR) AS b FROM range(60000) t(i)',
    WIDE,
  );
  const silent = () => undefined;
  const log = { info: silent, warn: silent, error: silent, debug: silent } as never;
  const services = [storageAgentService(agent)];
  server = await startRpcServer({ host: '127.0.0.1', port: 0, services, clusterToken: TOKEN, log });
});
afterAll(async () => {
  for (const channel of channels) channel.close();
  await server.close(0);
  await fixture[Symbol.asyncDispose]();
});

function client(clusterToken = TOKEN) {
  const unanswered = (reason: string) =>
    TesseraError.of('STORAGE_UNAVAILABLE', { url: 'the other node', reason });
  const channel = openRpcChannel({ address: `127.0.0.1:${server.port}`, clusterToken, unanswered });
  channels.push(channel);
  return channel.client(StorageAgentService);
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

test('another node can warm tablets, read local chunks, and evict tablets', async () => {
  const node = client();
  const warmed = await node.warm({ table: json(table), tablets: [json(tablet)], columns: [1] });
  expect(warmed.bytesFetched).toBeGreaterThan(0n);
  expect(await node.status({})).toMatchObject({
    tabletsOnDisk: 1n,
    misses: 1n,
    bytesFetched: warmed.bytesFetched,
  });

  const object = (await fixture.store.get(tablet.key!))!.body;
  const header = await readHeader(object.subarray(tablet.headerOffset), tablet);
  const got = new Map<string, Buffer[]>();
  const chunks = [0, 1, 2].flatMap((granule) => [1, 2].map((column) => ({ column, granule })));
  for await (const { chunk, data } of node.readChunks({ tablet: json(tablet), chunks })) {
    const name = `${chunk!.column}:${chunk!.granule}`;
    got.set(name, [...(got.get(name) ?? []), Buffer.from(data)]);
  }
  // Column 2 was not fetched.
  expect([...got.keys()].sort()).toEqual(['1:0', '1:1', '1:2']);
  for (const [granule, { offset, bytes }] of header.columns[0]!.granules.entries()) {
    expect(Buffer.concat(got.get(`1:${granule}`)!).equals(object.subarray(offset, offset + bytes))).toBe(
      true,
    );
  }

  await node.evict({ tablets: [json(tablet)] });
  expect(await node.status({})).toMatchObject({ tabletsOnDisk: 0n });
});

test('a caller without the token of the cluster, and a malformed request, are refused', async () => {
  await expect(client('another').status({})).rejects.toMatchObject({ name: 'UNAUTHENTICATED' });
  await expect(client().evict({ tablets: [Buffer.from('{')] })).rejects.toMatchObject({
    name: 'BAD_REQUEST',
  });
});

test('an error reaches the caller unchanged', async () => {
  const gone = { ...tablet, id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', key: 'tablets/none.parquet' };
  await expect(
    client().warm({ table: json(table), tablets: [json(gone)], columns: [1] }),
  ).rejects.toMatchObject({
    name: 'OBJECT_NOT_FOUND',
  });
});
