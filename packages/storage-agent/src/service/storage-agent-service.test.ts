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

test('another node can warm tablets, read local ranges, and evict tablets', async () => {
  const node = client();
  const warmed = await node.warm({ table: json(table), tablets: [json(tablet)], columns: [1] });
  expect(warmed.bytesFetched).toBeGreaterThan(0n);
  expect(await node.status({})).toMatchObject({
    tabletsOnDisk: 1n,
    misses: 1n,
    bytesFetched: warmed.bytesFetched,
  });
  const located = await node.locate({ tabletIds: ['01ARZ3NDEKTSV4RRFFQ69G5FAV', tablet.id] });
  expect(located.bytesOnDisk).toEqual([0n, expect.any(BigInt)]);
  expect(located.bytesOnDisk[1]).toBeGreaterThanOrEqual(warmed.bytesFetched);

  const object = (await fixture.store.get(tablet.key!))!.body;
  const header = await readHeader(object.subarray(tablet.headerOffset), tablet);
  const read = async (offset: number, bytes: number, chunks: { column: number; granule: number }[] = []) => {
    const pieces: Uint8Array[] = [];
    const range = { tabletId: tablet.id, offset: BigInt(offset), bytes: BigInt(bytes), chunks };
    for await (const { data } of node.readRange(range)) pieces.push(data);
    return Buffer.concat(pieces);
  };
  const [warm, cold] = header.columns.map(({ id, granules }) => ({
    column: id,
    granule: 1,
    ...granules[1]!,
  }));
  expect(await read(warm!.offset, warm!.bytes, [warm!])).toEqual(
    object.subarray(warm!.offset, warm!.offset + warm!.bytes),
  );
  const tailBytes = tablet.bytes - tablet.headerOffset;
  expect(await read(tablet.headerOffset, tailBytes)).toEqual(object.subarray(tablet.headerOffset));
  // Column 2 was not fetched, and so neither was the whole object. There is nothing beyond its end.
  expect(await read(cold!.offset, cold!.bytes, [cold!])).toHaveLength(0);
  expect(await read(0, tablet.bytes)).toHaveLength(0);
  expect(await read(tablet.headerOffset, tailBytes + 1)).toHaveLength(0);

  await node.evict({ tablets: [json(tablet)] });
  expect(await node.status({})).toMatchObject({ tabletsOnDisk: 0n });
  expect(await node.locate({ tabletIds: [tablet.id] })).toMatchObject({ bytesOnDisk: [0n] });
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
