import { crc32c } from '@node-rs/crc32';
import type { TabletLayout } from '@tessera/catalog';
import { ByteWriter } from './byte-writer.ts';
import type { GranuleColumn, HybridHeader, KeyValue, PrimaryIndex } from './hybrid-header.ts';
import { COMPRESSION_METHODS, type CompressionMethod, compress } from './index-compression.ts';

export const MAGIC = 'TSHH';
/** The size of magic, version, layout, method, a zero byte, length and checksum. */
export const FIXED_BYTES = 16;
export const CHECKSUM_OFFSET = 12;
/** Layouts by their number in the header. Must never be reordered. */
export const LAYOUTS: readonly TabletLayout[] = ['wide', 'compact', 'subcompact'];
export const BOUND = { nulls: 1, min: 2, max: 4 } as const;
/** Key kinds by their number in the primary index. Must never be reordered. */
export const KEY_KINDS: readonly KeyValue['kind'][] = ['null', 'value', 'prefix'];

/** Format 1 has no compression: the method must be `none`. Formats 1 and 2 only know the layout `wide`. */
export async function encodeHeader(
  header: HybridHeader,
  compression: { readonly method: CompressionMethod; readonly level: number },
): Promise<Buffer> {
  const body = new ByteWriter();
  body.text(header.tableId);
  body.number(header.schemaVersion);
  body.number(header.rows);
  body.number(header.granuleRows.length);
  for (const rows of header.granuleRows) body.number(rows);
  body.number(header.partition.length);
  for (const value of header.partition) {
    body.u8(value === null ? 0 : 1);
    if (value !== null) body.text(value);
  }
  body.number(header.columns.length);
  for (const column of header.columns) {
    body.number(column.id);
    body.text(column.storedName);
    body.text(column.type);
    for (const granule of column.granules) putGranule(body, granule);
  }
  const index = encodeIndex(header.primaryIndex);
  const packed = await compress(index, compression.method, compression.level);
  body.number(index.length);
  body.number(packed.length);
  body.raw(packed);
  return framed(header, compression.method, body.bytes());
}

function framed({ formatVersion, layout }: HybridHeader, method: CompressionMethod, body: Buffer): Buffer {
  const bytes = Buffer.alloc(FIXED_BYTES + body.length);
  bytes.write(MAGIC, 0, 'latin1');
  bytes[4] = formatVersion;
  bytes[5] = LAYOUTS.indexOf(layout);
  bytes[6] = COMPRESSION_METHODS.indexOf(method);
  bytes.writeUInt32LE(bytes.length, 8);
  bytes.set(body, FIXED_BYTES);
  bytes.writeUInt32LE(checksumOf(bytes), CHECKSUM_OFFSET);
  return bytes;
}

/**
 * The CRC-32C of a header without its checksum. The checksum stands in front because bytes that end with
 * their own CRC all have the same CRC; the catalog's checksum over header and footer would then not cover the
 * header.
 */
export const checksumOf = (header: Uint8Array): number =>
  crc32c(header.subarray(FIXED_BYTES), crc32c(header.subarray(0, CHECKSUM_OFFSET)));

function putGranule(body: ByteWriter, { offset, bytes, crc32c: sum, nulls, min, max }: GranuleColumn): void {
  body.number(offset);
  body.number(bytes);
  body.u32(sum);
  body.u8(
    (nulls === undefined ? 0 : BOUND.nulls) |
      (min === undefined ? 0 : BOUND.min) |
      (max === undefined ? 0 : BOUND.max),
  );
  if (nulls !== undefined) body.number(nulls);
  if (min !== undefined) body.text(min);
  if (max !== undefined) body.text(max);
}

function encodeIndex({ columns, keys }: PrimaryIndex): Buffer {
  const index = new ByteWriter();
  index.number(columns.length);
  for (const column of columns) index.number(column);
  if (columns.length === 0) return index.bytes();
  for (const key of keys) {
    for (const value of key) {
      index.u8(KEY_KINDS.indexOf(value.kind));
      if (value.kind !== 'null') index.text(value.text);
    }
  }
  return index.bytes();
}
