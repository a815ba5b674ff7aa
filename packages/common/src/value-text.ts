const code = (character: string): number => character.charCodeAt(0);
const [ZERO, MINUS] = [code('0'), code('-')];
const HEX_DIGITS = Buffer.from('0123456789abcdef');
const MAX_INT32 = 2 ** 31 - 1;

/** Reads exact numbers from the high and the low half, because a bigint takes longer. */
export function longReader(values: BigInt64Array): (row: number) => number | bigint {
  const halves = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  return (row) => {
    const low = halves[2 * row]!;
    const high = halves[2 * row + 1]!;
    if (high === low >> 31) return low;
    const value = high * 2 ** 32 + (low >>> 0);
    return Number.isSafeInteger(value) ? value : values[row]!;
  };
}

/** The number of digits of an integer, and one for its sign. */
export function integerSize(value: number | bigint): number {
  if (typeof value === 'bigint') return String(value).length;
  const rest = Math.abs(value);
  let size = value < 0 ? 2 : 1;
  for (let power = 10; power <= rest; power *= 10) size += 1;
  return size;
}

/** Writes an integer from `at` to `end`, which is as far as `integerSize` says. */
export function putInteger(out: Buffer, at: number, end: number, value: number | bigint): void {
  if (typeof value === 'bigint') {
    out.write(String(value), at, 'latin1');
    return;
  }
  if (value < 0) out[at] = MINUS;
  let rest = Math.abs(value);
  let place = end;
  for (; rest > MAX_INT32; place -= 1) {
    const next = Math.floor(rest / 10);
    out[place - 1] = ZERO + (rest - 10 * next);
    rest = next;
  }
  // Integer division is faster.
  do {
    const next = (rest / 10) | 0;
    out[--place] = ZERO + (rest - 10 * next);
    rest = next;
  } while (rest > 0);
}

/** Writes two digits for each of the bytes `from` … `to` (exclusive). */
export function putHex(out: Buffer, start: number, bytes: Uint8Array, from: number, to: number): void {
  let at = start;
  for (let i = from; i < to; i += 1) {
    out[at++] = HEX_DIGITS[bytes[i]! >> 4]!;
    out[at++] = HEX_DIGITS[bytes[i]! & 15]!;
  }
}
