const POLYNOMIAL = 0x82f63b78;
const SLICES = 8;

/** `TABLES[k][b]`: the checksum of byte b followed by k zero bytes (slicing by 8). */
const TABLES = buildTables();

/** CRC-32C (Castagnoli) as defined in RFC 3720. */
export function crc32c(data: Buffer): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES;
  let crc = 0xffffffff;
  let at = 0;
  for (const end = data.length - SLICES; at <= end; at += SLICES) {
    crc ^= data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24);
    crc =
      t7[crc & 0xff]! ^
      t6[(crc >>> 8) & 0xff]! ^
      t5[(crc >>> 16) & 0xff]! ^
      t4[crc >>> 24]! ^
      t3[data[at + 4]!]! ^
      t2[data[at + 5]!]! ^
      t1[data[at + 6]!]! ^
      t0[data[at + 7]!]!;
  }
  for (; at < data.length; at++) crc = (crc >>> 8) ^ t0[(crc ^ data[at]!) & 0xff]!;
  return ~crc >>> 0;
}

type Tables = [T, T, T, T, T, T, T, T];
type T = Uint32Array;

function buildTables(): Tables {
  const t0 = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) !== 0 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    return crc;
  });
  const followedByZero = (table: T): T => table.map((crc) => (crc >>> 8) ^ t0[crc & 0xff]!);
  const t1 = followedByZero(t0);
  const t2 = followedByZero(t1);
  const t3 = followedByZero(t2);
  const t4 = followedByZero(t3);
  const t5 = followedByZero(t4);
  const t6 = followedByZero(t5);
  return [t0, t1, t2, t3, t4, t5, t6, followedByZero(t6)];
}
