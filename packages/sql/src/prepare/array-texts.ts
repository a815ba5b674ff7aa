import { type SqlLocation, TesseraError } from '@tessera/common';
import { internalName } from '../functions/internal-macros.ts';
import { arrayLiteral, malformedArray } from '../postgres/array-literals.ts';
import {
  cast,
  type Expression,
  type Statement,
  someExpression,
  stringLiteral,
  type TypeNode,
} from '../tree.ts';
import { kernelTypeNode, listOf } from '../types/type-node.ts';
import { kindsFrom } from './column-facts.ts';
import type { CatalogColumns, FactsOf } from './column-scope.ts';
import { operandsOf, withChildren, withOperands } from './operands.ts';
import { rewriteInScope } from './scoped-expressions.ts';
import { elementKind, elementsOf, valueKind } from './value-kind.ts';

/** Operators and functions of two arrays. An array may also be concatenated with an element, but not with a text literal. */
const OF_ARRAYS: ReadonlySet<string> = new Set([
  ...['||', '&&', '@>', '<@'],
  ...['pg_array_contains', 'joined_arrays'].map(internalName),
]);

/**
 * A text literal that meets an array has its type, as in PostgreSQL:
 *     tags @> '{a,b}'        →   tags @> ['a', 'b']
 *     coalesce(tags, '{}')   →   coalesce(tags, [])
 * Arrays of unknown type are left alone. The kernel itself reads texts in square brackets.
 * @param outermost see `rewriteInScope`
 * @throws TesseraError CAST_ERROR for a text that is no array, with the place of the literal
 */
export function arrayTexts(
  statement: Statement,
  catalog: CatalogColumns,
  outermost: FactsOf,
  placeOf: (literal: Expression) => SqlLocation | undefined,
): Statement {
  if (!someExpression(statement, (node) => typedTogether(node).some(isText))) return statement;
  return rewriteInScope(statement, catalog, outermost, (node, factsOf) => {
    const operands = typedTogether(node);
    if (!operands.some(isText)) return node;
    const type = operands.map((operand) => arrayType(operand, factsOf)).find((known) => known !== undefined);
    if (type === undefined) return node;
    const typed = (operand: Expression) => (isText(operand) ? arrayOf(operand, type, placeOf) : operand);
    return isOfArrays(node) ? withChildren(node, typed) : withOperands(node, typed);
  });
}

type CallOfArrays = Extract<Expression, { class: 'FUNCTION' }>;

const isOfArrays = (node: Expression): node is CallOfArrays =>
  node.class === 'FUNCTION' && OF_ARRAYS.has(node.function_name) && node.children.length === 2;

const typedTogether = (node: Expression): readonly Expression[] =>
  isOfArrays(node) ? node.children : operandsOf(node);

const isText = (node: Expression): boolean =>
  node.class === 'CONSTANT' && stringLiteral(node)?.startsWith('[') === false;

function arrayOf(
  literal: Expression,
  type: TypeNode,
  placeOf: (literal: Expression) => SqlLocation | undefined,
): Expression {
  try {
    const array = arrayLiteral({ ...cast({ ...literal, alias: '' }, type), alias: literal.alias });
    return array.class === 'CAST' && array.child.class === 'CONSTANT'
      ? malformedArray(stringLiteral(literal)!)
      : array;
  } catch (error) {
    throw error instanceof TesseraError ? error.with({ location: placeOf(literal) }) : error;
  }
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
  const types = elements?.map((element) => elementType(element, factsOf));
  const element = types?.find((type) => type !== undefined);
  if (element !== undefined) return listOf(element);
  if (elementKind(node, kindOf) === 'text') return listOf({ id: 'VARCHAR', type_info: null });
  if (elements !== undefined || node.class !== 'FUNCTION') return undefined;
  return node.children.map((child) => arrayType(child, factsOf)).find((type) => type !== undefined);
}

function elementType(node: Expression, factsOf: FactsOf): TypeNode | undefined {
  if (node.class === 'CAST') return node.cast_type;
  if (node.class === 'CONSTANT') return node.value.is_null || isText(node) ? undefined : node.value.type;
  if (node.class !== 'COLUMN_REF') return arrayType(node, factsOf);
  const type = factsOf(node)?.type;
  return type === undefined ? undefined : kernelTypeNode(type);
}

const isList = ({ type_info }: TypeNode): boolean => type_info?.type === 'LIST_TYPE_INFO';
