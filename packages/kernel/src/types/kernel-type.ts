import { quoteName, quoteText } from './quoting.ts';

/** Types without parameters, by the kernel's own names. */
export const SCALAR_TYPES = [
  'BOOLEAN',
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'HUGEINT',
  'UTINYINT',
  'USMALLINT',
  'UINTEGER',
  'UBIGINT',
  'UHUGEINT',
  'BIGNUM',
  'FLOAT',
  'DOUBLE',
  'VARCHAR',
  'JSON',
  'BLOB',
  'BIT',
  'UUID',
  'DATE',
  'TIME',
  'TIME_NS',
  'TIMETZ',
  'TIMESTAMP',
  'TIMESTAMP_S',
  'TIMESTAMP_MS',
  'TIMESTAMP_NS',
  'TIMESTAMPTZ',
  'TIMESTAMPTZ_NS',
  'INTERVAL',
  'GEOMETRY',
  'VARIANT',
  'NULL',
] as const;
export type ScalarTypeId = (typeof SCALAR_TYPES)[number];

export interface KernelField {
  readonly name: string;
  readonly type: KernelType;
}

/** A type of the kernel. `NULL` is the type of an untyped NULL literal. */
export type KernelType =
  | { readonly id: ScalarTypeId }
  | { readonly id: 'DECIMAL'; readonly width: number; readonly scale: number }
  | { readonly id: 'ENUM'; readonly values: readonly string[] }
  | { readonly id: 'LIST'; readonly child: KernelType }
  | { readonly id: 'ARRAY'; readonly child: KernelType; readonly size: number }
  | { readonly id: 'STRUCT'; readonly fields: readonly KernelField[] }
  | { readonly id: 'MAP'; readonly key: KernelType; readonly value: KernelType }
  | { readonly id: 'UNION'; readonly members: readonly KernelField[] };

export interface KernelColumn {
  readonly name: string;
  readonly type: KernelType;
}

const fieldsToSql = (fields: readonly KernelField[]) =>
  fields.map((f) => `${quoteName(f.name)} ${typeToSql(f.type)}`).join(', ');

/** The type as the kernel's SQL writes it, fit for CREATE TABLE and CAST. */
export function typeToSql(type: KernelType): string {
  switch (type.id) {
    case 'DECIMAL':
      return `DECIMAL(${type.width},${type.scale})`;
    case 'ENUM':
      return `ENUM(${type.values.map(quoteText).join(', ')})`;
    case 'LIST':
      return `${typeToSql(type.child)}[]`;
    case 'ARRAY':
      return `${typeToSql(type.child)}[${type.size}]`;
    case 'STRUCT':
      return `STRUCT(${fieldsToSql(type.fields)})`;
    case 'MAP':
      return `MAP(${typeToSql(type.key)}, ${typeToSql(type.value)})`;
    case 'UNION':
      return `UNION(${fieldsToSql(type.members)})`;
    case 'NULL':
      return '"NULL"';
    case 'TIMESTAMPTZ':
      return 'TIMESTAMP WITH TIME ZONE';
    case 'TIMETZ':
      return 'TIME WITH TIME ZONE';
    default:
      return type.id;
  }
}
