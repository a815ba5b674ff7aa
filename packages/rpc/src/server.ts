import { randomUUID } from 'node:crypto';
import {
  type handleUnaryCall,
  Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { type Logger, startTimer, TesseraError } from '@tessera/common';
import { bulkEncoder, type EncodedMessage } from './bulk-encoding.ts';
import { serverCredentials } from './cluster-tls.ts';
import { statusOf } from './error-metadata.ts';
import { checkCall, type NodeCredentials } from './handshake.ts';
import { MAX_MESSAGE_BYTES } from './message-limit.ts';
import { grpcDefinition, type RpcContext, type RpcHandlers, type RpcService } from './service.ts';

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
  /** Takes no new call, lets those under way end for `graceMs`, then cuts them off. */
  close(graceMs?: number): Promise<void>;
}

export function serviceOf<S extends RpcService>(service: S, handlers: RpcHandlers<S>): ServedService {
  return { service, handlers };
}

/** @throws the error of the operating system when the port is taken */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    'grpc.keepalive_time_ms': 30_000,
    // Nobody reads what gRPC would count for each call.
    'grpc.enable_channelz': 0,
  });
  for (const served of options.services) {
    server.addService(grpcDefinition(served.service), implementation(served, options));
  }
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${host}:${options.port}`, serverCredentials(options.tls), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { port, close: (graceMs = 5_000) => closeServer(server, graceMs) };
}

function closeServer(server: Server, graceMs: number): Promise<void> {
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
): UntypedServiceImplementation {
  return Object.fromEntries(
    service.methods.map((method) => {
      const handler = handlers[method.localName];
      const answer =
        method.methodKind === 'server_streaming'
          ? streaming(handler as StreamHandler, bulkEncoder(method.output), options)
          : unary(handler as UnaryHandler, options);
      return [method.localName, answer];
    }),
  );
}

type UnaryHandler = (request: unknown, context: RpcContext) => Promise<unknown>;
type StreamHandler = (request: unknown, context: RpcContext) => AsyncIterable<unknown>;

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
        // One message is on its way while the next one is made: a slow reader holds back the handler.
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

/** Copies the message before it returns; resolves when the message has left, or nobody waits for it any more. */
function write(
  call: ServerWritableStream<unknown, unknown>,
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

function contextOf(
  call: ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>,
): RpcContext & Disposable {
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
