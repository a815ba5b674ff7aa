import * as arrow from 'apache-arrow';
import { checkText } from '../columns/bytes-builder.ts';
import { type ColumnData, DecodeError } from '../columns/column-batch.ts';
import type { MemoryBudget } from '../columns/memory-budget.ts';
import { isSet } from './bits.ts';
import type { BodyBuffer } from './body.ts';

/** Undefined for types that are neither text nor binary. */
export function textOrBinary(type: arrow.DataType): 'text' | 'binary' | undefined {
  const { DataType } = arrow;
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type)) return 'text';
  if (DataType.isBinary(type) || DataType.isLargeBinary(type) || DataType.isBinaryView(type)) return 'binary';
  return DataType.isFixedSizeBinary(type) ? 'binary' : undefined;
}

/**
 * The bounds of values `from` … `to`: `start` and `end` in the data of the column, and `offsets` relative to
 * `start`. They are checked to be ascending, because the kernel trusts them.
 */
export function readOffsets(
  buffer: BodyBuffer,
  from: number,
  to: number,
  wide: boolean,
): { start: number; end: number; offsets: Int32Array<ArrayBuffer> } {
  // Writers may omit the offsets of an empty column.
  if (buffer.length === 0 && from === to) return { start: 0, end: 0, offsets: new Int32Array(1) };
  const bytes = buffer.read(from * (wide ? 8 : 4), (to + 1) * (wide ? 8 : 4));
  const source = wide
    ? Float64Array.from(new BigInt64Array(bytes.buffer), Number)
    : new Int32Array(bytes.buffer);
  const start = source[0]!;
  const end = source[source.length - 1]!;
  if (!(start >= 0 && end - start <= 0x7fffffff))
    throw new DecodeError('the offsets of a column are out of range');
  const offsets = new Int32Array(source.length);
  let last = 0;
  for (let i = 0; i < source.length; i++) {
    const offset = source[i]! - start;
    if (offset < last || offset > end - start) throw new DecodeError('the offsets of a column do not ascend');
    offsets[i] = offset;
    last = offset;
  }
  return { start, end, offsets };
}

export function offsetsOfEqualSizes(
  count: number,
  size: number,
  budget: MemoryBudget,
): Int32Array<ArrayBuffer> {
  budget.grow((count + 1) * 4);
  if (count * size > 0x7fffffff) throw new DecodeError('a column of fixed sizes is absurdly large');
  return Int32Array.from({ length: count + 1 }, (_, index) => index * size);
}

export function bytesColumn(
  kind: 'text' | 'binary',
  values: Uint8Array<ArrayBuffer>,
  offsets: Int32Array<ArrayBuffer>,
  validity: Uint8Array<ArrayBuffer> | undefined,
  nullCount: number,
): ColumnData {
  if (kind === 'text' && !checkText(values, offsets)) blankNulls(values, offsets, validity);
  return { length: offsets.length - 1, nullCount, validity, offsets, values, children: [] };
}

/**
 * Overwrites the bytes of null values, which may be arbitrary, with blanks. Throws DecodeError if another
 * value is not valid UTF-8.
 */
function blankNulls(values: Uint8Array, offsets: Int32Array, validity: Uint8Array | undefined): void {
  for (let i = 0; i + 1 < offsets.length; i++) {
    if (!isSet(validity, i)) values.fill(0x20, offsets[i], offsets[i + 1]);
  }
  if (!checkText(values, offsets)) throw new DecodeError('a text value is not valid UTF-8');
}
