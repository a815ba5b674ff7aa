import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { GenService, GenServiceMethods } from '@bufbuild/protobuf/codegenv2';
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import type { TesseraError } from '@tessera/common';
import { countReceived } from './received-garbage.ts';

/** A generated service: what `*_pb.ts` files export. */
export type RpcService = GenService<GenServiceMethods>;

export interface RpcContext {
  /** Aborted when the caller cancels, disconnects or its deadline passes. */
  readonly signal: AbortSignal;
  /** Address of the caller, for logs. */
  readonly peer: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** The calling end of a call with messages in both directions. */
export interface CallerStream<Request> {
  /** Sends a message; without effect once the call has ended. */
  send(message: Request): void;
  /** Ends the call. The other node stops what it does for it. */
  cancel(): void;
  /** The error for a message that is not answered in time. */
  late(): TesseraError;
}

export interface CallerEvents<Response> {
  onMessage(message: Response): void;
  /** Called once when the call has ended for any reason; no message comes after that. */
  onEnd(error: TesseraError): void;
}

/** The serving end of a call with messages in both directions. */
export interface ServedStream<Response> {
  /** Resolves when the message has been sent, or the call has ended. */
  send(message: Response): Promise<void>;
  /** Ends the call after all messages have been sent. */
  end(): void;
  /** An error in a form for messages (`errorOf`). A defect is logged and becomes INTERNAL. */
  encodeError(error: unknown): Uint8Array;
}

export interface ServedEvents<Request> {
  onMessage(message: Request): void;
  /**
   * Called when the server closes, or when the caller will send no more messages: the call must be ended after
   * the outstanding replies.
   */
  onClosing(): void;
}

/** The functions that implement a service. Bulk data is always pulled by its consumer. */
export type RpcHandlers<S extends RpcService> = {
  readonly [K in keyof S['method']]: S['method'][K] extends {
    methodKind: 'unary';
    input: infer I extends DescMessage;
    output: infer O extends DescMessage;
  }
    ? (request: MessageShape<I>, context: RpcContext) => Promise<MessageInitShape<O>>
    : S['method'][K] extends {
          methodKind: 'server_streaming';
          input: infer I extends DescMessage;
          output: infer O extends DescMessage;
        }
      ? (request: MessageShape<I>, context: RpcContext) => AsyncIterable<MessageInitShape<O>>
      : S['method'][K] extends {
            methodKind: 'bidi_streaming';
            input: infer I extends DescMessage;
            output: infer O extends DescMessage;
          }
        ? (stream: ServedStream<MessageInitShape<O>>, context: RpcContext) => ServedEvents<MessageShape<I>>
        : never;
};

/** The same service as its callers see it. Failures are the TesseraError that the other process threw. */
export type RpcClient<S extends RpcService> = {
  readonly [K in keyof S['method']]: S['method'][K] extends {
    methodKind: 'unary';
    input: infer I extends DescMessage;
    output: infer O extends DescMessage;
  }
    ? (request: MessageInitShape<I>, options?: CallOptions) => Promise<MessageShape<O>>
    : S['method'][K] extends {
          methodKind: 'server_streaming';
          input: infer I extends DescMessage;
          output: infer O extends DescMessage;
        }
      ? (request: MessageInitShape<I>, options?: CallOptions) => AsyncIterable<MessageShape<O>>
      : S['method'][K] extends {
            methodKind: 'bidi_streaming';
            input: infer I extends DescMessage;
            output: infer O extends DescMessage;
          }
        ? (events: CallerEvents<MessageShape<O>>) => CallerStream<MessageInitShape<I>>
        : never;
};

/** The service in the form that grpc-js requires: paths and encodings of messages. */
export function grpcDefinition(service: RpcService): ServiceDefinition {
  return Object.fromEntries(service.methods.map((method) => [method.localName, methodDefinition(method)]));
}

type RpcMethod = RpcService['methods'][number];

/**
 * Requests are encoded by grpc-js. Messages of a stream are encoded by the stream (`bulkEncoder`), which knows
 * when they have been sent.
 */
export function methodDefinition(method: RpcMethod): MethodDefinition<unknown, unknown> {
  const request = codec(method.input);
  const response = codec(method.output);
  const requestStream = method.methodKind === 'bidi_streaming';
  const responseStream = requestStream || method.methodKind === 'server_streaming';
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    originalName: method.localName,
    requestStream,
    responseStream,
    requestSerialize: request.serialize,
    requestDeserialize: request.deserialize,
    responseSerialize: responseStream ? (encoded) => encoded as Buffer : response.serialize,
    responseDeserialize: response.deserialize,
  };
}

function codec(message: DescMessage) {
  return {
    serialize: (value: unknown): Buffer => {
      const bytes = toBinary(message, create(message, value as MessageInitShape<DescMessage>));
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    deserialize: (bytes: Buffer): unknown => {
      countReceived(bytes.length);
      return fromBinary(message, bytes);
    },
  };
}
