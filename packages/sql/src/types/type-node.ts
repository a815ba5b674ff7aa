import type { TypeNode } from '../tree.ts';
import type { ScalarKind, SqlType } from './sql-type.ts';

const SCALARS: Readonly<Record<Exclude<ScalarKind, 'json' | 'geography'>, string>> = {
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
};

const BASE = { alias: '', extension_info: null } as const;

/** A type of the dialect as the kernel's parse tree has it. */
export function typeNode(type: SqlType): TypeNode {
  switch (type.kind) {
    case 'decimal': {
      const { precision: width, scale } = type;
      return { id: 'DECIMAL', type_info: { ...BASE, type: 'DECIMAL_TYPE_INFO', width, scale } };
    }
    case 'array':
      return {
        id: 'LIST',
        type_info: { ...BASE, type: 'LIST_TYPE_INFO', child_type: typeNode(type.element) },
      };
    case 'struct': {
      const child_types = type.fields.map((f) => ({ first: f.name, second: typeNode(f.type) }));
      return { id: 'STRUCT', type_info: { ...BASE, type: 'STRUCT_TYPE_INFO', child_types } };
    }
    case 'json':
      return named('JSON');
    case 'geography':
      return named('GEOMETRY');
    default:
      return { id: SCALARS[type.kind], type_info: null };
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
