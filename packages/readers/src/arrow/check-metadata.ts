import { DictionaryBatch } from 'apache-arrow/fb/dictionary-batch';
import { Endianness } from 'apache-arrow/fb/endianness';
import type { Field } from 'apache-arrow/fb/field';
import { Footer } from 'apache-arrow/fb/footer';
import { Message } from 'apache-arrow/fb/message';
import { MessageHeader } from 'apache-arrow/fb/message-header';
import { RecordBatch } from 'apache-arrow/fb/record-batch';
import { Schema } from 'apache-arrow/fb/schema';
import { ByteBuffer } from 'flatbuffers';
import { DecodeError, UnsupportedError } from '../columns/column-batch.ts';

const MAX_DEPTH = 64;

/**
 * Validates the vector lengths of a flatbuffer before the library creates an object for every element: a
 * corrupt length would fill the memory, and fields that contain each other would never end.
 */
export function checkMessageMetadata(bytes: Uint8Array): void {
  const elements = new Elements(bytes);
  const message = Message.getRootAsMessage(new ByteBuffer(bytes));
  elements.claim(message.customMetadataLength());
  switch (message.headerType()) {
    case MessageHeader.Schema:
      checkSchema(message.header(new Schema()), elements);
      break;
    case MessageHeader.RecordBatch:
      checkBatch(message.header(new RecordBatch()), elements);
      break;
    case MessageHeader.DictionaryBatch:
      checkBatch((message.header(new DictionaryBatch()) as DictionaryBatch | null)?.data(), elements);
      break;
    default:
      throw new DecodeError('a message that is neither a schema nor a dictionary nor a record batch');
  }
}

export function checkFooterMetadata(bytes: Uint8Array): void {
  const elements = new Elements(bytes);
  const footer = Footer.getRootAsFooter(new ByteBuffer(bytes));
  elements.claim(footer.customMetadataLength());
  elements.claim(footer.dictionariesLength());
  elements.claim(footer.recordBatchesLength());
  checkSchema(footer.schema(), elements);
}

class Elements {
  #left: number;

  constructor(bytes: Uint8Array) {
    this.#left = bytes.length / 4;
  }

  claim(count: number): void {
    this.#left -= count;
    if (count < 0 || this.#left < 0) throw new Error('a vector is longer than what it is in');
  }
}

function checkBatch(batch: RecordBatch | null | undefined, elements: Elements): void {
  if (!batch) throw new Error('a batch without its header');
  elements.claim(batch.nodesLength());
  elements.claim(batch.buffersLength());
  elements.claim(batch.variadicBufferCountsLength());
}

function checkSchema(schema: Schema | null, elements: Elements): void {
  if (schema === null) throw new Error('a schema without its fields');
  if (schema.endianness() === Endianness.Big) throw new UnsupportedError('Arrow data of big-endian machines');
  elements.claim(schema.customMetadataLength());
  elements.claim(schema.fieldsLength());
  for (let i = 0; i < schema.fieldsLength(); i++) checkField(schema.fields(i), elements, 0);
}

function checkField(field: Field | null, elements: Elements, depth: number): void {
  if (depth > MAX_DEPTH) throw new UnsupportedError(`An Arrow schema nested deeper than ${MAX_DEPTH} levels`);
  if (field === null) throw new Error('a field is missing');
  elements.claim(field.customMetadataLength());
  elements.claim(field.childrenLength());
  for (let i = 0; i < field.childrenLength(); i++) checkField(field.children(i), elements, depth + 1);
}
