import type { SqlType } from '@tessera/sql';
import { postgresType, typedColumn } from '@tessera/system-catalog';

/** A type as RowDescription tells it. */
export interface WireType {
  readonly oid: number;
  /** `typlen`: bytes of a value, -1 where they vary. */
  readonly size: number;
  /** `atttypmod`: -1 where there is none. */
  readonly modifier: number;
}

/** As `pg_type` and `pg_attribute` tell it. */
export function wireType(type: SqlType): WireType {
  const { type: found, modifier } = typedColumn(type);
  return { oid: found.oid, size: found.length, modifier };
}

/** The OID that an element has inside a binary array. */
export const elementOid = (type: SqlType): number => typedColumn(innermost(type)).type.oid;

const innermost = (type: SqlType): SqlType => (type.kind === 'array' ? innermost(type.element) : type);

const TEXT: SqlType = { kind: 'text' };

/** Types that clients give parameters, their arrays aside: those of results, and what comes nearest to others. */
const PARAMETER_TYPES: Readonly<Record<string, SqlType>> = {
  int2: { kind: 'int' },
  int4: { kind: 'int' },
  int8: { kind: 'long' },
  oid: { kind: 'long' },
  xid: { kind: 'long' },
  float4: { kind: 'float' },
  float8: { kind: 'double' },
  // What NUMERIC without a precision is in the dialect.
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

/** The type of a parameter by the OID of a Parse message; undefined for 0, `unknown` and types that the dialect lacks. */
export const parameterType = (oid: number): SqlType | undefined => PARAMETERS.get(oid);
