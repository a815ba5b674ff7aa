import { cast, constant, type Expression } from '../tree.ts';

/**
 * The kernel prints the double `1e3` as `1000.0`, which reads back as a decimal. As a cast of its text it stays what it
 * is, to the last bit:
 *
 *     1e3   →   CAST('1000' AS DOUBLE)
 */
export function doubleLiteral(node: Expression): Expression {
  if (node.class !== 'CONSTANT' || node.value.type.id !== 'DOUBLE') return node;
  const { value } = node.value;
  if (typeof value !== 'number') return node;
  const text = Object.is(value, -0) ? '-0' : String(value);
  return { ...cast(constant(text), 'DOUBLE'), alias: node.alias, query_location: node.query_location };
}
