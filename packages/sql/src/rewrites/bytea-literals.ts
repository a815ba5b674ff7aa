import type { Expression } from '../tree.ts';

/**
 * `'\x6162'::bytea` is two bytes, as in PostgreSQL; the kernel would read `\x61` as one byte and `62` as two
 * characters.
 *     CAST('\x6162' AS BLOB)   →   CAST('\x61\x62' AS BLOB)
 * A non-ASCII character, which the kernel refuses, becomes its UTF-8 bytes: `CAST('é' AS BLOB)` →
 * `CAST('\xC3\xA9' AS BLOB)`.
 * Everything else stays as it is.
 */
export function byteaLiteral(node: Expression): Expression {
  if (node.class !== 'CAST' || node.cast_type.id !== 'BLOB' || node.child.class !== 'CONSTANT') return node;
  const { value } = node.child.value;
  if (typeof value !== 'string') return node;
  const isHex = /^\\x([0-9a-f]{2})*$/i.test(value);
  const bytes = isHex
    ? value.slice(2).replace(/../g, '\\x$&')
    : value.replace(/[\u{80}-\u{10ffff}]+/gu, (text) =>
        Buffer.from(text).toString('hex').replace(/../g, '\\x$&'),
      );
  if (bytes === value) return node;
  return { ...node, child: { ...node.child, value: { ...node.child.value, value: bytes } } };
}
