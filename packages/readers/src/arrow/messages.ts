import type { Schema } from 'apache-arrow';
import { Footer } from 'apache-arrow/ipc/metadata/file';
import { Message } from 'apache-arrow/ipc/metadata/message';
import { DecodeError, UnsupportedError } from '../columns/column-batch.ts';
import { checkFooterMetadata, checkMessageMetadata } from './check-metadata.ts';
import { MAX_METADATA_BYTES } from './limits.ts';
import type { RandomAccessFile } from './random-access-file.ts';

export interface IpcMessage {
  /** The offset in the file, for errors. */
  readonly start: number;
  readonly message: Message;
  /** The offset of the body in the file. */
  readonly body: number;
  readonly bodyLength: number;
}

const FILE_MAGIC = 'ARROW1';
const CONTINUATION = 0xffffffff;

export interface IpcContent {
  readonly schema: Schema;
  /** Dictionaries and record batches in the order in which they must be applied. */
  readonly messages: Iterable<IpcMessage>;
}

/** Opens an IPC file, which begins with a magic name, or an IPC stream, which begins with its schema. */
export function openIpc(file: RandomAccessFile): IpcContent {
  if (file.sizeBytes >= 8 && latin1(file.read(0, 6)) === FILE_MAGIC) {
    const { schema, offsets } = readFooter(file);
    return { schema, messages: fileMessages(file, offsets) };
  }
  const first = readMessage(file, 0);
  if (first === undefined || !first.message.isSchema()) {
    throw new DecodeError('it does not begin with the schema of an Arrow IPC stream');
  }
  return {
    schema: first.message.header() as Schema,
    messages: streamMessages(file, first.body + first.bodyLength),
  };
}

function* fileMessages(file: RandomAccessFile, offsets: readonly number[]): Generator<IpcMessage> {
  for (const offset of offsets) {
    const message = readMessage(file, offset);
    if (message === undefined)
      throw new DecodeError(`its footer points to byte ${offset}, where no message is`);
    yield message;
  }
}

function* streamMessages(file: RandomAccessFile, start: number): Generator<IpcMessage> {
  let next = start;
  while (next < file.sizeBytes) {
    const message = readMessage(file, next);
    if (message === undefined) {
      if (next + 8 < file.sizeBytes)
        throw new DecodeError(`bytes follow the end of its stream at byte ${next}`);
      return;
    }
    yield message;
    next = message.body + message.bodyLength;
  }
}

/** Undefined at the mark that ends a stream. */
function readMessage(file: RandomAccessFile, start: number): IpcMessage | undefined {
  let at = start;
  let length = uint32(file, at);
  at += 4;
  // Before version 0.15, the length was not preceded by a continuation mark.
  if (length === CONTINUATION) {
    length = uint32(file, at);
    at += 4;
  }
  if (length === 0) return undefined;
  if (length > MAX_METADATA_BYTES) {
    throw new DecodeError(
      start === 0
        ? 'it does not begin like an Arrow IPC file or stream'
        : `the message at byte ${start} claims ${length} bytes of metadata`,
    );
  }
  const metadata = file.read(at, at + length);
  const message = decoded(start, () => {
    checkMessageMetadata(metadata);
    const result = Message.decode(metadata);
    // Forces the lazy decoding of `decode`, so that it fails here if it fails.
    result.header();
    return result;
  });
  const body = at + length;
  file.checkRange(body, body + message.bodyLength);
  return { start, message, body, bodyLength: message.bodyLength };
}

/** Reads the footer; dictionaries come before the record batches. */
function readFooter(file: RandomAccessFile): { schema: Schema; offsets: readonly number[] } {
  const end = file.sizeBytes - FILE_MAGIC.length;
  if (end < 16 || latin1(file.read(end, file.sizeBytes)) !== FILE_MAGIC) {
    throw new DecodeError('the file is truncated: it does not end with "ARROW1"');
  }
  const length = uint32(file, end - 4);
  if (length > Math.min(MAX_METADATA_BYTES, end - 12))
    throw new DecodeError('the length of its footer is wrong');
  const start = end - 4 - length;
  const bytes = file.read(start, end - 4);
  return decoded(start, () => {
    checkFooterMetadata(bytes);
    const footer = Footer.decode(bytes);
    const blocks = [...footer.dictionaryBatches(), ...footer.recordBatches()];
    return { schema: footer.schema, offsets: blocks.map((block) => block.offset) };
  });
}

function decoded<T>(start: number, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    if (cause instanceof DecodeError || cause instanceof UnsupportedError) throw cause;
    const unknown = /^Unrecognized type: "?(\w+)"?/.exec(cause instanceof Error ? cause.message : '');
    if (unknown) throw new UnsupportedError(`The Arrow type ${unknown[1]}`);
    throw new DecodeError(`the Arrow metadata at byte ${start} is corrupt`, { cause });
  }
}

function uint32(file: RandomAccessFile, at: number): number {
  return new DataView(file.read(at, at + 4).buffer).getUint32(0, true);
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
