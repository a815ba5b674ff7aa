import type { Expression, QueryNode } from '../tree.ts';

/** Which columns of a query certainly hold no NULL; false wherever that is not plain from the text. */
export function notNullColumns(node: QueryNode, count: number): readonly boolean[] {
  const unknown = Array.from({ length: count }, () => false);
  if (node.type === 'SET_OPERATION_NODE' && node.left !== undefined && node.right !== undefined) {
    if (node.setop_type === 'UNION_BY_NAME') return unknown;
    const right = notNullColumns(node.right, count);
    return notNullColumns(node.left, count).map((left, i) => left && right[i] === true);
  }
  if (node.type !== 'SELECT_NODE' || node.select_list.length !== count) return unknown;
  return node.select_list.map(isNotNull);
}

const COUNTS = new Set(['count', 'count_star', 'count_if', 'row_number', 'rank', 'dense_rank', 'ntile']);

function isNotNull(node: Expression): boolean {
  switch (node.class) {
    case 'CONSTANT':
      return !node.value.is_null;
    case 'CAST':
      return !node.try_cast && isNotNull(node.child);
    case 'FUNCTION':
      if (COUNTS.has(node.function_name)) return true;
      return node.is_operator && ARITHMETIC.has(node.function_name) && node.children.every(isNotNull);
    case 'WINDOW':
      return COUNTS.has(node.function_name);
    case 'OPERATOR':
      if (node.type === 'OPERATOR_IS_NULL' || node.type === 'OPERATOR_IS_NOT_NULL') return true;
      return node.type === 'OPERATOR_COALESCE' && node.children.some(isNotNull);
    case 'COMPARISON':
      return isNotNull(node.left) && isNotNull(node.right);
    default:
      return false;
  }
}

const ARITHMETIC = new Set(['+', '-', '*', '||']);
