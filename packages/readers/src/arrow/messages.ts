import { DictionaryBatch as FlatDictionaryBatch } from 'apache-arrow/fb/dictionary-batch';
import { Message as FlatMessage } from 'apache-arrow/fb/message';
import { MessageHeader } from 'apache-arrow/fb/message-header';
import { RecordBatch as FlatRecordBatch } from 'apache-arrow/fb/record-batch';
import { Schema as FlatSchema } from 'apache-arrow/fb/schema';
import { Footer } from 'apache-arrow/ipc/metadata/file';
import { Message } from 'apache-arrow/ipc/metadata/message';
import { ByteBuffer } from 'flatbuffers';
import { DecodeError, UnsupportedError } from '../columns/column-batch.ts';
import { MAX_METADATA_BYTES } from './limits.ts';
import type { RandomAccessFile } from './random-access-file.ts';

export interface IpcMessage {
  /** Offset in the file, for errors. */
  readonly start: number;
  readonly message: Message;
  /** Offset in the file of the body. */
  readonly body: number;
  readonly bodyLength: number;
}

const FILE_MAGIC = 'ARROW1';
const CONTINUATION = 0xffffffff;

/** The messages of an IPC file or stream: the schema, then dictionaries and record batches in the order to apply them. */
export function* readMessages(file: RandomAccessFile): Generator<IpcMessage> {
  const isFile = file.sizeBytes >= 8 && latin1(file.read(0, 6)) === FILE_MAGIC;
  const schema = readMessage(file, isFile ? 8 : 0);
  if (schema === undefined || !schema.message.isSchema()) {
    throw new DecodeError('it does not begin with the schema of an Arrow IPC file or stream');
  }
  yield schema;
  if (isFile) {
    for (const start of blockOffsets(file)) {
      const message = readMessage(file, start);
      if (message === undefined)
        throw new DecodeError(`its footer points to byte ${start}, where no message is`);
      yield message;
    }
    return;
  }
  let next = schema.body + schema.bodyLength;
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

/** `undefined` at the mark that ends a stream. */
function readMessage(file: RandomAccessFile, start: number): IpcMessage | undefined {
  let at = start;
  let length = uint32(file, at);
  at += 4;
  // Before 0.15 the length came without the mark.
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
    checkVectors(metadata);
    const result = Message.decode(metadata);
    // Decodes what `decode` put off, so that it fails here if it fails.
    result.header();
    return result;
  });
  const body = at + length;
  file.checkRange(body, body + message.bodyLength);
  return { start, message, body, bodyLength: message.bodyLength };
}

function blockOffsets(file: RandomAccessFile): number[] {
  const end = file.sizeBytes - FILE_MAGIC.length;
  if (end < 16 || latin1(file.read(end, file.sizeBytes)) !== FILE_MAGIC) {
    throw new DecodeError('the file is truncated: it does not end with "ARROW1"');
  }
  const length = uint32(file, end - 4);
  if (length > Math.min(MAX_METADATA_BYTES, end - 12))
    throw new DecodeError('the length of its footer is wrong');
  const bytes = file.read(end - 4 - length, end - 4);
  return decoded(end - 4 - length, () => {
    const footer = Footer.decode(bytes);
    if ((footer.numDictionaries + footer.numRecordBatches) * 24 > length) throw new Error('too many blocks');
    return [...footer.dictionaryBatches(), ...footer.recordBatches()].map((block) => block.offset);
  });
}

/** The library makes an object for every element that a vector claims: the claims are looked at first. */
function checkVectors(metadata: Uint8Array): void {
  const message = FlatMessage.getRootAsMessage(new ByteBuffer(metadata));
  const claimed = (batch: FlatRecordBatch | null) =>
    batch === null ? 0 : (batch.nodesLength() + batch.buffersLength()) * 16;
  let bytes = 0;
  switch (message.headerType()) {
    case MessageHeader.RecordBatch:
      bytes = claimed(message.header(new FlatRecordBatch()));
      break;
    case MessageHeader.DictionaryBatch:
      bytes = claimed(
        (message.header(new FlatDictionaryBatch()) as FlatDictionaryBatch | null)?.data() ?? null,
      );
      break;
    case MessageHeader.Schema: {
      const schema = message.header(new FlatSchema()) as FlatSchema | null;
      if (schema?.endianness() === 1) throw new UnsupportedError('Arrow data of big-endian machines');
      bytes = (schema?.fieldsLength() ?? 0) * 4;
      break;
    }
    default:
      throw new UnsupportedError('Arrow messages other than schemas, dictionaries and record batches');
  }
  if (bytes > metadata.length) throw new Error('a vector is longer than the message');
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
