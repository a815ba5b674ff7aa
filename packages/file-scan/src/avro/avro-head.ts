import { open } from 'node:fs/promises';
import { fail, writeAt } from '@tessera/common';
import { type ContainerHead, containerHead } from '@tessera/readers';
import type { FileUnit, ReadRange, ScannedFile, ScanReader } from '../file-scan.ts';

/** Number of bytes read first from the beginning of a file. Most headers are shorter. */
const HEAD_BYTES = 64 << 10;
const MAX_HEAD_BYTES = 16 << 20;

/** The header of an Avro container file. */
export interface AvroHead extends ContainerHead {
  /** The header as it stands in the file. */
  readonly header: Buffer;
}

/** @throws TesseraError BAD_FILE for what has no Avro header; what reading throws */
export async function readAvroHead(file: ScannedFile, read: ReadRange): Promise<AvroHead> {
  for (let bytes = HEAD_BYTES; ; bytes *= 16) {
    const start = Buffer.from(await read(file, 0, Math.min(file.bytes, bytes)));
    const head = containerHead(start);
    if (head !== undefined) return { ...head, header: start.subarray(0, head.bytes) };
    if (bytes >= Math.min(file.bytes, MAX_HEAD_BYTES))
      fail('BAD_FILE', {
        name: file.url,
        reason: 'it does not begin with the header of an Avro container file',
      });
  }
}

/**
 * Writes a unit of an Avro file into a new file: the header of the file, and the blocks of the unit. It can only be decoded to its
 * end if the last block ends where the unit does: since the first unit begins after the header, no unit begins within a block.
 */
export async function fetchAvro(
  { file, part }: FileUnit,
  path: string,
  { range, copy }: ScanReader,
): Promise<void> {
  const target = await open(path, 'wx', 0o600);
  try {
    const header = part === undefined ? Buffer.alloc(0) : (await readAvroHead(file, range)).header;
    await writeAt(target, header, 0);
    const [from, to] = part ?? [0, file.bytes];
    await copy(file, from, to, (bytes, position) => writeAt(target, bytes, header.length + position - from));
  } finally {
    await target.close();
  }
}
