import { TesseraError } from '@tessera/common';
import type { ValueFormat } from '@tessera/sql';
import type { Frame } from './frame-reader.ts';
import { PayloadReader } from './payload-reader.ts';

export interface BindMessage {
  readonly kind: 'bind';
  readonly portal: string;
  readonly statement: string;
  /** An empty list means text for all; a list of one applies to all. */
  readonly parameterFormats: readonly ValueFormat[];
  /** null represents NULL. */
  readonly parameters: readonly (Buffer | null)[];
  readonly resultFormats: readonly ValueFormat[];
}

/** The messages that a client may send after authentication. */
export type FrontendMessage =
  | { readonly kind: 'query'; readonly sql: string }
  | {
      readonly kind: 'parse';
      readonly statement: string;
      readonly sql: string;
      /** 0 lets the server infer the type. */
      readonly parameterTypes: readonly number[];
    }
  | BindMessage
  | { readonly kind: 'describe'; readonly what: 'statement' | 'portal'; readonly name: string }
  | { readonly kind: 'close'; readonly what: 'statement' | 'portal'; readonly name: string }
  /** 0 rows means no limit. */
  | { readonly kind: 'execute'; readonly portal: string; readonly maxRows: number }
  | { readonly kind: 'flush' | 'sync' | 'terminate' | 'copy_done' | 'function_call' }
  | { readonly kind: 'copy_data'; readonly data: Buffer }
  | { readonly kind: 'copy_fail'; readonly reason: string }
  /** The response to an authentication request. */
  | { readonly kind: 'password'; readonly data: Buffer };

const READERS: Readonly<Record<string, (reader: PayloadReader) => FrontendMessage>> = {
  Q: (reader) => ({ kind: 'query', sql: reader.text() }),
  P: (reader) => ({
    kind: 'parse',
    statement: reader.text(),
    sql: reader.text(),
    parameterTypes: list(reader, 4, () => reader.uint32()),
  }),
  B: (reader) => ({
    kind: 'bind',
    portal: reader.text(),
    statement: reader.text(),
    parameterFormats: list(reader, 2, () => format(reader)),
    parameters: list(reader, 4, () => value(reader)),
    resultFormats: list(reader, 2, () => format(reader)),
  }),
  D: (reader) => ({ kind: 'describe', what: target(reader), name: reader.text() }),
  C: (reader) => ({ kind: 'close', what: target(reader), name: reader.text() }),
  E: (reader) => ({ kind: 'execute', portal: reader.text(), maxRows: Math.max(0, reader.int32()) }),
  H: () => ({ kind: 'flush' }),
  S: () => ({ kind: 'sync' }),
  X: () => ({ kind: 'terminate' }),
  F: (reader) => {
    reader.rest();
    return { kind: 'function_call' };
  },
  d: (reader) => ({ kind: 'copy_data', data: reader.rest() }),
  c: () => ({ kind: 'copy_done' }),
  f: (reader) => ({ kind: 'copy_fail', reason: reader.text() }),
  p: (reader) => ({ kind: 'password', data: reader.rest() }),
};

/** @throws TesseraError PROTOCOL_VIOLATION, INVALID_ENCODING */
export function readFrontendMessage({ type, body }: Frame): FrontendMessage {
  const name = String.fromCharCode(type);
  const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (read === undefined) {
    throw TesseraError.of('PROTOCOL_VIOLATION', { message: `Invalid type of a message: ${type}` });
  }
  const reader = new PayloadReader(body);
  const message = read(reader);
  reader.end();
  return message;
}

/**
 * Whether a byte is the type of a message. With any other byte, the stream is out of sync and cannot recover.
 */
export const isFrontendType = (type: number): boolean => Object.hasOwn(READERS, String.fromCharCode(type));

function list<T>(reader: PayloadReader, bytesEach: number, read: () => T): T[] {
  const count = reader.count(bytesEach);
  const items: T[] = [];
  for (let i = 0; i < count; i += 1) items.push(read());
  return items;
}

function value(reader: PayloadReader): Buffer | null {
  const length = reader.int32();
  return length === -1 ? null : reader.bytes(length);
}

function format(reader: PayloadReader): ValueFormat {
  const code = reader.int16();
  if (code === 0) return 'text';
  if (code === 1) return 'binary';
  throw TesseraError.of('PROTOCOL_VIOLATION', { message: `Invalid format code: ${code}` });
}

function target(reader: PayloadReader): 'statement' | 'portal' {
  const code = String.fromCharCode(reader.byte());
  if (code === 'S') return 'statement';
  if (code === 'P') return 'portal';
  throw TesseraError.of('PROTOCOL_VIOLATION', { message: 'Describe and Close take S or P' });
}
