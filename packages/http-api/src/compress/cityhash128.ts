/**
 * CityHash128 of CityHash 1.0.2 (Google, 2011), the version that ClickHouse's block format uses; later
 * versions return other values. `seed` and results are pairs of 64-bit words, low word first.
 */
export interface Hash128 {
  readonly low: bigint;
  readonly high: bigint;
}

const K0 = 0xc3a5c85c97cb3127n;
const K1 = 0xb492b66fbe98f273n;
const K2 = 0x9ae16a3b2f90404fn;
const K3 = 0xc949d7c7509e6557n;
const MIX = 0x9ddfea08eb382d69n;

// Every intermediate result is truncated to 64 bits at once, so that V8 computes it in machine words without
// allocating.
const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const add = (a: bigint, b: bigint): bigint => u64(a + b);
const multiply = (a: bigint, b: bigint): bigint => u64(a * b);
const rotate = (value: bigint, bits: bigint): bigint => (value >> bits) | u64(value << (64n - bits));
const shiftMix = (value: bigint): bigint => value ^ (value >> 47n);

export function cityHash128(bytes: Uint8Array): Hash128 {
  const { length } = bytes;
  const data = new DataView(bytes.buffer, bytes.byteOffset, length);
  if (length >= 16) return hashSeeded(data, 16, word(data, 0) ^ K3, word(data, 8));
  if (length >= 8)
    return hashSeeded(
      data,
      length,
      word(data, 0) ^ multiply(BigInt(length), K0),
      word(data, length - 8) ^ K1,
    );
  return hashSeeded(data, 0, K0, K1);
}

function hashSeeded(data: DataView, start: number, seedLow: bigint, seedHigh: bigint): Hash128 {
  return data.byteLength - start < 128
    ? hashShort(data, start, seedLow, seedHigh)
    : hashLong(data, start, seedLow, seedHigh);
}

/** `CityMurmur`, for up to 127 bytes. */
function hashShort(data: DataView, start: number, seedLow: bigint, seedHigh: bigint): Hash128 {
  const end = data.byteLength;
  const length = end - start;
  let a = seedLow;
  let b = seedHigh;
  let c: bigint;
  let d: bigint;
  if (length <= 16) {
    a = multiply(shiftMix(multiply(a, K1)), K1);
    c = add(multiply(b, K1), hash16(data, start));
    d = shiftMix(add(a, length >= 8 ? word(data, start) : c));
  } else {
    c = mix(add(word(data, end - 8), K1), a);
    d = mix(add(b, BigInt(length)), add(c, word(data, end - 16)));
    a = add(a, d);
    for (let at = start; at < end - 16; at += 16) {
      a = multiply(a ^ multiply(shiftMix(multiply(word(data, at), K1)), K1), K1);
      b ^= a;
      c = multiply(c ^ multiply(shiftMix(multiply(word(data, at + 8), K1)), K1), K1);
      d ^= c;
    }
  }
  a = mix(a, c);
  b = mix(d, b);
  return { low: a ^ b, high: mix(b, a) };
}

function hashLong(data: DataView, start: number, seedLow: bigint, seedHigh: bigint): Hash128 {
  const end = data.byteLength;
  let x = seedLow;
  let y = seedHigh;
  let z = multiply(BigInt(end - start), K1);
  let v0 = add(multiply(rotate(y ^ K1, 49n), K1), word(data, start));
  let v1 = add(multiply(rotate(v0, 42n), K1), word(data, start + 8));
  let w0 = add(multiply(rotate(add(y, z), 35n), K1), x);
  let w1 = multiply(rotate(add(x, word(data, start + 88)), 53n), K1);

  // Processes 64 bytes twice per round, as the unrolled loop of the original does, so less than 128 bytes
  // remain.
  const rounds = 2 * Math.floor((end - start) / 128);
  let at = start;
  for (let round = 0; round < rounds; round++, at += 64) {
    x = multiply(rotate(add(add(x, y), add(v0, word(data, at + 16))), 37n), K1) ^ w1;
    y = multiply(rotate(add(y, add(v1, word(data, at + 48))), 42n), K1) ^ v0;
    const nextX = rotate(z ^ w0, 33n);
    const a = add(multiply(v1, K1), word(data, at));
    const b = add(x, w0);
    const v1Mixed = rotate(add(add(b, a), word(data, at + 24)), 21n);
    const aSum = add(a, add(word(data, at + 8), word(data, at + 16)));
    v0 = add(aSum, word(data, at + 24));
    v1 = add(add(v1Mixed, rotate(aSum, 44n)), a);
    const c = add(add(nextX, w1), word(data, at + 32));
    const w1Mixed = rotate(add(add(y, c), word(data, at + 56)), 21n);
    const cSum = add(c, add(word(data, at + 40), word(data, at + 48)));
    w0 = add(cSum, word(data, at + 56));
    w1 = add(add(w1Mixed, rotate(cSum, 44n)), c);
    z = x;
    x = nextX;
  }

  y = add(y, add(multiply(rotate(w0, 37n), K0), z));
  x = add(x, multiply(rotate(add(v0, z), 49n), K0));
  // Processes the rest in blocks of 32 bytes, backwards from the end. The last block may overlap bytes that
  // were already read.
  for (let done = 0; done < end - at; ) {
    done += 32;
    const piece = end - done;
    y = add(multiply(rotate(u64(y - x), 42n), K0), v1);
    w0 = add(w0, word(data, piece + 16));
    x = add(multiply(rotate(x, 49n), K0), w0);
    w0 = add(w0, v0);
    const a = add(v0, word(data, piece));
    const mixed = rotate(add(add(v1, a), word(data, piece + 24)), 21n);
    const sum = add(a, add(word(data, piece + 8), word(data, piece + 16)));
    v0 = add(sum, word(data, piece + 24));
    v1 = add(add(mixed, rotate(sum, 44n)), a);
  }
  x = mix(x, v0);
  y = mix(y, w0);
  return { low: add(mix(add(x, v1), w1), y), high: mix(add(x, w1), add(y, v1)) };
}

/** `HashLen0to16` of all bytes from `start` on. */
function hash16(data: DataView, start: number): bigint {
  const length = data.byteLength - start;
  if (length > 8) {
    const a = word(data, start);
    const b = word(data, start + length - 8);
    return mix(a, rotate(add(b, BigInt(length)), BigInt(length))) ^ b;
  }
  if (length >= 4) {
    const first = BigInt(data.getUint32(start, true));
    return mix(add(BigInt(length), first << 3n), BigInt(data.getUint32(start + length - 4, true)));
  }
  if (length === 0) return K2;
  const y = data.getUint8(start) + (data.getUint8(start + (length >> 1)) << 8);
  const z = length + (data.getUint8(start + length - 1) << 2);
  return multiply(shiftMix(multiply(BigInt(y), K2) ^ multiply(BigInt(z), K3)), K2);
}

/** `Hash128to64` */
function mix(low: bigint, high: bigint): bigint {
  const a = shiftMix(multiply(low ^ high, MIX));
  return multiply(shiftMix(multiply(high ^ a, MIX)), MIX);
}

function word(data: DataView, at: number): bigint {
  return data.getBigUint64(at, true);
}
