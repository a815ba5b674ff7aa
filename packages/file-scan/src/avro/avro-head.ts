import { fail } from '@tessera/common';
import { type ContainerHead, containerHead } from '@tessera/readers';
import type { ReadRange, ScannedFile } from '../file-scan.ts';

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
