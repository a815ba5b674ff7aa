import { TesseraError } from '@tessera/common';
import type { BindingSession, KernelType } from '@tessera/kernel';
import { deparse } from '../parse/parse.ts';
import {
  call,
  constant,
  type Expression,
  operator,
  type ParameterNode,
  type Statement,
  type SubqueryNode,
  transformTree,
  walkTree,
} from '../tree.ts';

/**
 * The inferred types by parameter identifier. A parameter whose position requires no type is not included.
 */
export type InferredTypes = ReadonlyMap<string, KernelType>;

/** If more parameters than this have no type, they are not examined one by one. */
const MAX_SINGLE = 16;

/**
 * Infers the types of parameters from their positions in a bound statement. Where the kernel finds none, a
 * parameter of an operator takes the type of the other operand, and one in `x = ANY($1)` is an array of the
 * type of x, as in PostgreSQL.
 * @throws TesseraError if the statement does not bind; `sql` receives the text that the kernel saw
 */
export async function inferParameters(
  binder: BindingSession,
  bound: Statement,
  explain: (error: unknown, sql: string) => unknown,
): Promise<InferredTypes> {
  const types = new Map<string, KernelType>();
  const statement = castsApart(withoutChecks(bound));
  const describe = async (tried: Statement) => {
    for (const [name, type] of await kernelParameters(binder, tried, explain))
      if (!types.has(name)) types.set(name, type);
  };
  /** Asks the kernel; a form that does not bind yields nothing. */
  const probe = (tried: Statement) =>
    describe(tried).catch((error: unknown) => {
      if (!(error instanceof TesseraError) || error.retry !== 'never') throw error;
    });
  await describe(statement);
  const names = parametersIn(statement);
  const open = () => names.filter((name) => !types.has(name));
  if (open().length === 0) return types;
  const likeOthers = withOtherSides(statement, new Set(open()));
  await probe(likeOthers);
  // A parameter whose type stays unknown may keep the kernel from inferring the others.
  const typed = castParameters(statement);
  if (open().some((name) => typed.has(name)))
    await probe(withTexts(likeOthers, new Set(open().filter((name) => !typed.has(name)))));
  const left = open();
  if (left.length > 1 && left.length <= MAX_SINGLE) {
    for (const name of left) await probe(withTexts(likeOthers, new Set(left.filter((n) => n !== name))));
  }
  return types;
}

/** The types of parameters by identifier that the kernel finds. */
export async function kernelParameters(
  binder: BindingSession,
  statement: Statement,
  explain: (error: unknown, sql: string) => unknown = (error) => error,
): Promise<InferredTypes> {
  const asked = parametersIn(statement);
  const sql = await deparse(binder, numbered(statement, asked));
  const { parameters } = await binder.describe(sql).catch((error: unknown) => {
    throw explain(error, sql);
  });
  const types = new Map<string, KernelType>();
  for (const { name: number, type } of parameters) {
    const name = asked[Number(number) - 1];
    if (name !== undefined && type !== null) types.set(name, type);
  }
  return types;
}

function parametersIn(statement: Statement): readonly string[] {
  const names = new Set<string>();
  walkTree(statement, (node) => {
    if ('class' in node && node.class === 'PARAMETER') names.add(node.identifier);
  });
  return [...names];
}

/** Renumbers the parameters as `$1`, `$2`, … without a gap, because the kernel reports no others. */
function numbered(statement: Statement, names: readonly string[]): Statement {
  const numbers = new Map(names.map((name, index) => [name, String(index + 1)]));
  return transformTree(statement, {
    expression: (node) =>
      node.class === 'PARAMETER' ? { ...node, identifier: numbers.get(node.identifier)! } : node,
  });
}

/**
 * Gives parameters the type of their other operand: `a + $1` → `a + coalesce($1, a)`, `a = ANY($1)` →
 * `list_contains(coalesce($1, [a]), a)`, `array_append(x, $1)` → `array_append(x, coalesce($1, x[1]))`.
 */
const withOtherSides = (statement: Statement, open: ReadonlySet<string>): Statement =>
  transformTree(statement, {
    expression: (node) => {
      if (node.class === 'SUBQUERY') return ofArray(node, open) ?? node;
      if (node.class !== 'FUNCTION' || node.children.length !== 2) return node;
      const [left, right] = node.children as [Expression, Expression];
      if (APPENDING.has(node.function_name))
        return isOpen(right, open)
          ? { ...node, children: [left, likeOther(right, call('list_extract', left, constant(1)))] }
          : node;
      if (!node.is_operator && node.function_name !== '//' && node.function_name !== '%') return node;
      if (isOpen(left, open) === isOpen(right, open)) return node;
      const children = isOpen(left, open) ? [likeOther(left, right), right] : [left, likeOther(right, left)];
      return { ...node, children };
    },
  });

/** Functions of an array and a value of the type of its elements. */
const APPENDING: ReadonlySet<string> = new Set(['array_append', 'list_append', 'array_push_back']);

const likeOther = (parameter: Expression, other: Expression): Expression =>
  operator('OPERATOR_COALESCE', parameter, other);

const isOpen = (node: Expression, open: ReadonlySet<string>): boolean =>
  node.class === 'PARAMETER' && open.has(node.identifier);

/**
 * Removes the dialect's checks of divisors: a comparison with zero would say nothing about the type of a
 * divisor.
 */
const withoutChecks = (statement: Statement): Statement =>
  transformTree(statement, {
    expression: (node) => {
      if (node.class !== 'FUNCTION' || node.function_name !== 'tsr_divisor') return node;
      return node.children[0] ?? node;
    },
  });

/**
 * `$1::int::text` → `coalesce($1::int, $1::int)::text`: the kernel finds no type for a parameter that is cast twice, as it
 * also is in `'x' || $1::int`. PostgreSQL gives it the type of the first cast.
 */
const castsApart = (statement: Statement): Statement =>
  transformTree(statement, {
    expression: (node) => {
      if (node.class !== 'CAST' || node.child.class !== 'PARAMETER') return node;
      const unnamed = { ...node, alias: '' };
      return { ...likeOther(unnamed, unnamed), alias: node.alias };
    },
  });

/** The parameters that are cast somewhere. */
function castParameters(statement: Statement): ReadonlySet<string> {
  const names = new Set<string>();
  walkTree(statement, (node) => {
    if ('class' in node && node.class === 'CAST' && node.child.class === 'PARAMETER')
      names.add(node.child.identifier);
  });
  return names;
}

function ofArray({ child, subquery }: SubqueryNode, open: ReadonlySet<string>): Expression | undefined {
  const { node } = subquery;
  if (child === null || node.type !== 'SELECT_NODE' || node.from_table.type !== 'EMPTY') return undefined;
  const [item] = node.select_list;
  if (item?.class !== 'FUNCTION' || item.function_name !== 'unnest') return undefined;
  const [array] = item.children;
  if (array === undefined || !isOpen(array, open)) return undefined;
  return call('list_contains', operator('OPERATOR_COALESCE', array, call('list_value', child)), child);
}

/** Replaces parameters of unknown type by the texts that they will be. */
const withTexts = (statement: Statement, names: ReadonlySet<string>): Statement =>
  withTextsFor(statement, ({ identifier }) => names.has(identifier));

/**
 * Replaces the parameters of unknown type that `isText` accepts by the texts that they will be. One that is cast becomes NULL, because
 * the kernel would read the text: `$1::date` → `NULL::date`
 */
export const withTextsFor = (statement: Statement, isText: (node: ParameterNode) => boolean): Statement =>
  transformTree(statement, {
    expression: (node) => {
      if (node.class === 'CAST' && isEmptyText(node.child)) return { ...node, child: constant(null) };
      return node.class === 'PARAMETER' && isText(node) ? { ...EMPTY_TEXT, alias: node.alias } : node;
    },
  });

const EMPTY_TEXT = constant('');
const isEmptyText = (node: Expression): boolean =>
  node.class === 'CONSTANT' && EMPTY_TEXT.class === 'CONSTANT' && node.value === EMPTY_TEXT.value;
