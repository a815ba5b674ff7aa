import {
  type ComparisonNode,
  caseOf,
  constant,
  type Expression,
  type Statement,
  someExpression,
  walkTree,
} from '../tree.ts';
import { kindsFrom } from './column-facts.ts';
import type { CatalogColumns, FactsOf } from './column-scope.ts';
import { rewriteInScope } from './scoped-expressions.ts';
import { type KindOfColumn, valueKind } from './value-kind.ts';

/**
 * `a IS DISTINCT FROM ARRAY[1]` → `CASE WHEN a IS DISTINCT FROM ARRAY[1] THEN true ELSE false END`, which has the same value.
 * The kernel gives such a comparison of arrays or structs to the scan of a Parquet file, as a filter that leaves the rows in
 * another order than the file has. The scan then reads texts of other columns at wrong places and fails with "Out of buffer".
 * Conditions between relations are left alone, because a join can be hashed by them and no scan can test them.
 * @param outermost see `rewriteInScope`
 */
export function distinctArrays(statement: Statement, catalog: CatalogColumns, outermost: FactsOf): Statement {
  if (!someExpression(statement, isDistinct)) return statement;
  return rewriteInScope(statement, catalog, outermost, (node, factsOf) => {
    if (!isDistinct(node) || comparesRelations(node)) return node;
    const isNested = (side: Expression) => isNestedValue(side, kindsFrom(factsOf));
    if (!isNested(node.left) && !isNested(node.right)) return node;
    return caseOf([[{ ...node, alias: '' }, constant(true)]], constant(false));
  });
}

const isDistinct = (node: Expression): node is ComparisonNode =>
  node.class === 'COMPARISON' &&
  (node.type === 'COMPARE_DISTINCT_FROM' || node.type === 'COMPARE_NOT_DISTINCT_FROM');

const isNestedValue = (node: Expression, ofColumn: KindOfColumn): boolean =>
  valueKind(node, ofColumn) === 'array' ||
  (node.class === 'FUNCTION' && /^(?:row|struct_pack)$/.test(node.function_name));

/** Whether the sides name columns of different relations. */
function comparesRelations({ left, right }: ComparisonNode): boolean {
  const [first, second] = [relationsOf(left), relationsOf(right)];
  return [...first].some((one) => [...second].some((other) => one !== other));
}

/** The relations before the names of columns; an empty name for columns without one. */
function relationsOf(side: Expression): ReadonlySet<string> {
  const relations = new Set<string>();
  walkTree(side, (node) => {
    if ('class' in node && node.class === 'COLUMN_REF')
      relations.add(node.column_names.length > 1 ? node.column_names[0]!.toLowerCase() : '');
  });
  return relations;
}
