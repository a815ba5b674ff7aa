import { fail, type SqlLocation, TesseraError } from '@tessera/common';
import { isNullLiteral, literalInteger } from '../functions/expressions.ts';
import type { ParsedQuery } from '../parse/parse.ts';
import {
  type CastNode,
  type ConstantNode,
  caseOf,
  cast,
  constant,
  type Expression,
  type FunctionNode,
  stringLiteral,
} from '../tree.ts';
import { parseJson } from '../types/jsonb-text.ts';

/**
 * `-9223372036854775808::bigint` → `(-9223372036854775808)::bigint`: the cast binds more tightly than the
 * sign, and the number without its sign is out of range.
 */
export function negativeLiteral(node: Expression): Expression {
  if (node.class !== 'FUNCTION' || !node.is_operator || node.function_name !== '-') return node;
  const [operand, second] = node.children;
  if (second !== undefined || operand?.class !== 'CAST' || operand.child.class !== 'CONSTANT') return node;
  const smallest = SMALLEST.get(operand.cast_type.id);
  if (smallest === undefined || integerOf(operand.child) !== smallest) return node;
  const value = { ...operand.child.value, type: { id: 'BIGINT', type_info: null }, value: -smallest };
  const { alias, query_location } = node;
  return { ...operand, child: { ...operand.child, value }, alias, query_location };
}

/** `-2147483648` → `CAST(-2147483648 AS INTEGER)`: the kernel makes it a BIGINT, because it reads the number before the sign. */
export const smallestInteger = (node: ConstantNode): Expression =>
  node.value.type.id === 'BIGINT' && literalInteger(node) === -(2 ** 31)
    ? { ...cast({ ...node, alias: '' }, 'INTEGER'), alias: node.alias, query_location: node.query_location }
    : node;

/** The absolute value of the smallest value of each type. */
const SMALLEST: ReadonlyMap<string, bigint> = new Map([
  ['SMALLINT', 2n ** 15n],
  ['INTEGER', 2n ** 31n],
  ['BIGINT', 2n ** 63n],
]);

function integerOf({ value: { value } }: ConstantNode): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'object') return undefined;
  return (BigInt(value.upper) << 64n) + BigInt(value.lower);
}

const BITS: Readonly<Record<string, number>> = { INTEGER: 32, BIGINT: 64 };

/**
 * `x'1F'::int` → `'31'::int`, and the same for `b'101'` and for `bigint`. The first bit of as many as the type has is the sign.
 * @throws TesseraError OUT_OF_RANGE if the type has fewer bits
 */
export function numberOfBits(
  node: CastNode,
  { sourceAt, locate }: Pick<ParsedQuery, 'sourceAt' | 'locate'>,
): CastNode {
  const { child, cast_type } = node;
  const bits = BITS[cast_type.id];
  const text = child.class === 'CONSTANT' ? child.value.value : undefined;
  if (bits === undefined || typeof text !== 'string' || !/^(?:x[\da-f]+|b[01]+)$/i.test(text)) return node;
  if (!/^[xb]'/i.test(sourceAt(child.query_location))) return node;
  if (text.length - 1 > (text.startsWith('x') ? bits / 4 : bits))
    return outOfRange('A bit string', cast_type.id, node, locate);
  return { ...node, child: constant(String(BigInt.asIntN(bits, BigInt(`0${text}`)))) };
}

/**
 * Refuses `X'1F'` and `B'101'`, which the kernel reads as the texts `x1F` and `b101`.
 * @throws TesseraError NOT_SUPPORTED
 */
export function refuseBitString(
  { value: { value }, query_location }: ConstantNode,
  { sourceAt, locate }: Pick<ParsedQuery, 'sourceAt' | 'locate'>,
): void {
  if (typeof value !== 'string' || !/^[xb]/.test(value) || !/^[xb]'/i.test(sourceAt(query_location))) return;
  fail(
    'NOT_SUPPORTED',
    { what: 'A bit string', hint: "write a bytea as '\\x1F'::bytea" },
    { location: locate(query_location) },
  );
}

type Locate = (at: Expression['query_location']) => SqlLocation | undefined;

/**
 * The kernel prints the double `1e3` as `1000.0`, which it reads back as a decimal. A cast of its text keeps
 * it exact, to the last bit:
 *     1e3   →   CAST('1000' AS DOUBLE)
 * @throws TesseraError OUT_OF_RANGE for a number such as `1e400`, which the kernel would turn into infinity
 */
export function doubleLiteral(node: ConstantNode, locate: Locate): Expression {
  if (node.value.type.id !== 'DOUBLE') return node;
  const { value } = node.value;
  if (typeof value !== 'number') return node;
  if (!Number.isFinite(value)) outOfRange('A number', 'DOUBLE', node, locate);
  const text = Object.is(value, -0) ? '-0' : String(value);
  return { ...cast(constant(text), 'DOUBLE'), alias: node.alias, query_location: node.query_location };
}

const LIMITS: Readonly<Record<string, number>> = { DOUBLE: Number.MAX_VALUE, FLOAT: 3.4028235677973366e38 };

/**
 * Refuses `'1e400'::double precision`, which the kernel would turn into infinity, and `'1e-400'::double precision`, which it would
 * turn into 0. A text that means infinity (`'inf'`) is allowed, but not as a NUMERIC, which has no such values.
 */
export function checkDoubleText(node: CastNode, locate: Locate): void {
  const isNumeric = node.cast_type.id === 'DECIMAL' && !node.try_cast;
  if (isNumeric && /^\s*(?:nan|[-+]?inf(?:inity)?)\s*$/i.test(stringLiteral(node.child) ?? ''))
    fail(
      'NOT_SUPPORTED',
      { what: 'NaN or infinity as a NUMERIC', hint: 'use DOUBLE PRECISION' },
      { location: locate(node.query_location) },
    );
  const limit = LIMITS[node.cast_type.id];
  const text = limit === undefined ? undefined : stringLiteral(node.child);
  if (limit === undefined || text === undefined || node.try_cast || !/^\s*[-+]?[\d.]/.test(text)) return;
  const value = node.cast_type.id === 'FLOAT' ? Math.fround(Number(text)) : Number(text);
  const isTooSmall = value === 0 && /^[^e]*[1-9]/i.test(text);
  if (isTooSmall || Math.abs(Number(text)) > limit)
    outOfRange(JSON.stringify(text), node.cast_type.id, node, locate);
}

/**
 * Refuses `'[1,]'::json`: the kernel reads commas after the last item.
 * @throws TesseraError CAST_ERROR
 */
export function checkJsonText(
  { cast_type, child, try_cast, query_location }: CastNode,
  locate: Locate,
): void {
  const text = /,\s*[\]}]/.exec(stringLiteral(child) ?? '')?.input;
  const { type_info } = cast_type;
  if (text === undefined || try_cast || type_info?.type !== 'UNBOUND_TYPE_INFO') return;
  if (!/^json$/i.test(type_info.name)) return;
  try {
    parseJson(text);
  } catch (error) {
    throw error instanceof TesseraError ? error.with({ location: locate(query_location) }) : error;
  }
}

function outOfRange(value: string, type: string, node: Expression, locate: Locate): never {
  const name = { FLOAT: 'real', DOUBLE: 'double precision' }[type] ?? type.toLowerCase();
  const message = `${value} is out of range for type ${name}`;
  return fail('OUT_OF_RANGE', { message }, { location: locate(node.query_location) });
}

/**
 * `'\x6162'::bytea` is two bytes, as in PostgreSQL; the kernel would read `\x61` as one byte and `62` as two
 * characters.
 *     CAST('\x6162' AS BLOB)   →   CAST('\x61\x62' AS BLOB)
 * A non-ASCII character, which the kernel refuses, becomes its UTF-8 bytes: `CAST('é' AS BLOB)` →
 * `CAST('\xC3\xA9' AS BLOB)`.
 * PostgreSQL's escapes become bytes, too: `CAST('a\\b\000' AS BLOB)` → `CAST('a\x5cb\x00' AS BLOB)`. Everything else stays as it is.
 */
export function byteaLiteral(node: Expression): Expression {
  if (node.class !== 'CAST' || node.cast_type.id !== 'BLOB' || node.child.class !== 'CONSTANT') return node;
  const { value } = node.child.value;
  if (typeof value !== 'string') return node;
  const isHex = /^\\x([0-9a-f]{2})*$/i.test(value);
  const bytes = isHex
    ? value.slice(2).replace(/../g, '\\x$&')
    : bytesOfEscapes(value).replace(/[\u{80}-\u{10ffff}]+/gu, (text) =>
        Buffer.from(text).toString('hex').replace(/../g, '\\x$&'),
      );
  if (bytes === value) return node;
  return { ...node, child: { ...node.child, value: { ...node.child.value, value: bytes } } };
}

const ESCAPED = /^(?:[^\\]|\\\\|\\[0-3][0-7]{2})*$/;

const bytesOfEscapes = (text: string): string =>
  ESCAPED.test(text)
    ? text.replace(/\\(\\|[0-3][0-7]{2})/g, (_escape, what: string) => {
        const byte = what === '\\' ? '5c' : Number.parseInt(what, 8).toString(16).padStart(2, '0');
        return `\\x${byte}`;
      })
    : text;

const ARITHMETIC: ReadonlySet<string> = new Set([
  '+',
  '-',
  '*',
  '%',
  '@',
  'mod',
  'abs',
  'ceil',
  'ceiling',
  'floor',
  'round',
  'trunc',
]);

/**
 * The kernel gives no type to arithmetic with a NUMERIC that is certainly NULL. It gets the type of its operands:
 *     n * NULL::numeric(9, 2)  →   CASE WHEN false THEN n WHEN false THEN NULL::numeric(9, 2) ELSE … END
 */
export const typedNull = (node: FunctionNode): Expression =>
  ARITHMETIC.has(node.function_name) && node.children.some(isNumericNull)
    ? withTypeOf(
        node,
        node.children.filter((child) => !isBareNull(child)),
      )
    : node;

/** The expression, with the type that values of the samples have in common. */
export function withTypeOf(node: FunctionNode, samples: readonly Expression[]): Expression {
  if (samples.length === 0) return node;
  const { alias, query_location } = node;
  const never = samples.map((sample) => [constant(false), sampleOf(sample)] as const);
  return { ...caseOf(never, { ...node, alias: '' }), alias, query_location };
}

export const isBareNull = (node: Expression): boolean => node.class === 'CONSTANT' && node.value.is_null;

/** Whether a NULL of type NUMERIC is in the node, which the kernel recognises as NULL. */
function isNumericNull(node: Expression): boolean {
  if (node.class === 'CAST') return node.cast_type.id === 'DECIMAL' && mayFoldToNull(node.child);
  return node.class === 'FUNCTION' && ARITHMETIC.has(node.function_name) && node.children.some(isNumericNull);
}

/** An expression of the type of the node, without the node itself if it is one of `typedNull`: those may be nested deeply. */
function sampleOf(node: Expression): Expression {
  const [first] = node.class === 'CASE' ? node.case_checks : [];
  const isNever = first?.when_expr.class === 'CAST' && stringLiteral(first.when_expr.child) === 'f';
  return isNever ? first!.then_expr : { ...node, alias: '' };
}

/** Whether a value that is no array contains a NULL literal. */
export function mayFoldToNull(node: Expression): boolean {
  if (node.class === 'CAST') return node.cast_type.id !== 'LIST' && mayFoldToNull(node.child);
  if (isNullLiteral(node)) return true;
  return (
    node.class === 'FUNCTION' && node.function_name !== 'list_value' && node.children.some(mayFoldToNull)
  );
}
