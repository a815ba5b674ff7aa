import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { createLogging, TesseraError } from '@tessera/common';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { BulkCallSchema } from '../generated/tessera/v1/bulk_pb.ts';
import { callMetadata, metadataTexts } from '../handshake.ts';
import { FileService, openRpcChannel, type RpcHandlers, serviceOf, startRpcServer } from '../index.ts';
import { grpcDefinition, methodDefinition } from '../service.ts';
import { BulkConnection, NoBulkServer } from './bulk-connection.ts';
import { bulkEncoder } from './encoding.ts';
import { ALIVE_EVERY_MS, FRAME, FrameReader, frameHeader, GREETING } from './frames.ts';

type ReadFile = RpcHandlers<typeof FileService>['readFile'];

const log = createLogging({ level: 'fatal', format: 'json', components: [], sinks: null }).logger('rpc');
const TOKEN = 'a-token-of-the-cluster';
const SIZES = [0, 1, 20_000, 3 << 20];

const stacks: AsyncDisposableStack[] = [];
afterEach(async () => {
  for (const stack of stacks.splice(0)) await stack.disposeAsync();
});

function channelTo(port: number, token = TOKEN) {
  const channel = openRpcChannel({
    address: `127.0.0.1:${port}`,
    clusterToken: token,
    unanswered: (reason) => TesseraError.of('NODE_LOST', { node: 'the other', reason }),
  });
  const stack = new AsyncDisposableStack();
  stacks.push(stack);
  stack.defer(() => channel.close());
  return channel.client(FileService);
}

async function serve(readFile: ReadFile) {
  const services = [serviceOf(FileService, { readFile })];
  const server = await startRpcServer({ host: '127.0.0.1', port: 0, services, clusterToken: TOKEN, log });
  const stack = new AsyncDisposableStack();
  stacks.push(stack);
  stack.defer(() => server.close(0));
  return server;
}

/** Forwards connections to a port, and counts and can break them. */
async function proxyTo(port: number) {
  const sockets: Socket[] = [];
  /** Breaks the next connection on which the caller sends something. */
  const next = { breaks: false };
  const proxy = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    client.on('data', (bytes) => {
      if (next.breaks) client.destroy();
      else upstream.write(bytes);
      next.breaks = false;
    });
    upstream.pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => {});
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
    sockets.push(client);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const stack = new AsyncDisposableStack();
  stacks.push(stack);
  stack.defer(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return { port: (proxy.address() as AddressInfo).port, sockets, next };
}

const pieces = (): Buffer[] =>
  SIZES.map((size) => Buffer.from(Uint8Array.from({ length: size }, (_, i) => (i * 7) % 251)));

const arePieces = (got: readonly Uint8Array[]): boolean => Buffer.concat(got).equals(Buffer.concat(pieces()));

const sendPieces: ReadFile = async function* () {
  for (const bytes of pieces()) yield { bytes };
};

async function read(client: ReturnType<typeof channelTo>, signal?: AbortSignal): Promise<Uint8Array[]> {
  const got: Uint8Array[] = [];
  for await (const { bytes } of client.readFile({ id: 'x' }, { signal })) got.push(bytes);
  return got;
}

/** Until the caller is gone. */
const gone = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve());
  });

it('responses of all sizes arrive as they were sent, call after call on one connection', async () => {
  const { port } = await serve(sendPieces);
  const proxy = await proxyTo(port);
  const client = channelTo(proxy.port);
  for (let call = 0; call < 3; call++) expect(arePieces(await read(client))).toBe(true);
  expect(proxy.sockets.length).toBe(1);
});

it('calls at the same time have connections of their own', async () => {
  const { port } = await serve(sendPieces);
  const proxy = await proxyTo(port);
  const client = channelTo(proxy.port);
  const all = await Promise.all([read(client), read(client), read(client)]);
  for (const got of all) expect(arePieces(got)).toBe(true);
  expect(proxy.sockets.length).toBe(3);
});

it('an error of the handler is thrown, after the responses before it', async () => {
  const thrown = TesseraError.of('FILE_NOT_FOUND', { url: 'shared file x', hint: 'the query has ended' });
  const { port } = await serve(async function* () {
    yield { bytes: Buffer.from('first') };
    throw thrown;
  });
  const client = channelTo(port);
  const responses = client.readFile({ id: 'x' })[Symbol.asyncIterator]();
  expect(Buffer.from((await responses.next()).value.bytes).toString()).toBe('first');
  const error = (await responses.next().catch((e: unknown) => e)) as TesseraError;
  expect(error.toData()).toEqual(thrown.toData());
});

it('a caller without the cluster token is refused', async () => {
  const { port } = await serve(sendPieces);
  await expect(read(channelTo(port, 'another-token-as-long'))).rejects.toMatchObject({
    name: 'UNAUTHENTICATED',
  });
});

it.each(['its signal', 'not reading on'])(
  'a call is cancelled by %s, and the handler is notified',
  async (how) => {
    const told = Promise.withResolvers<void>();
    const { port } = await serve(async function* (_, { signal }) {
      yield { bytes: Buffer.alloc(10) };
      await gone(signal);
      told.resolve();
      throw signal.reason;
    });
    const controller = new AbortController();
    const responses = channelTo(port)
      .readFile({ id: 'x' }, { signal: controller.signal })
      [Symbol.asyncIterator]();
    await responses.next();
    if (how === 'its signal') {
      const failed = expect(responses.next()).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
      controller.abort();
      await failed;
    } else await responses.return?.();
    await told.promise;
  },
);

it('a reader that does not take responses holds the handler back', async () => {
  let sent = 0;
  const { port } = await serve(async function* () {
    const bytes = Buffer.alloc(1 << 20);
    for (; sent < 200; sent++) yield { bytes };
  });
  const responses = channelTo(port).readFile({ id: 'x' })[Symbol.asyncIterator]();
  await responses.next();
  let before = -1;
  // The server sends as much as the buffers of the connection hold.
  const isSteady = () => {
    const same = sent === before;
    before = sent;
    return same;
  };
  await expect.poll(isSteady, { interval: 100 }).toBe(true);
  expect(sent).toBeLessThan(100);
  let read = 1;
  while (!(await responses.next()).done) read++;
  expect(read).toBe(200);
});

it('a connection that breaks during a call fails it, and the next call has another one', async () => {
  const { port } = await serve(async function* ({ id }, { signal }) {
    yield { bytes: Buffer.alloc(10) };
    if (id === 'x') await gone(signal);
  });
  const proxy = await proxyTo(port);
  const client = channelTo(proxy.port);
  const responses = client.readFile({ id: 'x' })[Symbol.asyncIterator]();
  await responses.next();
  const failed = expect(responses.next()).rejects.toMatchObject({ name: 'NODE_LOST' });
  proxy.sockets[0]!.destroy();
  await failed;
  const again = client.readFile({ id: 'y' })[Symbol.asyncIterator]();
  expect((await again.next()).value.bytes.length).toBe(10);
  expect((await again.next()).done).toBe(true);
});

it('a call on a connection that the server has just closed is made on a new one', async () => {
  const { port } = await serve(sendPieces);
  const proxy = await proxyTo(port);
  const client = channelTo(proxy.port);
  await read(client);
  proxy.next.breaks = true;
  expect(arePieces(await read(client))).toBe(true);
  expect(proxy.sockets.length).toBe(2);
});

it('a server that closes lets a running call end, and closes idle connections', async () => {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const server = await serve(async function* () {
    yield { bytes: Buffer.alloc(10) };
    begun.resolve();
    await end.promise;
    yield { bytes: Buffer.alloc(20) };
  });
  const call = read(channelTo(server.port));
  await begun.promise;
  const closed = server.close();
  end.resolve();
  expect((await call).map(({ length }) => length)).toEqual([10, 20]);
  await closed;
});

it('a server of an earlier version is called over gRPC', async () => {
  const encode = bulkEncoder(FileService.method.readFile.output);
  const server = new Server();
  server.addService(grpcDefinition(FileService), {
    readFile: (call: { write(message: unknown): void; end(): void }) => {
      for (const bytes of pieces()) call.write(encode({ bytes }));
      call.end();
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const proxy = await proxyTo(port);
  const client = channelTo(proxy.port);
  for (let call = 0; call < 2; call++) expect(arePieces(await read(client))).toBe(true);
  expect(proxy.sockets.length, 'one connection that is not answered, and one of gRPC').toBe(2);
  server.forceShutdown();
});

it('a server says during a call without responses that it is alive', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const begun = Promise.withResolvers<void>();
  const { port } = await serve(async function* (_, { signal }) {
    begun.resolve();
    yield* [];
    await gone(signal);
  });
  const metadata = metadataTexts(callMetadata({ clusterToken: TOKEN }));
  const path = methodDefinition(FileService.method.readFile).path;
  const call = toBinary(BulkCallSchema, create(BulkCallSchema, { path, metadata }));
  const kinds: number[] = [];
  const reader = new FrameReader((kind) => kinds.push(kind));
  const socket = connect(port, '127.0.0.1').on('data', (bytes) => reader.push(bytes));
  socket.write(Buffer.concat([GREETING, frameHeader(FRAME.call, call.length), call]));
  await begun.promise;
  for (let beats = 0; beats < 3; beats++) {
    vi.advanceTimersByTime(ALIVE_EVERY_MS);
    await expect.poll(() => kinds).toEqual([FRAME.hello, ...Array(beats + 1).fill(FRAME.alive)]);
  }
  socket.destroy();
});

it('gRPC is served on the same port, however its first bytes are divided', async () => {
  const { port } = await serve(sendPieces);
  const socket = connect(port, '127.0.0.1');
  const [preface, settings] = [
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    Buffer.from('000000040000000000', 'hex'),
  ];
  socket.write(preface.subarray(0, 3));
  await once(socket, 'connect');
  socket.write(Buffer.concat([preface.subarray(3), settings]));
  const [frame] = (await once(socket, 'data')) as [Buffer];
  expect(frame[3], 'the type of the first frame: SETTINGS').toBe(4);
  socket.destroy();
});

it.each([
  ['no call', Buffer.concat([Buffer.from('TSRBULK1'), frameHeader(FRAME.message, 0)])],
  [
    'garbage in a call',
    Buffer.concat([Buffer.from('TSRBULK1'), frameHeader(FRAME.call, 3), Buffer.from('abc')]),
  ],
  [
    'a frame that is too long',
    Buffer.concat([Buffer.from('TSRBULK1'), frameHeader(FRAME.call, (1 << 20) + 1)]),
  ],
])('a connection with %s is closed', async (_, bytes) => {
  const { port } = await serve(sendPieces);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}).resume();
  socket.write(bytes);
  await once(socket, 'close');
  expect(arePieces(await read(channelTo(port)))).toBe(true);
});

it('a server that sends nothing any more is lost; one that never answers the greeting has no bulk connections', async () => {
  for (const greets of [true, false]) {
    const silent = createServer((socket) => {
      socket.on('error', () => {});
      if (greets) socket.write(frameHeader(FRAME.hello, 0));
    });
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const connection = new BulkConnection({
      host: '127.0.0.1',
      port: (silent.address() as AddressInfo).port,
      silenceMs: 100,
    });
    const error = await connection
      .call(Buffer.alloc(0))
      .next()
      .catch((e: unknown) => e);
    if (greets) expect(error).toMatchObject({ message: 'the node does not answer' });
    else expect(error).toBeInstanceOf(NoBulkServer);
    silent.close();
  }
});
