import {
  type ConstantNode,
  caseOf,
  cast,
  constant,
  type Expression,
  type FunctionNode,
  stringLiteral,
  type WindowNode,
} from '../tree.ts';
import { intervalLiteral } from './interval-texts.ts';
import { byteaLiteral, isBareNull } from './literals.ts';

const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '%']);
const NUMERIC_FUNCTIONS: ReadonlySet<string> = new Set([
  'abs',
  'ceil',
  'ceiling',
  'floor',
  'round',
  'trunc',
  '@',
]);

/** Functions of byte strings, with the number of arguments that distinguishes `encode` from the kernel's own function. */
const OF_BYTES: Readonly<Record<string, number>> = {
  encode: 2,
  convert_from: 2,
  tsr_pg_sha256: 1,
  tsr_pg_get_byte: 2,
  tsr_pg_set_byte: 3,
};

const INTERVAL =
  /^\s*[-+]?\d[\d.]*\s*(?:microsecond|millisecond|second|sec|minute|min|hour|day|week|month|mon|year|decade|centur(?:y|ie))s?\b/i;

/**
 * A text literal takes the type that its operator requires, as in PostgreSQL; the kernel finds several that fit:
 *     a + '5'           →   a + 5
 *     t - '1 day'       →   t - INTERVAL '1 day'
 *     abs('-5')         →   abs(CAST('-5' AS DOUBLE))
 *     encode('a', 'hex')   →   encode(CAST('a' AS BLOB), 'hex')
 */
export function untypedOperands(node: FunctionNode): FunctionNode {
  const { children, function_name: name } = node;
  const [first, second] = children;
  if (children.length === 2 && node.is_operator && ARITHMETIC.has(name)) {
    const [isLeft, isRight] = children.map(isTextLiteral);
    if (isLeft === isRight) return node;
    const typed = isLeft ? [typedLiteral(first!, second), second!] : [first!, typedLiteral(second!, first)];
    return { ...node, children: typed };
  }
  if (first !== undefined && isTextLiteral(first) && OF_BYTES[name] === children.length)
    return { ...node, children: [byteaLiteral(cast(first, 'BLOB')), ...children.slice(1)] };
  if (first === undefined || !NUMERIC_FUNCTIONS.has(name) || !isTextLiteral(first) || !isNumber(first))
    return node;
  return { ...node, children: [cast(first, 'DOUBLE'), ...children.slice(1)] };
}

/**
 * `RANGE BETWEEN '1 day' PRECEDING AND …` → `RANGE BETWEEN INTERVAL '1 day' PRECEDING AND …`, and `lag(NULL, 1, 5)` gets a NULL of the type
 * of the default.
 */
export function untypedFrame(given: WindowNode): WindowNode {
  const [first, ...others] = given.children;
  const { default_expr } = given;
  const isOpen = default_expr !== null && first !== undefined && isBareNull(first);
  const typedNull = isOpen && caseOf([[constant(false), default_expr]], first);
  const node = typedNull ? { ...given, children: [typedNull, ...others] } : given;
  const { start_expr, end_expr } = node;
  if (![start_expr, end_expr].some((bound) => bound !== null && isTextLiteral(bound))) return node;
  const typed = (bound: Expression | null) => bound && (isTextLiteral(bound) ? typedLiteral(bound) : bound);
  return { ...node, start_expr: typed(start_expr), end_expr: typed(end_expr) };
}

const isTextLiteral = (node: Expression): boolean =>
  node.class === 'CONSTANT' && stringLiteral(node) !== undefined;

const isNumeric = (node: Expression | undefined): node is ConstantNode =>
  node?.class === 'CONSTANT' && /^(?:INTEGER|BIGINT|DOUBLE)$/.test(node.value.type.id) && !node.value.is_null;

const isNumber = (node: Expression): boolean =>
  /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i.test(stringLiteral(node) ?? '');

/** @param other the other operand; if it is a number, a text that is not a number is cast to its type, and the cast fails */
function typedLiteral(node: Expression, other?: Expression): Expression {
  const text = stringLiteral(node) ?? '';
  if (INTERVAL.test(text)) return intervalLiteral(cast(node, 'INTERVAL'));
  if (!isNumber(node)) return isNumeric(other) ? cast(node, other.value.type.id) : node;
  const isWhole = /^\s*[-+]?\d{1,18}\s*$/.test(text);
  if (!isWhole) return cast(node, 'DOUBLE');
  const value = Number(text);
  return value === (value | 0) ? constant(value) : constant(BigInt(text.trim()));
}
