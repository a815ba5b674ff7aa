import type { Expression, QueryNode, TableRef } from './tree-nodes.ts';

/**
 * Functions of a visitor. Each receives a node whose children are already transformed and returns its
 * replacement.
 */
export interface TreeVisitor {
  readonly expression?: (node: Expression) => Expression;
  readonly tableRef?: (node: TableRef) => TableRef;
  readonly queryNode?: (node: QueryNode) => QueryNode;
  /** If true, query nodes and what they contain stay as they are: the visitor sees the expressions of one query. */
  readonly skipsQueries?: boolean;
}

/** Rewrites a tree bottom-up, including subqueries and CTEs. Unchanged nodes are shared with the input. */
export function transformTree<T>(node: T, visitor: TreeVisitor): T {
  return transform(node, visitor) as T;
}

function transform(value: unknown, visitor: TreeVisitor): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined;
    for (const [index, item] of value.entries()) {
      const next = transform(item, visitor);
      if (next !== item) {
        copy ??= value.slice();
        copy[index] = next;
      }
    }
    return copy ?? value;
  }
  if (isConstant(value)) return visitor.expression?.(value) ?? value;
  if (visitor.skipsQueries === true && isQueryNode(value)) return value;
  let node = value as Record<string, unknown>;
  for (const [key, field] of Object.entries(value)) {
    const next = transform(field, visitor);
    if (next !== field) {
      if (node === value) node = { ...node };
      node[key] = next;
    }
  }
  if (isExpression(node)) return visitor.expression?.(node) ?? node;
  if (isTableRef(node)) return visitor.tableRef?.(node) ?? node;
  if (isQueryNode(node)) return visitor.queryNode?.(node) ?? node;
  return node;
}

/** Calls `visit` for every expression, table reference and query node under `node`, parents before children. */
export function walkTree(node: unknown, visit: (node: Expression | TableRef | QueryNode) => void): void {
  if (isExpression(node) || isTableRef(node) || isQueryNode(node)) visit(node);
  if (isConstant(node)) return;
  if (node !== null && typeof node === 'object')
    for (const child of Object.values(node)) walkTree(child, visit);
}

/** Whether a test is true for some expression under `node`. */
export function someExpression(node: unknown, test: (node: Expression) => boolean): boolean {
  let found = false;
  walkTree(node, (each) => {
    found ||= 'class' in each && test(each);
  });
  return found;
}

/** A text that is equal for expressions that differ only in their place and alias. */
export const spelling = (expression: Expression): string =>
  JSON.stringify(expression, (key, value: unknown) =>
    key === 'query_location' || key === 'alias' ? undefined : typeof value === 'bigint' ? `${value}n` : value,
  );

export function isExpression(value: unknown): value is Expression {
  return isObject(value) && typeof value.class === 'string' && typeof value.type === 'string';
}

/** Literals are skipped: no visitor needs their contents, and long lists consist of them. */
const isConstant = (value: unknown): value is Extract<Expression, { class: 'CONSTANT' }> =>
  isObject(value) && value.class === 'CONSTANT';

export function isTableRef(value: unknown): value is TableRef {
  return isObject(value) && typeof value.type === 'string' && 'sample' in value && 'query_location' in value;
}

export function isQueryNode(value: unknown): value is QueryNode {
  return isObject(value) && typeof value.type === 'string' && 'cte_map' in value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object';
}
