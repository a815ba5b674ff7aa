import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { GenService, GenServiceMethods } from '@bufbuild/protobuf/codegenv2';
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';

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

/** The functions that implement a service. Bulk data is always pulled by its consumer: there are no client streams. */
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
      : never;
};

/** The service in the words of grpc-js: paths, and how messages become bytes. */
export function grpcDefinition(service: RpcService): ServiceDefinition {
  return Object.fromEntries(service.methods.map((method) => [method.localName, methodDefinition(method)]));
}

type RpcMethod = RpcService['methods'][number];

/** Requests are encoded by grpc-js; what a stream sends, by the stream (`bulkEncoder`), which sees it leave. */
export function methodDefinition(method: RpcMethod): MethodDefinition<unknown, unknown> {
  const request = codec(method.input);
  const response = codec(method.output);
  const responseStream = method.methodKind === 'server_streaming';
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    originalName: method.localName,
    requestStream: false,
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
    deserialize: (bytes: Buffer): unknown => fromBinary(message, bytes),
  };
}
