import type { TypeNode } from '../tree.ts';
import type { ScalarKind, SqlType } from './sql-type.ts';

/** The kernel's names of the dialect's types without parameters. */
export const KERNEL_NAMES = {
  int: 'INTEGER',
  long: 'BIGINT',
  float: 'FLOAT',
  double: 'DOUBLE',
  text: 'VARCHAR',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMP WITH TIME ZONE',
  bytea: 'BLOB',
  geography: 'GEOMETRY',
  json: 'JSON',
} as const satisfies Readonly<Record<ScalarKind, string>>;

const BASE = { alias: '', extension_info: null } as const;

export const decimalNode = (width: number, scale: number): TypeNode => ({
  id: 'DECIMAL',
  type_info: { ...BASE, type: 'DECIMAL_TYPE_INFO', width, scale },
});

export const listOf = (child_type: TypeNode): TypeNode => ({
  id: 'LIST',
  type_info: { ...BASE, type: 'LIST_TYPE_INFO', child_type },
});

/** A type of a column of a table, as the kernel's SQL writes it, in the form of the kernel's parse tree. */
export function kernelTypeNode(type: string): TypeNode {
  if (type.endsWith('[]')) return listOf(kernelTypeNode(type.slice(0, -2)));
  const decimal = /^DECIMAL\((\d+),\s*(\d+)\)$/.exec(type);
  if (decimal !== null) return decimalNode(Number(decimal[1]), Number(decimal[2]));
  return type === KERNEL_NAMES.json ? named(type) : { id: type, type_info: null };
}

/** A type of the dialect in the form of the kernel's parse tree. */
export function typeNode(type: SqlType): TypeNode {
  switch (type.kind) {
    case 'decimal':
      return decimalNode(type.precision, type.scale);
    case 'array':
      return listOf(typeNode(type.element));
    case 'struct': {
      const child_types = type.fields.map((f) => ({ first: f.name, second: typeNode(f.type) }));
      return { id: 'STRUCT', type_info: { ...BASE, type: 'STRUCT_TYPE_INFO', child_types } };
    }
    case 'json':
      return named(KERNEL_NAMES.json);
    case 'geography':
      return named(KERNEL_NAMES.geography);
    default:
      return { id: KERNEL_NAMES[type.kind], type_info: null };
  }
}

const named = (name: string): TypeNode => ({
  id: 'UNBOUND',
  type_info: {
    ...BASE,
    type: 'UNBOUND_TYPE_INFO',
    name,
    catalog: '',
    schema: '',
    user_type_modifiers: [],
  },
});
