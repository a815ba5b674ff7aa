import { Precision, Type } from 'apache-arrow/enum';
import type { Field } from 'apache-arrow/schema';
import type { DataType, Decimal, Float } from 'apache-arrow/type';
import { quoteText } from '../types/quoting.ts';
import type { ArrayData } from './array-data.ts';
import { startsOf } from './take-rows.ts';

const NULL = 'NULL';
/** Dates that are further from 1970 may be infinite, which arithmetic refuses. */
const MAX_DAYS = 1_000_000;

/** The values of a column as SQL literals; undefined if the type, or one of the values, has none that is exactly the same. */
export function sqlLiterals(
  field: Pick<Field, 'type' | 'metadata'>,
  array: ArrayData,
): readonly string[] | undefined {
  // The type of such a column is not the one that its layout suggests.
  if (field.metadata.has('ARROW:extension:name')) return undefined;
  const [validity, data] = array.buffers;
  if (validity === undefined || data === undefined) return undefined;
  const literal = literalOf(field.type, array, data);
  if (literal === undefined) return undefined;
  const literals: string[] = [];
  for (let row = 0; row < array.length; row++) {
    const text = validity.length === 0 || hasBit(validity, row) ? literal(row) : NULL;
    if (text === undefined) return undefined;
    literals.push(text);
  }
  return literals;
}

const hasBit = (bits: Uint8Array, row: number): boolean => (bits[row >> 3]! & (1 << (row & 7))) !== 0;

type LiteralOf = (row: number) => string | undefined;

function literalOf(type: DataType, array: ArrayData, data: Uint8Array): LiteralOf | undefined {
  const { buffer, byteOffset } = data;
  switch (type.typeId) {
    case Type.Bool:
      return (row) => String(hasBit(data, row));
    case Type.Int: {
      const values = new type.ArrayType(buffer, byteOffset, array.length);
      return (row) => String(values[row]);
    }
    case Type.Float: {
      const { precision } = type as Float;
      if (precision === Precision.HALF) return undefined;
      const isSingle = precision === Precision.SINGLE;
      const values = isSingle
        ? new Float32Array(buffer as ArrayBuffer, byteOffset, array.length)
        : new Float64Array(buffer as ArrayBuffer, byteOffset, array.length);
      return (row) => `CAST('${floatText(values[row]!)}' AS ${isSingle ? 'FLOAT' : 'DOUBLE'})`;
    }
    case Type.Decimal:
      return decimalLiteral(type as Decimal, new DataView(buffer, byteOffset, data.length));
    case Type.Date: {
      if (array.layout.kind !== 'fixed' || array.layout.bytes !== 4) return undefined;
      const days = new Int32Array(buffer as ArrayBuffer, byteOffset, array.length);
      return (row) => (Math.abs(days[row]!) < MAX_DAYS ? `(DATE '1970-01-01' + (${days[row]}))` : undefined);
    }
    case Type.Utf8: {
      const starts = startsOf(array);
      const bytes = Buffer.from(
        array.buffers[2]!.buffer,
        array.buffers[2]!.byteOffset,
        array.buffers[2]!.length,
      );
      return (row) => quoteText(bytes.toString('utf8', starts[row], starts[row + 1]));
    }
    default:
      return undefined;
  }
}

const floatText = (value: number): string => (Object.is(value, -0) ? '-0.0' : String(value));

function decimalLiteral({ precision, scale, bitWidth }: Decimal, view: DataView): LiteralOf | undefined {
  if (bitWidth !== 128) return undefined;
  return (row) => {
    const value = (view.getBigInt64(16 * row + 8, true) << 64n) | view.getBigUint64(16 * row, true);
    const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
    const whole = digits.slice(0, digits.length - scale);
    const text = `${value < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`;
    return `CAST('${text}' AS DECIMAL(${precision}, ${scale}))`;
  };
}
