import type { ForSchemaOptions, Type } from 'avsc';
import { DecodeError } from '../columns/column-batch.ts';
import { type Codec, codecOf } from './codecs.ts';
import { MAGIC, readMetadata, SYNC_BYTES } from './container-head.ts';
import { MAX_BLOCK_BYTES } from './limits.ts';
import { parseSchema } from './schema.ts';
import type { SequentialBytes } from './sequential-file.ts';

export interface ContainerHeader {
  readonly schema: Type;
  readonly schemaText: string;
  readonly codec: Codec;
  readonly sync: Buffer;
}

export interface Block {
  /** The number of the block, counted from 1. */
  readonly number: number;
  /** The offset of the block in the file. */
  readonly start: number;
  readonly rows: number;
  readonly data: Uint8Array;
}

/** @param options of avsc, for the values of records */
export async function readHeader(
  file: SequentialBytes,
  options?: Partial<ForSchemaOptions>,
): Promise<ContainerHeader> {
  if (file.sizeBytes === 0) throw new DecodeError('the file is empty; it is not an Avro container file');
  const magic = file.sizeBytes < 4 ? '' : file.take(4).toString('latin1');
  if (magic !== MAGIC) {
    throw new DecodeError(
      magic === 'Obj\x00'
        ? 'it has the format of Avro before 1.3, which is not supported'
        : 'it does not begin with "Obj" 01, so it is not an Avro container file',
    );
  }
  const metadata = readMetadata(file);
  const schema = metadata.get('avro.schema');
  if (schema === undefined) throw new DecodeError('its header has no avro.schema');
  return {
    schema: parseSchema(schema.toString('utf8'), options),
    schemaText: schema.toString('utf8'),
    codec: await codecOf(metadata.get('avro.codec')?.toString('utf8') || 'null'),
    sync: Buffer.from(file.take(SYNC_BYTES)),
  };
}

/** The unpacked blocks of the file, in order. */
export async function* readBlocks(
  file: SequentialBytes,
  header: Pick<ContainerHeader, 'codec' | 'sync'>,
): AsyncGenerator<Block> {
  for (let number = 1; file.remaining > 0; number++) {
    const start = file.position;
    try {
      // Editors append a line feed to files, and other readers ignore it.
      if (file.remaining === 1 && file.take(1)[0] === 0x0a) return;
      const rows = file.takeLong();
      const size = file.takeLong();
      if (size > MAX_BLOCK_BYTES) {
        throw new DecodeError(`it claims ${size} bytes; at most ${MAX_BLOCK_BYTES >> 20} MiB are read`);
      }
      const packed = file.take(size);
      // The marker is checked before unpacking: if it is wrong, the size was wrong, and an unpacking error
      // would hide that.
      if (!file.take(SYNC_BYTES).equals(header.sync)) {
        throw new DecodeError(`the sync marker at byte ${file.position - SYNC_BYTES} is wrong`);
      }
      yield { number, start, rows, data: await header.codec(packed) };
    } catch (error) {
      throw inBlock(error, number, start);
    }
  }
}

/** Adds the block to the message of a DecodeError; other errors are returned unchanged. */
export function inBlock(error: unknown, number: number, start: number): unknown {
  if (!(error instanceof DecodeError) || error.message.startsWith('block ')) return error;
  return new DecodeError(`block ${number} at byte ${start}: ${error.message}`, { cause: error });
}
