import {
  and,
  caseOf,
  cast,
  column,
  constant,
  type Expression,
  operator,
  type Statement,
  someExpression,
  walkTree,
} from '../tree.ts';
import type { CatalogColumns, FactsOf, WholeRow } from './column-scope.ts';
import { rewriteInScope } from './scoped-expressions.ts';

/**
 * Rows that are named as values by the alias of their relation. The kernel's structs are never NULL, so without this rule, the
 * rows that an outer join adds would be counted, and `d IS NULL` would not find them:
 *     t LEFT JOIN d ON … WHERE d IS NULL   →   … WHERE d.a IS NULL AND d.b IS NULL
 *     count(d)                             →   count(CASE WHEN d.a IS NULL AND d.b IS NULL THEN NULL ELSE d END)
 */
export function wholeRows(statement: Statement, catalog: CatalogColumns, outermost: FactsOf): Statement {
  if (!namesRelation(statement)) return statement;
  return rewriteInScope(statement, catalog, outermost, (node, factsOf) => {
    if (node.class === 'OPERATOR' && /^OPERATOR_IS_(?:NOT_)?NULL$/.test(node.type)) {
      const [value] = node.children;
      const ref = value?.class === 'CASE' ? value.else_expr : value;
      const row = ref?.class === 'COLUMN_REF' ? factsOf(ref)?.row : undefined;
      return row === undefined ? node : everyField(row, node.type);
    }
    const row = node.class === 'COLUMN_REF' ? factsOf(node)?.row : undefined;
    return row?.isOptional
      ? caseOf([[everyField(row, 'OPERATOR_IS_NULL'), cast(constant(null), 'NULL')]], { ...node, alias: '' })
      : node;
  });
}

const everyField = ({ alias, columns }: WholeRow, type: string): Expression =>
  and(...columns.map(({ name }) => operator(type, column(alias, name))));

/** Whether an expression may be the name of a relation. */
function namesRelation(statement: Statement): boolean {
  const aliases = new Set<string>();
  walkTree(statement, (node) => {
    if (!('class' in node) && 'alias' in node && node.alias !== '') aliases.add(node.alias.toLowerCase());
  });
  return someExpression(
    statement,
    (node) =>
      node.class === 'COLUMN_REF' &&
      node.column_names.length === 1 &&
      aliases.has(node.column_names[0]!.toLowerCase()),
  );
}
