import type { SqlType } from '@tessera/sql';
import { postgresType, typedColumn } from '@tessera/system-catalog';

/** A type in the form of RowDescription. */
export interface WireType {
  readonly oid: number;
  /** `typlen`: the bytes of a value, -1 if they vary. */
  readonly size: number;
  /** `atttypmod`: the type modifier, -1 if there is none. */
  readonly modifier: number;
}

/** The type in the form of `pg_type` and `pg_attribute`. */
export function wireType(type: SqlType): WireType {
  const { type: found, modifier } = typedColumn(type);
  return { oid: found.oid, size: found.length, modifier };
}

/** The OID of the element type, as it is written in binary arrays. */
export const elementOid = (type: SqlType): number => typedColumn(innermost(type)).type.oid;

const innermost = (type: SqlType): SqlType => (type.kind === 'array' ? innermost(type.element) : type);

const TEXT: SqlType = { kind: 'text' };

/**
 * The types that clients may declare for parameters (and their arrays): the result types, and for other types
 * the nearest equivalent.
 */
const PARAMETER_TYPES: Readonly<Record<string, SqlType>> = {
  int2: { kind: 'int' },
  int4: { kind: 'int' },
  int8: { kind: 'long' },
  oid: { kind: 'long' },
  xid: { kind: 'long' },
  float4: { kind: 'float' },
  float8: { kind: 'double' },
  // NUMERIC without a precision means this in the dialect.
  numeric: { kind: 'decimal', precision: 38, scale: 9 },
  bool: { kind: 'boolean' },
  date: { kind: 'date' },
  timestamp: { kind: 'timestamp' },
  timestamptz: { kind: 'timestamptz' },
  bytea: { kind: 'bytea' },
  json: { kind: 'json' },
  jsonb: { kind: 'json' },
  text: TEXT,
  bpchar: TEXT,
  char: TEXT,
  cidr: TEXT,
  inet: TEXT,
  interval: TEXT,
  name: TEXT,
  time: TEXT,
  timetz: TEXT,
  uuid: TEXT,
  varchar: TEXT,
  xml: TEXT,
};

const PARAMETERS: ReadonlyMap<number, SqlType> = new Map(
  Object.entries(PARAMETER_TYPES).flatMap(([name, type]): [number, SqlType][] => {
    const { oid, array } = postgresType(name);
    return [
      [oid, type],
      [array, { kind: 'array', element: type }],
    ];
  }),
);

/**
 * The type of a parameter by the OID in a Parse message; undefined for 0, `unknown`, and types that the
 * dialect does not have.
 */
export const parameterType = (oid: number): SqlType | undefined => PARAMETERS.get(oid);
