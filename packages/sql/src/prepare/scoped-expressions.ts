import { isLambda, lambdaParameters } from '../functions/expressions.ts';
import { type Expression, isExpression, isQueryNode, mapChildren, type QueryNode } from '../tree.ts';
import { factsWithin, knownFrom, knownIn } from './column-facts.ts';
import {
  type CatalogColumns,
  type ColumnScope,
  type FactsOf,
  fromScope,
  type KnownRelations,
  NOTHING_KNOWN,
} from './column-scope.ts';

/**
 * Rewrites the expressions of a statement from the inside out. Columns of an inner query hide those of the queries around it,
 * and so do the parameters of a lambda. Unchanged nodes are shared with the input.
 * @param outermost the columns that the statement may name without a FROM clause
 * @param form returns the node itself, or another one, which gets its name and its place
 * @param queryForm returns a query, whose expressions are rewritten, or another one. It also receives the relations that the query
 * can name, and the facts about the columns around it.
 */
export function rewriteInScope<T>(
  statement: T,
  catalog: CatalogColumns,
  outermost: FactsOf,
  form: (node: Expression, factsOf: FactsOf) => Expression,
  queryForm: (node: QueryNode, known: KnownRelations, around: FactsOf) => QueryNode = (node) => node,
): T {
  const rewritten = (value: unknown, around: FactsOf, outside: KnownRelations): unknown => {
    if (value === null || typeof value !== 'object') return value;
    if (isExpression(value) && value.class === 'CONSTANT') return value;
    if (Array.isArray(value)) return mapChildren(value, (item) => rewritten(item, around, outside));
    const known = isQueryNode(value) ? knownIn(value, outside) : outside;
    const inside = isQueryNode(value)
      ? insideQuery(value, known, around)
      : isLambda(value)
        ? insideLambda(lambdaParameters(value), around)
        : around;
    const node = mapChildren(value, (child) => rewritten(child, inside, known));
    if (isQueryNode(node)) return queryForm(node, known, around);
    if (!isExpression(node)) return node;
    const found = form(node, around);
    return found === node ? node : { ...found, alias: node.alias, query_location: node.query_location };
  };
  return rewritten(statement, outermost, knownFrom(catalog)) as T;
}

function insideQuery(node: QueryNode, known: KnownRelations, around: FactsOf): FactsOf {
  if (node.type !== 'SELECT_NODE') return around;
  let scope: ColumnScope | undefined;
  return factsWithin(() => (scope ??= fromScope(node.from_table, known, around)), known, around);
}

function insideLambda(parameters: readonly string[], around: FactsOf): FactsOf {
  const hidden = new Set(parameters.map((name) => name.toLowerCase()));
  return (of) =>
    !isQueryNode(of) && hidden.has(of.column_names[0]?.toLowerCase() ?? '') ? NOTHING_KNOWN : around(of);
}
