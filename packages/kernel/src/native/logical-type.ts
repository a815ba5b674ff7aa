import type { KernelField, KernelType, ScalarTypeId } from '../types/kernel-type.ts';
import type { Pointer } from './libc.ts';
import { duckdb, takeString } from './library.ts';

/** The values of `duckdb_type` in the C API. */
const SCALAR_BY_ID: Readonly<Record<number, ScalarTypeId>> = {
  1: 'BOOLEAN',
  2: 'TINYINT',
  3: 'SMALLINT',
  4: 'INTEGER',
  5: 'BIGINT',
  6: 'UTINYINT',
  7: 'USMALLINT',
  8: 'UINTEGER',
  9: 'UBIGINT',
  10: 'FLOAT',
  11: 'DOUBLE',
  12: 'TIMESTAMP',
  13: 'DATE',
  14: 'TIME',
  15: 'INTERVAL',
  16: 'HUGEINT',
  17: 'VARCHAR',
  18: 'BLOB',
  20: 'TIMESTAMP_S',
  21: 'TIMESTAMP_MS',
  22: 'TIMESTAMP_NS',
  27: 'UUID',
  29: 'BIT',
  30: 'TIMETZ',
  31: 'TIMESTAMPTZ',
  32: 'UHUGEINT',
  35: 'BIGNUM',
  36: 'NULL',
  39: 'TIME_NS',
  40: 'GEOMETRY',
  41: 'VARIANT',
};
const DECIMAL = 19;
const ENUM = 23;
const LIST = 24;
const STRUCT = 25;
const MAP = 26;
const UNION = 28;
const ARRAY = 33;

/**
 * Reads a logical type and destroys the handle; null for a type that is not known yet (an untyped parameter).
 */
export function takeLogicalType(handle: Pointer | null): KernelType | null {
  if (!handle) return null;
  try {
    return readType(handle);
  } finally {
    destroy(handle);
  }
}

function readType(handle: Pointer): KernelType | null {
  const id = duckdb.typeId(handle);
  switch (id) {
    case DECIMAL:
      return { id: 'DECIMAL', width: duckdb.decimalWidth(handle), scale: duckdb.decimalScale(handle) };
    case ENUM:
      return {
        id: 'ENUM',
        values: Array.from({ length: duckdb.enumSize(handle) }, (_, i) =>
          takeString(duckdb.enumValue(handle, i)),
        ),
      };
    case LIST:
      return { id: 'LIST', child: child(duckdb.listChild(handle)) };
    case ARRAY:
      return { id: 'ARRAY', child: child(duckdb.arrayChild(handle)), size: duckdb.arraySize(handle) };
    case STRUCT:
      return {
        id: 'STRUCT',
        fields: fields(handle, duckdb.structSize, duckdb.structName, duckdb.structChild),
      };
    case UNION:
      return { id: 'UNION', members: fields(handle, duckdb.unionSize, duckdb.unionName, duckdb.unionChild) };
    case MAP:
      return { id: 'MAP', key: child(duckdb.mapKey(handle)), value: child(duckdb.mapValue(handle)) };
    default: {
      const scalar = SCALAR_BY_ID[id];
      if (scalar === undefined) return null;
      return scalar === 'VARCHAR' && takeString(duckdb.typeAlias(handle)) === 'JSON'
        ? { id: 'JSON' }
        : { id: scalar };
    }
  }
}

function fields(
  handle: Pointer,
  size: (h: Pointer) => number,
  name: (h: Pointer, i: number) => Pointer,
  type: (h: Pointer, i: number) => Pointer,
): KernelField[] {
  return Array.from({ length: size(handle) }, (_, i) => ({
    name: takeString(name(handle, i)),
    type: child(type(handle, i)),
  }));
}

const child = (handle: Pointer): KernelType => takeLogicalType(handle) ?? { id: 'NULL' };

function destroy(handle: Pointer): void {
  const slot = Buffer.allocUnsafeSlow(8);
  slot.writeBigUInt64LE(handle);
  duckdb.destroyType(slot as unknown as Pointer);
}
