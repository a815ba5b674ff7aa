import type { SqlType } from '@tessera/sql';
import { TYPE_FUNCTIONS, TYPE_LINES } from './type-lines.ts';

/** A type as a row of `pg_type`. */
export interface PostgresType {
  readonly oid: number;
  readonly name: string;
  /** The name that `format_type` writes. */
  readonly sqlName: string;
  readonly length: number;
  readonly byValue: boolean;
  /** `b` for a base type, `p` for a pseudo-type. */
  readonly kind: string;
  readonly category: string;
  readonly preferred: boolean;
  readonly align: string;
  readonly storage: string;
  /** The OID of the element type; 0 if there is none. The same for the array type. */
  readonly element: number;
  readonly array: number;
  readonly collation: number;
  /** The OIDs of the functions in, out, receive, send. */
  readonly functions: readonly number[];
  readonly isArray: boolean;
}

const NO_FUNCTION = 0;

function base(line: string): PostgresType {
  const [oid, name = '', length, flags = '', element, array, collation, sqlName = '-', ...functions] =
    line.split(' ');
  return {
    oid: Number(oid),
    name,
    sqlName: sqlName === '-' ? name : sqlName.replaceAll('_', ' '),
    length: Number(length),
    byValue: flags[0] === 'v',
    kind: flags[1]!,
    category: flags[2]!,
    preferred: flags[3] === '!',
    align: flags[4]!,
    storage: flags[5]!,
    element: Number(element),
    array: Number(array),
    collation: Number(collation),
    functions: functions.map((f) => TYPE_FUNCTIONS[f] ?? NO_FUNCTION),
    isArray: false,
  };
}

const ARRAY_FUNCTIONS = ['array_in', 'array_out', 'array_recv', 'array_send'].map((f) => TYPE_FUNCTIONS[f]!);

const arrayOf = (element: PostgresType): PostgresType => ({
  ...element,
  oid: element.array,
  name: `_${element.name}`,
  sqlName: `${element.sqlName}[]`,
  length: -1,
  byValue: false,
  kind: element.kind === 'p' ? 'p' : 'b',
  category: 'A',
  preferred: false,
  align: element.align === 'd' ? 'd' : 'i',
  storage: 'x',
  element: element.oid,
  array: 0,
  functions: ARRAY_FUNCTIONS,
  isArray: true,
});

const BASES = TYPE_LINES.map(base);

/** All types including their arrays, by OID. */
export const POSTGRES_TYPES: readonly PostgresType[] = [
  ...BASES,
  ...BASES.filter(({ array }) => array !== 0).map(arrayOf),
].sort((a, b) => a.oid - b.oid);

const BY_NAME = new Map(POSTGRES_TYPES.map((type) => [type.name, type]));

/** A type of `POSTGRES_TYPES` by its name. */
export const postgresType = (name: string): PostgresType => BY_NAME.get(name)!;

/** The PostgreSQL type names of the dialect's types. */
const NAMES = {
  int: 'int4',
  long: 'int8',
  float: 'float4',
  double: 'float8',
  decimal: 'numeric',
  text: 'text',
  boolean: 'bool',
  date: 'date',
  timestamp: 'timestamp',
  timestamptz: 'timestamptz',
  bytea: 'bytea',
  geography: 'text',
  json: 'json',
  struct: 'json',
} as const;

/** The type of a column with its modifier: PostgreSQL has one array type for every number of dimensions. */
export interface TypedColumn {
  readonly type: PostgresType;
  readonly modifier: number;
  readonly dimensions: number;
}

const NO_MODIFIER = -1;
const MODIFIER_OFFSET = 4;

export function typedColumn(type: SqlType): TypedColumn {
  let inner = type;
  let dimensions = 0;
  for (; inner.kind === 'array'; inner = inner.element) dimensions += 1;
  const own = 'postgres' in inner ? inner.postgres : undefined;
  const element = postgresType(own ?? NAMES[inner.kind as keyof typeof NAMES]);
  return {
    type: dimensions === 0 ? element : postgresType(`_${element.name}`),
    modifier: modifierOf(inner),
    dimensions,
  };
}

function modifierOf(type: SqlType): number {
  if (type.kind === 'decimal') return ((type.precision << 16) | type.scale) + MODIFIER_OFFSET;
  if (!('length' in type) || type.length === undefined) return NO_MODIFIER;
  const isTime = type.kind === 'timestamp' || type.kind === 'timestamptz';
  return isTime ? type.length : type.length + MODIFIER_OFFSET;
}
