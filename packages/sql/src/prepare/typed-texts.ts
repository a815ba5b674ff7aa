import { type SqlLocation, TesseraError } from '@tessera/common';
import { internalName } from '../functions/internal-macros.ts';
import { arrayLiteral, malformedArray } from '../postgres/array-literals.ts';
import { intervalLiteral } from '../rewrites/interval-texts.ts';
import { byteaLiteral } from '../rewrites/literals.ts';
import { textShape } from '../text/text-shape.ts';
import {
  cast,
  constant,
  type Expression,
  type Statement,
  someExpression,
  stringLiteral,
  type TypeNode,
} from '../tree.ts';
import { decimalNode, kernelTypeNode, listOf } from '../types/type-node.ts';
import { kindsFrom } from './column-facts.ts';
import type { CatalogColumns, FactsOf } from './column-scope.ts';
import { operandsOf, withChildren, withOperands } from './operands.ts';
import { rewriteInScope } from './scoped-expressions.ts';
import { elementKind, elementsOf, kindOfType, valueKind } from './value-kind.ts';

/** Operators and functions of two arrays. An array may also be concatenated with an element, but not with a text literal. */
const OF_ARRAYS: ReadonlySet<string> = new Set([
  ...['||', '&&', '@>', '<@'],
  ...['pg_array_contains', 'joined_arrays'].map(internalName),
]);

/**
 * A text literal that meets an array, a bytea, a boolean, an interval or a numeric has its type, as in PostgreSQL:
 *     tags @> '{a,b}'        →   tags @> ['a', 'b']
 *     coalesce(tags, '{}')   →   coalesce(tags, [])
 *     b = '\x00ff'           →   b = '\x00\xff'::BLOB
 *     n = '1.504'            →   n = '1.504'::DECIMAL(4, 3)
 *     c = 'ab '              →   c = 'ab'                         if c is declared char(n)
 * The kernel reads such texts in another way, or rounds them to the decimals of the other operand. Literals beside values of unknown
 * type are left alone.
 * @param outermost see `rewriteInScope`
 * @throws TesseraError CAST_ERROR for a text that is no array, with the place of the literal
 */
export function typedTexts(
  statement: Statement,
  catalog: CatalogColumns,
  outermost: FactsOf,
  placeOf: (literal: Expression) => SqlLocation | undefined,
): Statement {
  if (!someExpression(statement, (node) => typedTogether(node).some(isTextLiteral))) return statement;
  return rewriteInScope(statement, catalog, outermost, (node, factsOf) => {
    const operands = typedTogether(node);
    if (!operands.some(isTextLiteral)) return node;
    if (!isOfArrays(node) && operands.some((operand) => isPadded(operand, factsOf)))
      return withOperands(node, withoutPadding);
    const isNumber = (operand: Expression) => valueKind(operand, kindsFrom(factsOf)) === 'number';
    const type =
      operands.map((operand) => typeOf(operand, factsOf)).find((known) => known !== undefined) ??
      (operands.some(isInfinity) && operands.some(isNumber) ? decimalNode(38, 9) : undefined);
    if (type === undefined || (isOfArrays(node) && !isList(type))) return node;
    const typed = (operand: Expression) => {
      if (!isTextLiteral(operand)) return operand;
      try {
        return typedText(operand, type);
      } catch (error) {
        throw error instanceof TesseraError ? error.with({ location: placeOf(operand) }) : error;
      }
    };
    return isOfArrays(node) ? withChildren(node, typed) : withOperands(node, typed);
  });
}

/** Whether the blanks at the end of a value have no meaning, and tables do not store them. */
const isPadded = (node: Expression, factsOf: FactsOf): boolean =>
  node.class === 'COLUMN_REF' && factsOf(node)?.declared?.startsWith('character(') === true;

const withoutPadding = (node: Expression): Expression => {
  const text = isTextLiteral(node) ? stringLiteral(node) : undefined;
  return text?.endsWith(' ') ? { ...constant(text.replace(/ +$/, '')), alias: node.alias } : node;
};

type CallOfArrays = Extract<Expression, { class: 'FUNCTION' }>;

export const isOfArrays = (node: Expression): node is CallOfArrays =>
  node.class === 'FUNCTION' && OF_ARRAYS.has(node.function_name) && node.children.length === 2;

/** The operands of an expression that have one type. */
export const typedTogether = (node: Expression): readonly Expression[] =>
  isOfArrays(node) ? node.children : operandsOf(node);

const isTextLiteral = (node: Expression): boolean =>
  node.class === 'CONSTANT' && stringLiteral(node) !== undefined;

/** Whether a text literal is read in another way than PostgreSQL does if the kernel gives it a type: an array, a bytea or a numeric. */
export function isReadDifferently(node: Expression): boolean {
  const text = node.class === 'CONSTANT' ? stringLiteral(node) : undefined;
  return (
    text !== undefined && (/^\s*\{|\\/.test(text) || decimalOf(text) !== undefined || NOT_FINITE.test(text))
  );
}

/** A text literal as a value of a type. Literals that the kernel reads in the same way are returned as they are. */
export function typedText(literal: Expression, type: TypeNode | undefined): Expression {
  if (type === undefined) return literal;
  const text = stringLiteral(literal)!;
  const plain = { ...literal, alias: '' };
  const typed = (node: Expression) => ({ ...node, alias: literal.alias });
  if (isList(type)) {
    // The kernel itself reads texts in square brackets.
    if (text.startsWith('[')) return literal;
    if (!/^\s*\{/.test(text)) return malformedArray(text);
    return typed(arrayLiteral(cast(plain, type)));
  }
  switch (kindOfType(type.id)) {
    case 'bytea':
      return typed(byteaLiteral(cast(plain, type)));
    case 'boolean':
      return typed(booleanLiteral(plain, text));
    case 'interval':
      return typed(intervalLiteral(cast(plain, type)));
    case 'number': {
      // NUMERIC has neither infinity nor NaN, but its values can be compared with them.
      if (type.id === 'DECIMAL' && NOT_FINITE.test(text)) return typed(cast(plain, 'DOUBLE'));
      const decimal = type.id === 'DECIMAL' ? decimalOf(text) : undefined;
      return decimal === undefined ? literal : typed(cast(constant(decimal.text), decimal.type));
    }
    default:
      return literal;
  }
}

const TRUE = /^\s*(?:on|tru?|ye?|yes|1)\s*$/i;
const FALSE = /^\s*(?:off?|fal?|fals|no?|0)\s*$/i;

const isInfinity = (node: Expression): boolean =>
  node.class === 'CONSTANT' && NOT_FINITE.test(stringLiteral(node) ?? '');

const NOT_FINITE = /^\s*(?:[-+]?inf(?:inity)?|nan)\s*$/i;

function booleanLiteral(literal: Expression, text: string): Expression {
  if (!TRUE.test(text) && !FALSE.test(text)) return literal;
  return cast(constant(TRUE.test(text) ? 't' : 'f'), 'BOOLEAN');
}

/**
 * The text of a number without an exponent, and the type with its decimals; undefined for integers, other texts, and numbers with
 * more than 38 digits.
 */
function decimalOf(text: string): { readonly text: string; readonly type: TypeNode } | undefined {
  if (textShape(text) !== 'number') return undefined;
  const [, sign = '', whole = '', part = '', exponent = '0'] =
    /^\s*([-+]?)0*(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?\s*$/i.exec(text) ?? [];
  const point = whole.length + Number(exponent);
  const scale = Math.max(0, part.length - Number(exponent));
  const width = scale + Math.max(1, point);
  if (scale === 0 || width > 38) return undefined;
  const digits = `${whole}${part}`.padStart(scale + 1, '0');
  return {
    text: `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`,
    type: decimalNode(width, scale),
  };
}

/** The type of an operand; undefined if it is unknown. */
function typeOf(node: Expression, factsOf: FactsOf): TypeNode | undefined {
  const array = arrayType(node, factsOf);
  if (array !== undefined || isTextLiteral(node)) return array;
  if (node.class === 'CAST') return node.cast_type;
  if (node.class === 'CONSTANT') return node.value.is_null ? undefined : node.value.type;
  const type = node.class === 'COLUMN_REF' ? factsOf(node)?.type : undefined;
  if (type !== undefined) return kernelTypeNode(type);
  const kind = valueKind(node, kindsFrom(factsOf));
  if (kind === 'bytea') return { id: 'BLOB', type_info: null };
  if (kind === 'interval') return { id: 'INTERVAL', type_info: null };
  return kind === 'boolean' ? { id: 'BOOLEAN', type_info: null } : undefined;
}

/** The type of an array; undefined for other values, and if it is unknown. */
function arrayType(node: Expression, factsOf: FactsOf): TypeNode | undefined {
  if (node.class === 'CAST') return isList(node.cast_type) ? node.cast_type : undefined;
  const kindOf = kindsFrom(factsOf);
  if (valueKind(node, kindOf) !== 'array') return undefined;
  if (node.class === 'COLUMN_REF') {
    const type = factsOf(node)?.type;
    return type === undefined ? undefined : kernelTypeNode(type);
  }
  const elements = elementsOf(node);
  const types = elements?.map((element) => (isTextLiteral(element) ? undefined : typeOf(element, factsOf)));
  const element = types?.find((type) => type !== undefined);
  if (element !== undefined) return listOf(element);
  if (elementKind(node, kindOf) === 'text') return listOf({ id: 'VARCHAR', type_info: null });
  if (elements !== undefined || node.class !== 'FUNCTION') return undefined;
  return node.children.map((child) => arrayType(child, factsOf)).find((type) => type !== undefined);
}

const isList = ({ type_info }: TypeNode): boolean => type_info?.type === 'LIST_TYPE_INFO';
