import type { ScalarKind, SqlType } from '@tessera/sql';

/** A type as RowDescription tells it. */
export interface WireType {
  readonly oid: number;
  /** `typlen`: bytes of a value, -1 where they vary. */
  readonly size: number;
  /** `atttypmod`: -1 where there is none. */
  readonly modifier: number;
}

interface TypeRow {
  readonly oid: number;
  readonly arrayOid: number;
  readonly size: number;
}

const row = (oid: number, arrayOid: number, size: number): TypeRow => ({ oid, arrayOid, size });

const JSON_ROW = row(114, 199, -1);
const TEXT_ROW = row(25, 1009, -1);
const NUMERIC_ROW = row(1700, 1231, -1);

/** From pg_type. PostgreSQL has no geography of its own: its values leave as text. */
const SCALARS: Readonly<Record<ScalarKind, TypeRow>> = {
  int: row(23, 1007, 4),
  long: row(20, 1016, 8),
  float: row(700, 1021, 4),
  double: row(701, 1022, 8),
  text: TEXT_ROW,
  boolean: row(16, 1000, 1),
  date: row(1082, 1182, 4),
  timestamp: row(1114, 1115, 8),
  timestamptz: row(1184, 1185, 8),
  bytea: row(17, 1001, -1),
  geography: TEXT_ROW,
  json: JSON_ROW,
};

/** Arrays of arrays have the type of the innermost element's array, as in PostgreSQL; structs are JSON. */
export function wireType(type: SqlType): WireType {
  const element = innermost(type);
  const found = typeRow(element);
  const modifier =
    element.kind === 'decimal' ? numericModifier(element.precision, element.scale) : NO_MODIFIER;
  return type.kind === 'array'
    ? { oid: found.arrayOid, size: -1, modifier }
    : { oid: found.oid, size: found.size, modifier };
}

/** The OID that an element has inside a binary array. */
export const elementOid = (type: SqlType): number => typeRow(innermost(type)).oid;

const innermost = (type: SqlType): SqlType => (type.kind === 'array' ? innermost(type.element) : type);

function typeRow(type: SqlType): TypeRow {
  switch (type.kind) {
    case 'decimal':
      return NUMERIC_ROW;
    case 'struct':
      return JSON_ROW;
    case 'array':
      throw new Error('An innermost element is no array');
    default:
      return SCALARS[type.kind];
  }
}

const NO_MODIFIER = -1;
const MODIFIER_HEADER = 4;
const numericModifier = (precision: number, scale: number): number =>
  ((precision << 16) | scale) + MODIFIER_HEADER;

/** What NUMERIC without a precision is in the dialect. */
const NUMERIC: SqlType = { kind: 'decimal', precision: 38, scale: 9 };

/** Types that clients give parameters beyond those that results have. */
const OTHER_PARAMETERS: readonly (readonly [oid: number, arrayOid: number, type: SqlType])[] = [
  [21, 1005, { kind: 'int' }], // int2
  [26, 1028, { kind: 'long' }], // oid
  [28, 1011, { kind: 'long' }], // xid
  [18, 1002, { kind: 'text' }], // char
  [19, 1003, { kind: 'text' }], // name
  [1042, 1014, { kind: 'text' }], // bpchar
  [1043, 1015, { kind: 'text' }], // varchar
  [142, 143, { kind: 'text' }], // xml
  [2950, 2951, { kind: 'text' }], // uuid
  [1083, 1183, { kind: 'text' }], // time
  [1266, 1270, { kind: 'text' }], // timetz
  [1186, 1187, { kind: 'text' }], // interval
  [869, 1041, { kind: 'text' }], // inet
  [650, 651, { kind: 'text' }], // cidr
  [3802, 3807, { kind: 'json' }], // jsonb
];

const PARAMETERS: ReadonlyMap<number, SqlType> = new Map(
  [
    ...(Object.keys(SCALARS) as ScalarKind[])
      .filter((kind) => kind !== 'geography')
      .map((kind) => [SCALARS[kind].oid, SCALARS[kind].arrayOid, { kind } as SqlType] as const),
    [NUMERIC_ROW.oid, NUMERIC_ROW.arrayOid, NUMERIC] as const,
    ...OTHER_PARAMETERS,
  ].flatMap(([oid, arrayOid, type]): [number, SqlType][] => [
    [oid, type],
    [arrayOid, { kind: 'array', element: type }],
  ]),
);

/** The type of a parameter by the OID of a Parse message; undefined for 0, `unknown` and types that the dialect lacks. */
export const parameterType = (oid: number): SqlType | undefined => PARAMETERS.get(oid);
