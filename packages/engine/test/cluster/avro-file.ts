import { deflateRawSync } from 'node:zlib';

/** Rows `n` (long), `t` (string) and `v` (double or null). */
export type AvroRow = readonly [n: number, t: string, v: number | null];

const SCHEMA = JSON.stringify({
  type: 'record',
  name: 'row',
  fields: [
    { name: 'n', type: 'long' },
    { name: 't', type: 'string' },
    { name: 'v', type: ['null', 'double'] },
  ],
});

/** An Avro container file with `rowsPerBlock` rows in each block; `sync` follows each of them. */
export function avroFile(
  rows: readonly AvroRow[],
  { rowsPerBlock = 100, codec = 'null', sync = Buffer.from('0123456789abcdef') } = {},
): Buffer<ArrayBuffer> {
  const parts: Buffer[] = [
    Buffer.from('Obj\x01', 'latin1'),
    long(2),
    text('avro.schema'),
    text(SCHEMA),
    text('avro.codec'),
    text(codec),
    long(0),
    sync,
  ];
  for (let i = 0; i < rows.length; i += rowsPerBlock) {
    const block = rows.slice(i, i + rowsPerBlock);
    const plain = Buffer.concat(block.flatMap(([n, t, v]) => [long(n), text(t), ...optional(v)]));
    const data = codec === 'deflate' ? deflateRawSync(plain) : plain;
    parts.push(long(block.length), long(data.length), data, sync);
  }
  return Buffer.concat(parts);
}

function optional(v: number | null): Buffer[] {
  if (v === null) return [long(0)];
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(v);
  return [long(1), bytes];
}

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([long(bytes.length), bytes]);
};

/** Zigzag, seven bits in each byte. */
function long(value: number): Buffer {
  let rest = value < 0 ? -2 * value - 1 : 2 * value;
  const bytes: number[] = [];
  do {
    bytes.push((rest % 128) + (rest >= 128 ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.from(bytes);
}
