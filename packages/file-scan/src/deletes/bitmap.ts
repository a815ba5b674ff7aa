import { crc32 } from 'node:zlib';
import { fail } from '@tessera/common';
import { DeletedRows } from '@tessera/tablet';
import type { ReadRange, RowDeletes } from '../file-scan.ts';

export type BitmapDeletes = Extract<RowDeletes, { kind: 'bitmap' | 'inline bitmap' }>;

const MAGIC = 1_681_511_377;
/** The sizes of the length before a bitmap, of its checksum, and of its magic number. */
const [LENGTH_BYTES, CHECKSUM_BYTES, MAGIC_BYTES] = [4, 4, 4];
/** The number of 32-bit bitmaps, and the upper bits of the positions in one. */
const [COUNT_BYTES, KEY_BYTES] = [8, 4];

/**
 * Reads the positions of deleted rows. Iceberg and Delta Lake have the same format: the length of what follows, a magic
 * number, a 64-bit roaring bitmap and a checksum; inline, without length and checksum.
 * @throws TesseraError BAD_FILE
 */
export async function readBitmap(deletes: BitmapDeletes, read: ReadRange): Promise<Iterable<number>> {
  const name = deletes.kind === 'bitmap' ? deletes.file.url : `the inline deletion vector of ${deletes.of}`;
  const refuse = (reason: string): never =>
    fail('BAD_FILE', { name, reason: `its deletion vector ${reason}` });
  const vector =
    deletes.kind === 'bitmap'
      ? await storedVector(deletes, read, refuse)
      : Buffer.from(deletes.base64, 'base64');
  if (vector.length < MAGIC_BYTES + COUNT_BYTES || vector.readUInt32LE(0) !== MAGIC)
    return refuse('does not begin with the magic number of the format');
  const count = Number(vector.readBigUInt64LE(MAGIC_BYTES));
  if (count === 0) return [];
  const start = MAGIC_BYTES + COUNT_BYTES + KEY_BYTES;
  if (count > 1 || vector.length < start || vector.readUInt32LE(start - KEY_BYTES) !== 0)
    return fail('NOT_SUPPORTED', { what: `A deletion vector of more than 2^32 rows, as in ${name},` });
  try {
    return DeletedRows.decode(vector.subarray(start), deletes.rows).positions();
  } catch (error) {
    return refuse(`cannot be read: ${(error as Error).message}`);
  }
}

async function storedVector(
  { file, offset, bytes }: Extract<BitmapDeletes, { kind: 'bitmap' }>,
  read: ReadRange,
  refuse: (reason: string) => never,
): Promise<Buffer> {
  const stored = Buffer.from(await read(file, offset, offset + bytes));
  const length = stored.length < LENGTH_BYTES ? -1 : stored.readUInt32BE(0);
  if (length !== stored.length - LENGTH_BYTES - CHECKSUM_BYTES)
    return refuse(`at byte ${offset} does not have the announced length of ${bytes} bytes`);
  const vector = stored.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
  if (crc32(vector) !== stored.readUInt32BE(LENGTH_BYTES + length))
    return refuse(`at byte ${offset} is damaged: its checksum is wrong`);
  return vector;
}
