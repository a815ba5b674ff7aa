import { LONG_TEXT_LENGTH, type WireValue } from '../protocol/long-text.ts';
import type { Pointer } from './libc.ts';
import { duckdb } from './library.ts';
import { takeLogicalType } from './logical-type.ts';
import { copyOut } from './memory.ts';
import { NativeError } from './native-error.ts';

/** Strings up to this length are stored in their 16-byte entry, longer ones behind a pointer. */
export const INLINE_BYTES = 12;

/**
 * The value of a column in the first row of a chunk.
 * @throws RangeError if there is no memory for a long text
 */
export function firstValue(chunk: Pointer, column = 0): WireValue {
  const vector = duckdb.chunkVector(chunk, column);
  const validity = duckdb.vectorValidity(vector);
  if (validity && (copyOut(validity, 8)[0]! & 1) === 0) return null;
  const type = takeLogicalType(duckdb.vectorType(vector)) ?? { id: 'NULL' as const };
  const at = duckdb.vectorData(vector);
  const read = (size: number) => copyOut(at, size);
  switch (type.id) {
    case 'NULL':
      return null;
    case 'BOOLEAN':
      return read(1)[0] !== 0;
    case 'TINYINT':
      return read(1).readInt8();
    case 'UTINYINT':
      return read(1).readUInt8();
    case 'SMALLINT':
      return read(2).readInt16LE();
    case 'USMALLINT':
      return read(2).readUInt16LE();
    case 'INTEGER':
      return read(4).readInt32LE();
    case 'UINTEGER':
      return read(4).readUInt32LE();
    case 'BIGINT':
      return narrow(read(8).readBigInt64LE());
    case 'UBIGINT':
      return narrow(read(8).readBigUInt64LE());
    case 'HUGEINT': {
      const bytes = read(16);
      return narrow((bytes.readBigInt64LE(8) << 64n) | bytes.readBigUInt64LE(0));
    }
    case 'FLOAT':
      return read(4).readFloatLE();
    case 'DOUBLE':
      return read(8).readDoubleLE();
    case 'VARCHAR':
    case 'JSON':
      return text(stringBytes(read(16)));
    case 'BLOB':
      return stringBytes(read(16));
    default:
      throw new NativeError(
        JSON.stringify({
          exception_type: 'Invalid Input',
          exception_message: `a single value of type ${type.id} cannot be read: cast it to VARCHAR`,
        }),
      );
  }
}

const text = (bytes: Buffer): WireValue =>
  bytes.length < LONG_TEXT_LENGTH ? bytes.toString('utf8') : { utf8: bytes };

function stringBytes(entry: Buffer): Buffer {
  const length = entry.readUInt32LE(0);
  return length <= INLINE_BYTES ? entry.subarray(4, 4 + length) : copyOut(entry.readBigUInt64LE(8), length);
}

const narrow = (value: bigint): number | bigint => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
};
