import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { fromBinary } from '@bufbuild/protobuf';
import {
  type handleUnaryCall,
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { type Logger, startTimer, TesseraError } from '@tessera/common';
import { BulkServer, type BulkServerOptions } from './bulk/bulk-server.ts';
import { bulkEncoder, type EncodedMessage, isBulk } from './bulk/encoding.ts';
import { encodeError, statusOf } from './error-metadata.ts';
import { checkCall, metadataOf, type NodeCredentials } from './handshake.ts';
import { listen } from './listener.ts';
import { MAX_MESSAGE_BYTES } from './message-limit.ts';
import {
  grpcDefinition,
  methodDefinition,
  type RpcContext,
  type RpcHandlers,
  type RpcService,
  type ServedEvents,
  type ServedStream,
} from './service.ts';

/** A service and the functions that answer it, made with `serviceOf`. */
export interface ServedService {
  readonly service: RpcService;
  readonly handlers: Readonly<Record<string, unknown>>;
}

export interface RpcServerOptions extends NodeCredentials {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly services: readonly ServedService[];
  readonly log: Logger;
}

export interface RpcServer {
  readonly port: number;
  /** Accepts no new calls, lets running ones end for `graceMs`, then cancels them. */
  close(graceMs?: number): Promise<void>;
}

export function serviceOf<S extends RpcService>(service: S, handlers: RpcHandlers<S>): ServedService {
  return { service, handlers };
}

/** @throws the error of the operating system if the port is in use */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    'grpc.keepalive_time_ms': 30_000,
    // The statistics that gRPC collects for each call are not used.
    'grpc.enable_channelz': 0,
  });
  const open: OpenStreams = new Set();
  for (const served of options.services) {
    server.addService(grpcDefinition(served.service), implementation(served, options, open));
  }
  const bulk = new BulkServer({
    answer: bulkAnswers(options),
    toTesseraError: (error) => toTesseraError(error, options.log),
  });
  // The listener decrypts connections.
  const grpc = server.createConnectionInjector(ServerCredentials.createInsecure());
  const listener = await listen({
    host: options.host,
    port: options.port,
    tls: options.tls,
    grpc: (socket) => grpc.injectConnection(socket),
    bulk: (socket, read) => bulk.accept(socket, read),
  });
  const close = async (graceMs = 5_000) => {
    listener.close();
    const cut = startTimer(() => bulk.destroy(), graceMs);
    await Promise.all([closeServer(server, open, graceMs), bulk.close()]);
    cut.clear();
  };
  return { port: listener.port, close };
}

/** The answers to calls of the methods whose responses are bulk data. */
function bulkAnswers(options: RpcServerOptions): BulkServerOptions['answer'] {
  const methods = options.services.flatMap(({ service, handlers }) =>
    service.methods.flatMap((method) => {
      if (method.methodKind !== 'server_streaming' || !isBulk(method.output)) return [];
      const { path } = methodDefinition(method);
      const handler = handlers[method.localName] as StreamHandler;
      return [[path, { input: method.input, encode: bulkEncoder(method.output), handler }] as const];
    }),
  );
  const byPath = new Map(methods);
  return async function* ({ path, metadata, request }, context) {
    checkCall(metadataOf(metadata), options);
    const method = byPath.get(path);
    if (method === undefined) throw TesseraError.of('BAD_REQUEST', { message: `There is no method ${path}` });
    for await (const message of method.handler(fromBinary(method.input, request), context))
      yield method.encode(message);
  };
}

/** The open calls with messages in both directions. */
type OpenStreams = Set<ServedEvents<unknown>>;

function closeServer(server: Server, open: OpenStreams, graceMs: number): Promise<void> {
  for (const events of open) events.onClosing();
  return new Promise((resolve) => {
    const cut = startTimer(() => server.forceShutdown(), graceMs);
    server.tryShutdown(() => {
      cut.clear();
      resolve();
    });
  });
}

function implementation(
  { service, handlers }: ServedService,
  options: RpcServerOptions,
  open: OpenStreams,
): UntypedServiceImplementation {
  return Object.fromEntries(
    service.methods.map((method) => {
      const handler = handlers[method.localName];
      const answer = () => {
        switch (method.methodKind) {
          case 'server_streaming':
            return streaming(handler as StreamHandler, bulkEncoder(method.output), options);
          case 'bidi_streaming':
            return duplex(handler as DuplexHandler, bulkEncoder(method.output), options, open);
          default:
            return unary(handler as UnaryHandler, options);
        }
      };
      return [method.localName, answer()];
    }),
  );
}

type UnaryHandler = (request: unknown, context: RpcContext) => Promise<unknown>;
type StreamHandler = (request: unknown, context: RpcContext) => AsyncIterable<unknown>;
type DuplexHandler = (stream: ServedStream<unknown>, context: RpcContext) => ServedEvents<unknown>;

function unary(handler: UnaryHandler, options: RpcServerOptions): handleUnaryCall<unknown, unknown> {
  return (call, callback) => {
    const answer = async () => {
      checkCall(call.metadata, options);
      using context = contextOf(call);
      return await handler(call.request, context);
    };
    answer().then(
      (response) => callback(null, response),
      (error: unknown) => callback(statusOf(toTesseraError(error, options.log))),
    );
  };
}

function streaming(
  handler: StreamHandler,
  encode: (message: unknown) => EncodedMessage,
  options: RpcServerOptions,
) {
  return async (call: ServerWritableStream<unknown, unknown>): Promise<void> => {
    using context = contextOf(call);
    try {
      checkCall(call.metadata, options);
      let left: Promise<void> = Promise.resolve();
      for await (const message of handler(call.request, context)) {
        // While one message is being sent, the next one is made; a slow reader holds back the handler.
        await left;
        if (context.signal.aborted) return;
        left = write(call, encode(message), context.signal);
      }
      await left;
      call.end();
    } catch (error) {
      if (context.signal.aborted) return;
      call.emit('error', statusOf(toTesseraError(error, options.log)));
    }
  };
}

function duplex(
  handler: DuplexHandler,
  encode: (message: unknown) => EncodedMessage,
  options: RpcServerOptions,
  open: OpenStreams,
) {
  return (call: ServerDuplexStream<unknown, unknown>): void => {
    const fail = (error: unknown) => call.emit('error', statusOf(toTesseraError(error, options.log)));
    try {
      checkCall(call.metadata, options);
    } catch (error) {
      fail(error);
      return;
    }
    // The caller's library keeps what it has sent until it knows that the call has begun.
    call.sendMetadata(new Metadata());
    const context = contextOf(call);
    const events = handler(
      {
        send: (message) => write(call, encode(message), context.signal),
        end: () => call.end(),
        encodeError: (error) => encodeError(toTesseraError(error, options.log)),
      },
      context,
    );
    const ended = () => open.delete(events);
    open.add(events);
    call.on('data', (message) => events.onMessage(message));
    call.on('end', () => events.onClosing());
    call.once('finish', ended).once('close', ended);
  };
}

/** Copies the message before it returns. Resolves when the message has been sent or its call has ended. */
function write(
  call: ServerWritableStream<unknown, unknown> | ServerDuplexStream<unknown, unknown>,
  message: EncodedMessage,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const gone = () => resolve();
    signal.addEventListener('abort', gone, { once: true });
    call.write(message, () => {
      signal.removeEventListener('abort', gone);
      message.discard();
      resolve();
    });
  });
}

type ServedCall = EventEmitter & Pick<ServerUnaryCall<unknown, unknown>, 'cancelled' | 'getPeer'>;

function contextOf(call: ServedCall): RpcContext & Disposable {
  const controller = new AbortController();
  const cancel = () =>
    controller.abort(TesseraError.of('QUERY_CANCELLED', { reason: 'the calling node gave up' }));
  if (call.cancelled) cancel();
  else call.on('cancelled', cancel);
  return {
    signal: controller.signal,
    peer: call.getPeer(),
    // A call that was answered is reported as cancelled when it is closed.
    [Symbol.dispose]: () => void call.off('cancelled', cancel),
  };
}

function toTesseraError(error: unknown, log: Logger): TesseraError {
  if (error instanceof TesseraError) return error;
  const incident = randomUUID();
  log.error({ incident, err: error }, 'a call from another node caused an internal error');
  return TesseraError.of('INTERNAL', { incident });
}
