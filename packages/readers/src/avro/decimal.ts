import { DecodeError } from '../columns/column-batch.ts';

/** The maximum precision of the kernel's decimals. */
export const MAX_DECIMAL_PRECISION = 38;

/**
 * Creates a function that converts Avro's big-endian two's complement of any length to the 16 little-endian
 * bytes of an Arrow decimal. The result is in the function's own buffer until its next call. It throws if a
 * value has more digits than `precision`, because the kernel would accept it and compute wrong results.
 */
export function decimalConverter(
  precision: number,
): (source: Uint8Array, start: number, size: number) => Uint8Array {
  const out = new Uint8Array(16);
  const view = new DataView(out.buffer);
  const limit = 10n ** BigInt(precision);
  // Values of at most this many bytes never have more than `precision` digits.
  const safeBytes = Math.floor((limit.toString(2).length - 1) / 8);
  return (source, start, size) => {
    const fill = size > 0 && source[start]! & 0x80 ? 0xff : 0;
    out.fill(fill);
    for (let i = 0; i < size; i++) {
      const byte = source[start + size - 1 - i]!;
      if (i < 16) out[i] = byte;
      else if (byte !== fill) tooManyDigits(precision);
    }
    if (size > 16 && (out[15]! & 0x80) !== (fill & 0x80)) tooManyDigits(precision);
    if (size > safeBytes) {
      const value = (view.getBigInt64(8, true) << 64n) | view.getBigUint64(0, true);
      if (value >= limit || value <= -limit) tooManyDigits(precision);
    }
    return out;
  };
}

/** The digits of a decimal that is too wide for any numeric type of the kernel. */
export function decimalText(bytes: Uint8Array, scale: number): string {
  const unsigned = bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  const value = BigInt.asIntN(bytes.length * 8, unsigned);
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${value < 0n ? '-' : ''}${whole}${scale > 0 ? `.${digits.slice(digits.length - scale)}` : ''}`;
}

function tooManyDigits(precision: number): never {
  throw new DecodeError(`a decimal has more than the ${precision} digits of its type`);
}
