import { DecodeError } from '../columns/column-batch.ts';
import { MAX_HEADER_BYTES } from './limits.ts';
import { SequentialBytes } from './sequential-file.ts';

export const MAGIC = 'Obj\x01';
export const SYNC_BYTES = 16;

/** The beginning of an Avro container file, which says how the blocks after it are read. */
export interface ContainerHead {
  /** Length of the header; the first block begins here. */
  readonly bytes: number;
  /** The 16 bytes that follow the header and each block. */
  readonly sync: Buffer;
  /** Rows and bytes of the first block, as it claims them; undefined where `start` ends before. */
  readonly firstBlock: { readonly rows: number; readonly bytes: number } | undefined;
}

/** Looks at the first bytes of a file; undefined where they are no Avro header, or not all of it. */
export function containerHead(start: Buffer): ContainerHead | undefined {
  const source = new SequentialBytes(start);
  try {
    if (source.take(MAGIC.length).toString('latin1') !== MAGIC) return undefined;
    readMetadata(source);
    const sync = Buffer.from(source.take(SYNC_BYTES));
    return { bytes: source.position, sync, firstBlock: firstBlock(source) };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function firstBlock(source: SequentialBytes): ContainerHead['firstBlock'] {
  try {
    return { rows: source.takeLong(), bytes: source.takeLong() + SYNC_BYTES };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

export function readMetadata(file: SequentialBytes): Map<string, Buffer> {
  const metadata = new Map<string, Buffer>();
  for (;;) {
    let entries = file.takeLong(true);
    if (entries === 0) return metadata;
    if (entries < 0) {
      entries = -entries;
      file.takeLong();
    }
    for (; entries > 0; entries--) {
      const key = sized(file).toString('utf8');
      metadata.set(key, sized(file));
    }
  }
}

function sized(file: SequentialBytes): Buffer {
  const size = file.takeLong();
  if (file.position + size > MAX_HEADER_BYTES) {
    throw new DecodeError(`its header is larger than ${MAX_HEADER_BYTES >> 20} MiB`);
  }
  return file.take(size);
}
