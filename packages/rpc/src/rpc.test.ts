import { createLogging, TesseraError } from '@tessera/common';
import { afterEach, describe, expect, it } from 'vitest';
import { StorageManagerService } from './generated/tessera/v1/storage_manager_pb.ts';
import { type NodeStore, openRpcChannel, type RpcHandlers, serviceOf, startRpcServer } from './index.ts';

const log = createLogging({ level: 'fatal', format: 'json', components: [], sinks: null }).logger('rpc');
const TOKEN = 'a-token-of-the-cluster';
type Handlers = RpcHandlers<typeof StorageManagerService>;

const open: AsyncDisposableStack[] = [];
afterEach(async () => {
  for (const stack of open.splice(0)) await stack.disposeAsync();
});

const STORE: NodeStore = { instance: 'i', id: '01A', url: 's3://tables/i' };
const unused = () => Promise.reject(new Error('not called'));

async function pair(
  handlers: Partial<Handlers>,
  {
    token = TOKEN,
    protocolVersion = 1,
    kernelVersion = 'v1',
    engine = 'i/ö',
    tableStore = STORE as NodeStore | undefined,
  } = {},
) {
  const stack = new AsyncDisposableStack();
  open.push(stack);
  const all: Handlers = {
    latest: unused,
    commit: unused,
    reportPins: unused,
    collectGarbage: unused,
    ...handlers,
  };
  const server = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    services: [serviceOf(StorageManagerService, all)],
    clusterToken: TOKEN,
    kernelVersion: 'v1',
    engine: 'i/ö',
    tableStore: STORE,
    log,
  });
  stack.defer(() => server.close(0));
  const channel = openRpcChannel({
    address: `127.0.0.1:${server.port}`,
    clusterToken: token,
    protocolVersion,
    kernelVersion,
    engine,
    tableStore,
    unanswered: (reason) => TesseraError.of('METADATA_UNAVAILABLE', { reason }),
  });
  stack.defer(() => channel.close());
  return { client: channel.client(StorageManagerService), server };
}

describe('a call', () => {
  it('is answered', async () => {
    const { client } = await pair({
      commit: async ({ transaction }) => ({ version: BigInt(transaction.length) }),
    });
    expect((await client.commit({ transaction: new Uint8Array(300) })).version).toBe(300n);
  });

  it('throws what the handler threw, with place and causes', async () => {
    const cause = TesseraError.of('STORAGE_UNAVAILABLE', { url: 's3://b', reason: 'SlowDown' });
    const thrown = TesseraError.of('TRANSACTION_CONFLICT', { message: 'é changed' }, { cause }).with({
      location: { line: 1, startColumn: 2, endColumn: 3 },
    });
    const { client } = await pair({ commit: () => Promise.reject(thrown) });
    const error = await client.commit({}).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(TesseraError);
    expect((error as TesseraError).toData()).toEqual(thrown.toData());
  });

  it('reports a defect as INTERNAL without details', async () => {
    const { client } = await pair({ commit: () => Promise.reject(new Error('secret path')) });
    const error = (await client.commit({}).catch((e: unknown) => e)) as TesseraError;
    expect(error.name).toBe('INTERNAL');
    expect(error.message).not.toContain('secret');
  });

  it('fails with the error of its channel if the other node does not answer', async () => {
    const { client, server } = await pair({});
    await server.close(0);
    await expect(client.commit({}, { timeoutMs: 5_000 })).rejects.toMatchObject({
      name: 'METADATA_UNAVAILABLE',
    });
  });

  it('ends at its deadline, and the handler is notified', async () => {
    const told = Promise.withResolvers<void>();
    const { client } = await pair({
      commit: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            told.resolve();
            reject(signal.reason);
          });
        }),
    });
    await expect(client.commit({}, { timeoutMs: 100 })).rejects.toThrow('no answer in time');
    await told.promise;
  });

  it('has the given time limit, even if it is more than 2^31 milliseconds', async () => {
    const { client } = await pair({
      commit: async (_, { signal }) => {
        const passed = await new Promise<boolean>((resolve) => {
          signal.addEventListener('abort', () => resolve(true));
          setTimeout(() => resolve(false), 50);
        });
        return { version: passed ? 0n : 7n };
      },
    });
    expect((await client.commit({}, { timeoutMs: 3_000_000_000 })).version).toBe(7n);
  });

  it('is cancelled by its signal, and the handler is notified', async () => {
    const begun = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    const { client } = await pair({
      commit: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          begun.resolve();
          signal.addEventListener('abort', () => {
            told.resolve();
            reject(signal.reason);
          });
        }),
    });
    const controller = new AbortController();
    const call = client.commit({}, { signal: controller.signal });
    const failed = expect(call).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    await begun.promise;
    controller.abort();
    await failed;
    await told.promise;
  });
});

describe('the handshake', () => {
  it('refuses another cluster token', async () => {
    const { client } = await pair({}, { token: 'another-token-as-long' });
    await expect(client.commit({})).rejects.toMatchObject({ name: 'UNAUTHENTICATED' });
  });

  it('refuses another protocol version, naming both', async () => {
    const { client } = await pair({}, { protocolVersion: 7 });
    await expect(client.commit({})).rejects.toThrow(
      'This node uses version 1 of the internal protocol, the caller uses version 7',
    );
  });

  it('refuses another version of the kernel, naming both', async () => {
    const { client } = await pair({}, { kernelVersion: 'v0.9' });
    await expect(client.commit({})).rejects.toMatchObject({
      name: 'KERNEL_MISMATCH',
      message: 'This node runs kernel v1 (queries 3), the caller runs v0.9 (queries 3)',
    });
  });

  it.each([
    [
      'instance id',
      { instance: 'ö', id: '01A', url: 's3://tables/ö' },
      's3://tables/ö (instance.id ö, store 01A)',
    ],
    ['store', { instance: 'i', id: '01B', url: 's3://others/i' }, 's3://others/i (instance.id i, store 01B)'],
  ])('refuses nodes with another %s, naming both', async (_, tableStore, theirs) => {
    const { client } = await pair({}, { tableStore });
    await expect(client.commit({})).rejects.toMatchObject({
      name: 'STORE_MISMATCH',
      message: expect.stringContaining(
        `in s3://tables/i (instance.id i, store 01A), the caller stores them in ${theirs}`,
      ),
    });
  });

  it('accepts nodes that reach the same store by another address, and versions that send no store', async () => {
    for (const tableStore of [{ ...STORE, url: 's3://elsewhere/i' }, undefined]) {
      const { client } = await pair({ commit: async () => ({ version: 1n }) }, { tableStore });
      expect((await client.commit({})).version).toBe(1n);
    }
  });

  it('refuses nodes of another engine, naming both', async () => {
    const { client } = await pair({}, { engine: 'i/b' });
    await expect(client.commit({})).rejects.toThrow(
      'of the engine i/ö (instance.id, engine.id), the caller of i/b',
    );
  });
});
