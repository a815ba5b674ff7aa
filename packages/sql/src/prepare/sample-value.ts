import { call, cast, constant, type Expression, type TypeNode } from '../tree.ts';

/**
 * A sample value of a type. NULL would not do: an expression over a NULL that the kernel can see may have
 * another type than the same expression over a value. A cast that may fail says that the value may be NULL.
 */
export function someOf(node: TypeNode): Expression {
  switch (node.id) {
    case 'INTEGER':
    case 'BIGINT':
    case 'DOUBLE':
      return cast(constant(1), node, true);
    case 'DECIMAL':
      return cast(constant(0.5), node, true);
    case 'DATE':
    case 'TIMESTAMP':
    case 'TIMESTAMP WITH TIME ZONE':
      return cast(constant('2000-01-01'), node, true);
    case 'VARCHAR':
      return constant('');
    case 'BLOB':
      return cast(constant(''), node);
    case 'LIST':
      return cast(call('list_value'), node);
    default:
      return cast(constant(null), node);
  }
}
