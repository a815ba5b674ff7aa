import { TesseraError } from '@tessera/common';
import type { KernelSession, KernelType } from '@tessera/kernel';
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
import { deparse } from './parse.ts';

/** By identifier; what no place asks for is not in it. */
export type InferredTypes = ReadonlyMap<string, KernelType>;

/** More parameters without a type than these are not looked at one by one. */
const MAX_SINGLE = 16;

/**
 * The types that the places of parameters in a bound statement ask for. Where the kernel finds none, a parameter beside an
 * operator is like its other side, and one in `x = ANY($1)` an array of what x is, as in PostgreSQL.
 * @throws TesseraError what is wrong with the statement; `sql` is told of the text that the kernel saw
 */
export async function inferParameters(
  binder: KernelSession,
  bound: Statement,
  explain: (error: unknown, sql: string) => unknown,
): Promise<InferredTypes> {
  const types = new Map<string, KernelType>();
  const statement = withoutChecks(bound);
  const describe = async (tried: Statement) => {
    const asked = parametersIn(tried);
    const sql = await deparse(binder, numbered(tried, asked));
    const { parameters } = await binder.describe(sql).catch((error: unknown) => {
      throw explain(error, sql);
    });
    for (const { name: number, type } of parameters) {
      const name = asked[Number(number) - 1];
      if (name !== undefined && type !== null && !types.has(name)) types.set(name, type);
    }
  };
  /** A form that does not bind tells nothing. */
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
  // One that nothing is known of may keep the kernel from telling of the others.
  const left = open();
  if (left.length > 1 && left.length <= MAX_SINGLE) {
    for (const name of left) await probe(withTexts(likeOthers, new Set(left.filter((n) => n !== name))));
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

/** As `$1`, `$2`, … without a gap: the kernel tells of no others. */
function numbered(statement: Statement, names: readonly string[]): Statement {
  const numbers = new Map(names.map((name, index) => [name, String(index + 1)]));
  return transformTree(statement, {
    expression: (node) =>
      node.class === 'PARAMETER' ? { ...node, identifier: numbers.get(node.identifier)! } : node,
  });
}

/** `a + $1` → `a + coalesce($1, a)`, `a = ANY($1)` → `list_contains(coalesce($1, [a]), a)`: of the same types. */
const withOtherSides = (statement: Statement, open: ReadonlySet<string>): Statement =>
  transformTree(statement, {
    expression: (node) => {
      if (node.class === 'SUBQUERY') return ofArray(node, open) ?? node;
      if (node.class !== 'FUNCTION' || node.children.length !== 2) return node;
      if (!node.is_operator && node.function_name !== '//' && node.function_name !== '%') return node;
      const [left, right] = node.children as [Expression, Expression];
      if (isOpen(left, open) === isOpen(right, open)) return node;
      const children = isOpen(left, open) ? [likeOther(left, right), right] : [left, likeOther(right, left)];
      return { ...node, children };
    },
  });

const likeOther = (parameter: Expression, other: Expression): Expression =>
  operator('OPERATOR_COALESCE', parameter, other);

const isOpen = (node: Expression, open: ReadonlySet<string>): boolean =>
  node.class === 'PARAMETER' && open.has(node.identifier);

/** The dialect's divisors are compared with zero, which says nothing of their type. */
const withoutChecks = (statement: Statement): Statement =>
  transformTree(statement, {
    expression: (node) => {
      if (node.class !== 'FUNCTION' || node.function_name !== 'tsr_divisor') return node;
      return node.children[0] ?? node;
    },
  });

function ofArray({ child, subquery }: SubqueryNode, open: ReadonlySet<string>): Expression | undefined {
  const { node } = subquery;
  if (child === null || node.type !== 'SELECT_NODE' || node.from_table.type !== 'EMPTY') return undefined;
  const [item] = node.select_list;
  if (item?.class !== 'FUNCTION' || item.function_name !== 'unnest') return undefined;
  const [array] = item.children;
  if (array === undefined || !isOpen(array, open)) return undefined;
  return call('list_contains', operator('OPERATOR_COALESCE', array, call('list_value', child)), child);
}

/** Parameters as the texts that they will be where nothing else is known of them. */
const withTexts = (statement: Statement, names: ReadonlySet<string>): Statement =>
  transformTree(statement, {
    expression: (node) => (node.class === 'PARAMETER' && names.has(node.identifier) ? textOf(node) : node),
  });

/** A parameter that nothing is known of, as it will be bound. */
export const textOf = ({ alias }: ParameterNode): Expression => ({ ...constant(''), alias });
