import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { type ErrorData, TesseraError } from '@tessera/common';

/** Carries a TesseraError as data in addition to the status, so that its kind and causes survive the wire. */
const ERROR_KEY = 'tessera-error-bin';
/** gRPC peers refuse metadata beyond a few KiB. */
const MAX_MESSAGE = 1_500;
const MAX_PARAM = 200;

export interface RpcStatus {
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;
}

export function statusOf(error: TesseraError): RpcStatus {
  const metadata = new Metadata();
  metadata.set(ERROR_KEY, encodeError(error));
  return { code: codeOf(error), details: error.message.slice(0, MAX_MESSAGE), metadata };
}

/** The error that the other process threw; undefined when there was no such error but the call itself failed. */
export function tesseraErrorOf(error: ServiceError): TesseraError | undefined {
  const [value] = error.metadata?.get(ERROR_KEY) ?? [];
  return Buffer.isBuffer(value) ? errorOf(value) : undefined;
}

/** The error as bytes, for messages and metadata. */
export const encodeError = (error: TesseraError): Buffer =>
  Buffer.from(JSON.stringify(shortened(error.toData())));

/** Reverses `encodeError`. */
export function errorOf(bytes: Uint8Array): TesseraError {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return TesseraError.fromData(JSON.parse(text) as ErrorData);
}

/** The gRPC status, for tools that do not know our metadata. */
function codeOf(error: TesseraError): status {
  if (error.name === 'UNAUTHENTICATED') return status.UNAUTHENTICATED;
  if (error.name === 'QUERY_CANCELLED') return status.CANCELLED;
  if (error.retry !== 'never') return status.UNAVAILABLE;
  return error.name === 'INTERNAL' ? status.INTERNAL : status.FAILED_PRECONDITION;
}

function shortened(data: ErrorData, depth = 0): ErrorData {
  const { cause } = data;
  const cut = (message: string) => message.slice(0, MAX_MESSAGE);
  return {
    ...data,
    message: cut(data.message),
    params:
      data.params &&
      Object.fromEntries(
        Object.entries(data.params).map(([name, value]) => [
          name,
          typeof value === 'string' ? value.slice(0, MAX_PARAM) : value,
        ]),
      ),
    cause:
      cause === undefined || depth === 3
        ? undefined
        : 'name' in cause
          ? shortened(cause, depth + 1)
          : { message: cut(cause.message) },
  };
}
