import type { ColumnRefNode, Expression, FunctionNode, LambdaNode } from '../tree.ts';
import * as tree from '../tree.ts';
import { isExpression } from '../tree.ts';
import { internalName } from './internal-macros.ts';

/** An argument. It is undefined if an optional argument was not given; calls leave such arguments out. */
export type Argument = Expression | undefined;

export const isColumnRef = (value: unknown): value is ColumnRefNode =>
  isExpression(value) && value.class === 'COLUMN_REF';
export const isLambda = (value: unknown): value is LambdaNode =>
  isExpression(value) && value.class === 'LAMBDA';

/** Builds a call of a kernel function. */
export const kernelCall = (name: string, ...args: readonly Argument[]): FunctionNode =>
  tree.call(name, ...args.filter((arg) => arg !== undefined));

/** The type of arrays of a type. */
export const listType = (element: string | tree.TypeNode): tree.TypeNode => ({
  id: 'LIST',
  type_info: {
    type: 'LIST_TYPE_INFO',
    alias: '',
    extension_info: null,
    child_type: typeof element === 'string' ? { id: element, type_info: null } : element,
  },
});

/** A list of more elements is written as one text: a node for each takes the parser and the planner half a millisecond. */
const MAX_LISTED = 1_000;

export const isLongList = (items: readonly unknown[]): boolean => items.length > MAX_LISTED;

/** An array of texts in a single literal. */
export const textList = (items: readonly (string | null)[]): FunctionNode =>
  kernelCall('from_json', tree.constant(JSON.stringify(items)), tree.constant('["VARCHAR"]'));

/** Builds a call of an internal macro. */
export const internalCall = (name: string, ...args: readonly Argument[]): FunctionNode =>
  kernelCall(internalName(name), ...args);

export const operatorCall = (symbol: string, ...args: readonly Argument[]): FunctionNode => ({
  ...kernelCall(symbol, ...args),
  is_operator: true,
});

/** `*COLUMNS(*)`: passes all columns of the input as arguments. */
export const allColumns = (): Expression => ({
  class: 'OPERATOR',
  type: 'OPERATOR_UNPACK',
  alias: '',
  query_location: tree.NO_LOCATION,
  children: [
    {
      class: 'STAR',
      type: 'STAR',
      alias: '',
      query_location: tree.NO_LOCATION,
      relation_name: '',
      exclude_list: [],
      replace_list: [],
      columns: true,
      expr: null,
      qualified_exclude_list: [],
      rename_list: [],
    },
  ],
});

export const lambdaParameters = (node: LambdaNode): string[] => {
  const declared = node.lhs.class === 'FUNCTION' ? node.lhs.children : [node.lhs];
  return declared.map((parameter) => columnName(parameter) ?? '');
};

/** The name of an unqualified column reference. */
export const columnName = (node: Expression): string | undefined =>
  isColumnRef(node) && node.column_names.length === 1 ? node.column_names[0] : undefined;

export const literalText = (node: Argument): string | undefined => node && tree.stringLiteral(node);

/** Whether a node is a NULL literal, possibly under casts. */
export const isNullLiteral = (node: Argument): boolean =>
  node?.class === 'CAST' ? isNullLiteral(node.child) : node?.class === 'CONSTANT' && node.value.is_null;

/** Whether the type of a value is open: NULL, a text literal or a parameter. */
export const isUntyped = (node: Expression): boolean =>
  node.class === 'PARAMETER' ||
  (node.class === 'CONSTANT' && (node.value.is_null || node.value.type.id === 'VARCHAR'));

export const literalInteger = (node: Argument): number | undefined =>
  node?.class === 'CONSTANT' &&
  /^(TINY|SMALL|BIG|)INT(EGER)?$/.test(node.value.type.id) &&
  !node.value.is_null
    ? Number(node.value.value)
    : undefined;

/** The value of a negative integer literal, which the parser may write as a call of `-`; undefined for anything else. */
export function negativeInteger(node: Argument): number | undefined {
  const isMinus = node?.class === 'FUNCTION' && node.function_name === '-' && node.children.length === 1;
  const value = isMinus ? -(literalInteger(node.children[0]) ?? 0) : literalInteger(node);
  return value !== undefined && value < 0 ? value : undefined;
}

/**
 * `form` of the values, which are computed once for each row, however often it contains them. They become the parameter of a
 * lambda, so `form` must contain no aggregates and no subqueries of its own.
 * @param name the parameter, which must differ from those of other lambdas in `form`
 */
export function computedOnce(
  values: readonly Expression[],
  form: (operands: readonly Expression[]) => Expression,
  name = 'tsr_values',
): Expression {
  const unnamed = values.map((value) => ({ ...value, alias: '' }));
  const [only, ...others] = unnamed;
  const isOne = only !== undefined && others.length === 0;
  const operands = unnamed.map((_, i) =>
    isOne ? tree.column(name) : tree.call('array_extract', tree.column(name), tree.constant(i + 1)),
  );
  const given = tree.call('list_value', isOne ? only : tree.call('row', ...unnamed));
  const computed = tree.call('list_transform', given, tree.lambda([name], form(operands)));
  return tree.call('list_extract', computed, tree.constant(1));
}

/** The values and the form of an expression that `computedOnce` has built from several values; undefined for any other. */
export function onceParts(
  node: Expression,
): { readonly values: readonly Expression[]; readonly form: Expression } | undefined {
  if (node.class !== 'FUNCTION' || node.function_name !== 'list_extract') return undefined;
  const [computed] = node.children;
  if (computed?.class !== 'FUNCTION' || computed.function_name !== 'list_transform') return undefined;
  const [given, applied] = computed.children;
  const form = applied?.class === 'LAMBDA' ? applied.expr : undefined;
  if (given?.class !== 'FUNCTION' || !form) return undefined;
  const [only] = given.children;
  const isRow = only?.class === 'FUNCTION' && only.function_name === 'row';
  return { values: isRow ? only.children : given.children, form };
}
