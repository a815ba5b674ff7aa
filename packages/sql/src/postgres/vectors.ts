import { kernelCall, operatorCall } from '../functions/expressions.ts';
import { constant, type Expression, operator } from '../tree.ts';

/** Columns of type int2vector and oidvector, whose subscripts begin at 0. */
const VECTORS = new Set(['indkey', 'indoption', 'indclass', 'indcollation', 'proargtypes', 'partattrs']);

export const isVector = (node: Expression | undefined): boolean =>
  node?.class === 'COLUMN_REF' && VECTORS.has(node.column_names.at(-1)!);

/**
 * Rewrites expressions over vectors. The kernel has them as lists, whose subscripts begin at 1 and whose text
 * contains commas:
 *     i.indkey[0]                          becomes   i.indkey[0 + 1]
 *     generate_subscripts(i.indkey, 1)     becomes   generate_subscripts(i.indkey, 1) - 1
 *     i.indkey::varchar                    becomes   array_to_string(i.indkey, ' ')
 */
export function vectorForm(node: Expression): Expression {
  if (node.class === 'OPERATOR' && node.type === 'ARRAY_EXTRACT' && isVector(node.children[0])) {
    const [vector, index] = node.children as [Expression, Expression];
    return operator('ARRAY_EXTRACT', vector, operatorCall('+', index, constant(1)));
  }
  if (node.class === 'CAST' && node.cast_type.id === 'VARCHAR' && isVector(node.child)) {
    return vectorText(node.child);
  }
  if (node.class !== 'FUNCTION' || node.function_name !== 'generate_subscripts') return node;
  return isVector(node.children[0]) ? operatorCall('-', { ...node, alias: '' }, constant(1)) : node;
}

/** The text of a vector as PostgreSQL writes it: `1 2`. */
export const vectorText = (vector: Expression): Expression =>
  kernelCall('array_to_string', { ...vector, alias: '' }, constant(' '));
