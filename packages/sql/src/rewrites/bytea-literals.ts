import type { Expression } from '../tree.ts';

/**
 * `'\x6162'::bytea` is two bytes, as in PostgreSQL: the kernel takes `\x61` for one byte and `62` for two letters.
 *
 *     CAST('\x6162' AS BLOB)   →   CAST('\x61\x62' AS BLOB)
 *
 * A literal that is already in the kernel's form, or no hexadecimal, stays as it is.
 */
export function byteaLiteral(node: Expression): Expression {
  if (node.class !== 'CAST' || node.cast_type.id !== 'BLOB' || node.child.class !== 'CONSTANT') return node;
  const { value } = node.child.value;
  if (typeof value !== 'string' || !/^\\x([0-9a-f]{2})*$/i.test(value)) return node;
  const bytes = value.slice(2).replace(/../g, '\\x$&');
  return { ...node, child: { ...node.child, value: { ...node.child.value, value: bytes } } };
}
