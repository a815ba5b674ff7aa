import { ByteReader, MalformedHeader } from './byte-reader.ts';
import { BOUND, checksumOf, FIXED_BYTES, KEY_KINDS, LAYOUTS, MAGIC } from './encode-header.ts';
import type { GranuleColumn, HeaderColumn, HybridHeader, KeyValue, PrimaryIndex } from './hybrid-header.ts';
import { COMPRESSION_METHODS, decompress } from './index-compression.ts';

/** The maximum unpacked size of an index; far more than a tablet of a million granules needs. */
const MAX_INDEX_BYTES = 256 * 1024 * 1024;

/** @throws MalformedHeader for anything that `encodeHeader` did not write */
export async function decodeHeader(bytes: Uint8Array): Promise<HybridHeader> {
  const { formatVersion, layout, method, body } = unframed(bytes);
  const tableId = body.text();
  const schemaVersion = body.number();
  const rows = body.number();
  const granuleRows = Array.from({ length: body.count() }, () => body.number());
  if (granuleRows.reduce((sum, n) => sum + n, 0) !== rows)
    throw new MalformedHeader('the granules do not add up to the rows');
  const partition = Array.from({ length: body.count() }, () => (flag(body) ? body.text() : null));
  const columns = Array.from({ length: body.count() }, () => readColumn(body, granuleRows.length));
  const length = body.number();
  if (length > MAX_INDEX_BYTES) throw new MalformedHeader('the primary index is too large');
  const packed = body.raw(body.number());
  body.end();
  const primaryIndex = readIndex(await decompress(packed, method, length), granuleRows.length);
  return {
    formatVersion,
    layout,
    tableId,
    schemaVersion,
    rows,
    granuleRows,
    columns,
    partition,
    primaryIndex,
  };
}

function unframed(bytes: Uint8Array) {
  if (bytes.length < FIXED_BYTES) throw new MalformedHeader('it ends early');
  const head = new ByteReader(bytes.subarray(0, FIXED_BYTES));
  if (head.raw(4).toString('latin1') !== MAGIC) throw new MalformedHeader(`it does not begin with ${MAGIC}`);
  const formatVersion = head.u8();
  if (formatVersion !== 1 && formatVersion !== 2 && formatVersion !== 3)
    throw new MalformedHeader(`format version ${formatVersion} is not known`);
  const layout = LAYOUTS[head.u8()];
  const method = COMPRESSION_METHODS[head.u8()];
  if (layout === undefined || method === undefined || head.u8() !== 0)
    throw new MalformedHeader('layout or compression method is not known');
  if (head.u32() !== bytes.length) throw new MalformedHeader('it is longer or shorter than it says');
  if (head.u32() !== checksumOf(bytes)) throw new MalformedHeader('its checksum does not match');
  if (formatVersion < 3 && layout !== 'wide')
    throw new MalformedHeader(`format ${formatVersion} has no layout ${layout}`);
  if (formatVersion < 2 && method !== 'none')
    throw new MalformedHeader(`format ${formatVersion} has no compression`);
  return {
    formatVersion: formatVersion as HybridHeader['formatVersion'],
    layout,
    method,
    body: new ByteReader(bytes.subarray(FIXED_BYTES)),
  };
}

function readColumn(body: ByteReader, granules: number): HeaderColumn {
  return {
    id: body.number(),
    storedName: body.text(),
    type: body.text(),
    granules: Array.from({ length: granules }, () => readGranule(body)),
  };
}

function readGranule(body: ByteReader): GranuleColumn {
  const [offset, bytes, sum, known] = [body.number(), body.number(), body.u32(), body.u8()];
  if (known > 7) throw new MalformedHeader('unknown statistics');
  return {
    offset,
    bytes,
    crc32c: sum,
    nulls: (known & BOUND.nulls) === 0 ? undefined : body.number(),
    min: (known & BOUND.min) === 0 ? undefined : body.text(),
    max: (known & BOUND.max) === 0 ? undefined : body.text(),
  };
}

function readIndex(bytes: Uint8Array, granules: number): PrimaryIndex {
  const index = new ByteReader(bytes);
  const columns = Array.from({ length: index.count() }, () => index.number());
  const keys =
    columns.length === 0
      ? []
      : Array.from({ length: granules }, () => columns.map((): KeyValue => readKeyValue(index)));
  index.end();
  return { columns, keys };
}

function readKeyValue(index: ByteReader): KeyValue {
  const kind = KEY_KINDS[index.u8()];
  if (kind === undefined) throw new MalformedHeader('unknown kind of key');
  return kind === 'null' ? { kind } : { kind, text: index.text() };
}

function flag(body: ByteReader): boolean {
  const byte = body.u8();
  if (byte > 1) throw new MalformedHeader('neither yes nor no');
  return byte === 1;
}
