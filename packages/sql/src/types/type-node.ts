import type { TypeNode } from '../tree.ts';
import { KERNEL_NAMES } from './kernel-names.ts';
import type { SqlType } from './sql-type.ts';

const BASE = { alias: '', extension_info: null } as const;

/** A type of the dialect in the form of the kernel's parse tree. */
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
