import { type DescMessage, fromBinary } from '@bufbuild/protobuf';
import {
  Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  type Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { cancellation, MAX_TIMER_MS, measurement, TesseraError } from '@tessera/common';
import { BulkCaller } from './bulk/bulk-caller.ts';
import { NoBulkServer } from './bulk/bulk-connection.ts';
import { isBulk } from './bulk/encoding.ts';
import { channelCredentials, channelTlsOptions } from './cluster-tls.ts';
import { tesseraErrorOf } from './error-metadata.ts';
import { callMetadata, metadataTexts, type NodeCredentials } from './handshake.ts';
import { MAX_MESSAGE_BYTES } from './message-limit.ts';
import {
  type CallerEvents,
  type CallerStream,
  type CallOptions,
  methodDefinition,
  type RpcClient,
  type RpcService,
} from './service.ts';

export interface RpcChannelOptions extends NodeCredentials {
  /** `host:port` */
  readonly address: string;
  /** Creates the error for a call that the other node did not answer. */
  readonly unanswered: (reason: string, kind: Unanswered) => TesseraError;
  /** Overrides the version of the protocol, for tests of the handshake. */
  readonly protocolVersion?: number;
}

/** Whether the call timed out, or the connection failed or was lost. */
export type Unanswered = 'late' | 'unreachable';

/** A connection to another node. It is opened by the first call, and again after it was lost. */
export interface RpcChannel {
  readonly address: string;
  client<S extends RpcService>(service: S): RpcClient<S>;
  close(): void;
}

/** Channels to other nodes: one for each address, which is opened when it is first used. */
export class RpcChannels {
  readonly #open: (address: string) => RpcChannel;
  readonly #channels = new Map<string, RpcChannel>();

  constructor(open: (address: string) => RpcChannel) {
    this.#open = open;
  }

  to(address: string): RpcChannel {
    let channel = this.#channels.get(address);
    if (channel === undefined) {
      channel = this.#open(address);
      this.#channels.set(address, channel);
    }
    return channel;
  }

  close(): void {
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
  }
}

/** A call to another node that has ended. */
export interface RpcCall {
  /** `/tessera.v1.ShuffleService/Fetch` */
  readonly path: string;
  /** `ok`, or the name of the error. */
  readonly outcome: string;
}

export const rpcCalls = measurement<RpcCall>('rpc-call');

/** Bulk data is pulled: the receiver is the client, whose receive window applies. */
const RECEIVE_WINDOW_BYTES = 4 << 20;

export function openRpcChannel(options: RpcChannelOptions): RpcChannel {
  const client = new Client(options.address, channelCredentials(options.tls, options.address), {
    ...(options.tls !== undefined && channelTlsOptions(options.address)),
    'grpc-node.flow_control_window': RECEIVE_WINDOW_BYTES,
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    'grpc.keepalive_time_ms': 10_000,
    'grpc.keepalive_timeout_ms': 5_000,
    'grpc.initial_reconnect_backoff_ms': 50,
    'grpc.min_reconnect_backoff_ms': 50,
    'grpc.max_reconnect_backoff_ms': 2_000,
    // The statistics that gRPC collects for each call are not used.
    'grpc.enable_channelz': 0,
    // Two channels to the same address do not share a connection, because closing one must not disturb the
    // other.
    'grpc.use_local_subchannel_pool': 1,
  });
  const metadata = callMetadata(options);
  const bulk = new BulkCaller(options.address, metadataTexts(metadata), options.tls);
  const caller: Caller = { client, metadata, bulk, unanswered: options.unanswered, streams: new Set() };
  return {
    address: options.address,
    client: (service) => clientOf(service, caller),
    close: () => {
      // The library waits for running calls to end, but these have no end of their own.
      for (const stream of caller.streams) stream.cancel();
      bulk.close();
      client.close();
    },
  };
}

interface Caller {
  /** The open calls with messages in both directions. */
  readonly streams: Set<ClientDuplexStream<unknown, unknown>>;
  readonly client: Client;
  readonly metadata: Metadata;
  readonly bulk: BulkCaller;
  readonly unanswered: RpcChannelOptions['unanswered'];
}

function clientOf<S extends RpcService>(service: S, caller: Caller): RpcClient<S> {
  const calls = service.methods.map((method) => {
    const definition = methodDefinition(method);
    const call = (request: unknown, options: CallOptions = {}) => {
      switch (method.methodKind) {
        case 'server_streaming':
          return isBulk(method.output) && options.timeoutMs === undefined
            ? bulkStreaming(caller, method.output, definition, request, options)
            : streaming(caller, definition, request, options);
        case 'bidi_streaming':
          return duplex(caller, definition, request as CallerEvents<unknown>);
        default:
          return unary(caller, definition, request, options);
      }
    };
    return [method.localName, call] as const;
  });
  return Object.fromEntries(calls) as RpcClient<S>;
}

type Definition = ReturnType<typeof methodDefinition>;

async function unary(
  caller: Caller,
  definition: Definition,
  request: unknown,
  options: CallOptions,
): Promise<unknown> {
  const { signal } = options;
  if (signal?.aborted) throw cancellation(signal);
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const call = caller.client.makeUnaryRequest(
    definition.path,
    definition.requestSerialize,
    definition.responseDeserialize,
    request,
    caller.metadata,
    deadline(options),
    (error, response) => {
      if (error) return reject(failure(error, caller, signal, definition));
      rpcCalls.emit({ path: definition.path, outcome: 'ok' });
      resolve(response);
    },
  );
  const cancel = () => call.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  return promise.finally(() => signal?.removeEventListener('abort', cancel));
}

async function* streaming(
  caller: Caller,
  definition: Definition,
  request: unknown,
  options: CallOptions,
): AsyncGenerator<unknown> {
  const { signal } = options;
  if (signal?.aborted) throw cancellation(signal);
  const call: ClientReadableStream<unknown> = caller.client.makeServerStreamRequest(
    definition.path,
    definition.requestSerialize,
    definition.responseDeserialize,
    request,
    caller.metadata,
    deadline(options),
  );
  const cancel = () => call.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  let ended = false;
  try {
    for await (const message of call) yield message;
    ended = true;
    rpcCalls.emit({ path: definition.path, outcome: 'ok' });
  } catch (error) {
    ended = true;
    throw failure(error as ServiceError, caller, signal, definition);
  } finally {
    signal?.removeEventListener('abort', cancel);
    if (!ended) call.cancel();
  }
}

/** Like `streaming`, on a bulk connection if the other node has them. */
async function* bulkStreaming(
  caller: Caller,
  type: DescMessage,
  definition: Definition,
  request: unknown,
  options: CallOptions,
): AsyncGenerator<unknown> {
  const { signal } = options;
  if (signal?.aborted) throw cancellation(signal);
  const { path } = definition;
  try {
    for await (const content of caller.bulk.call(path, definition.requestSerialize(request), signal))
      yield fromBinary(type, content);
    rpcCalls.emit({ path, outcome: 'ok' });
  } catch (error) {
    if (error instanceof NoBulkServer && signal?.aborted !== true) {
      yield* streaming(caller, definition, request, options);
      return;
    }
    throw failure(error as Error, caller, signal, definition);
  }
}

function duplex(
  caller: Caller,
  definition: Definition,
  { onMessage, onEnd }: CallerEvents<unknown>,
): CallerStream<unknown> {
  const call = caller.client.makeBidiStreamRequest(
    definition.path,
    definition.requestSerialize,
    definition.responseDeserialize,
    caller.metadata,
  );
  let isOpen = true;
  const end = (error: TesseraError) => {
    if (!isOpen) return;
    isOpen = false;
    caller.streams.delete(call);
    onEnd(error);
  };
  caller.streams.add(call);
  call.on('data', onMessage);
  call.on('error', (error: ServiceError) => end(failure(error, caller, undefined, definition)));
  call.on('end', () => end(caller.unanswered('it has ended the call', 'unreachable')));
  return {
    send: (message) => {
      if (isOpen) call.write(message);
    },
    cancel: () => call.cancel(),
    late: () => caller.unanswered(LATE, 'late'),
  };
}

const LATE = 'no answer in time';

/**
 * gRPC counts deadlines in 32-bit milliseconds; a later deadline would pass at once. The signal ends such a
 * call instead.
 */
const MAX_DEADLINE_MS = MAX_TIMER_MS - 1_000;

function deadline({ timeoutMs }: CallOptions) {
  return timeoutMs === undefined || timeoutMs > MAX_DEADLINE_MS ? {} : { deadline: Date.now() + timeoutMs };
}

function failure(
  error: Error | ServiceError,
  caller: Caller,
  signal: AbortSignal | undefined,
  { path }: Definition,
): TesseraError {
  const failed = failureOf(error, caller, signal);
  rpcCalls.emit({ path, outcome: failed.name });
  return failed;
}

function failureOf(
  error: Error | ServiceError,
  caller: Caller,
  signal: AbortSignal | undefined,
): TesseraError {
  if (signal?.aborted) return cancellation(signal);
  if (error instanceof TesseraError) return error;
  if (!('metadata' in error)) return caller.unanswered(error.message, 'unreachable');
  const received = tesseraErrorOf(error);
  if (received !== undefined) return received;
  return error.code === status.DEADLINE_EXCEEDED
    ? caller.unanswered(LATE, 'late')
    : caller.unanswered(reasonOf(error), 'unreachable');
}

/** The error of the operating system, without the text that grpc-js wraps around it. */
function reasonOf({ details, message }: ServiceError): string {
  return (details ?? message)
    .replace(/^No connection established\. Last error: (?:Error: )?/, '')
    .replace(/\s*Resolution note:\s*$/, '')
    .replace(/\.$/, '');
}
