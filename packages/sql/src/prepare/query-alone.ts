import { TesseraError } from '@tessera/common';
import type { BindingSession, KernelColumn } from '@tessera/kernel';
import { deparse } from '../parse/parse.ts';
import {
  type CteMap,
  constant,
  isExpression,
  isQueryNode,
  type QueryNode,
  type Statement,
  transformTree,
  visitChildren,
} from '../tree.ts';

type Ctes = CteMap['map'];

/** A query of a statement, and the common table expressions that it can name. */
export interface QueryAlone<T extends QueryNode> {
  readonly node: T;
  readonly ctes: Ctes;
}

/** The queries of a statement that `isWanted` accepts. Inner queries come first, because the columns of the outer ones follow from theirs. */
export function queriesIn<T extends QueryNode>(
  statement: Statement,
  isWanted: (node: QueryNode) => node is T,
): readonly QueryAlone<T>[] {
  const found: QueryAlone<T>[] = [];
  const visit = (value: unknown, ctes: Ctes): void => {
    if (value === null || typeof value !== 'object') return;
    if (!isQueryNode(value)) {
      if (isExpression(value) && value.class === 'CONSTANT') return;
      visitChildren(value, (child) => visit(child, ctes));
      return;
    }
    let inner = ctes;
    for (const cte of value.cte_map.map) {
      visit(cte.value, inner);
      inner = [...inner.filter(({ key }) => key.toLowerCase() !== cte.key.toLowerCase()), cte];
    }
    visitChildren(value, (child, name) => {
      if (name !== 'cte_map') visit(child, inner);
    });
    if (isWanted(value)) found.push({ node: value, ctes: inner });
  };
  visit(statement, []);
  return found;
}

/**
 * The columns of a query of a statement; undefined if it cannot be bound alone, for example because it uses columns of an outer
 * query. Parameters are NULL, so the types of columns that consist of one say nothing.
 */
export async function describedAlone(
  node: QueryNode,
  ctes: Ctes,
  binder: BindingSession,
): Promise<readonly KernelColumn[] | undefined> {
  const withoutParameters = transformTree(node, {
    expression: (each) => (each.class === 'PARAMETER' ? { ...constant(null), alias: each.alias } : each),
  });
  const alone = { ...withoutParameters, cte_map: { map: ctes } };
  const sql = await deparse(binder, { node: alone, named_param_map: [] });
  try {
    return (await binder.describe(sql)).columns;
  } catch (error) {
    if (!(error instanceof TesseraError) || error.retry !== 'never') throw error;
    return undefined;
  }
}
