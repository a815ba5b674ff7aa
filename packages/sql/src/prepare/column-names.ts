import { type QueryNode, type Statement, type TableRef, walkTree } from '../tree.ts';

/**
 * Names in lower case that may be those of columns of what a query reads; undefined where a star stands for all columns. The
 * star of `EXISTS (SELECT * …)` stands for none, and one over subqueries for what these name.
 */
export function columnNames(statement: Statement): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  const withoutRows = new Set<QueryNode>();
  let readsAll = false;
  walkTree(statement, (node) => {
    if ('class' in node) {
      if (node.class === 'SUBQUERY' && /EXISTS/.test(node.subquery_type)) withoutRows.add(node.subquery.node);
      if (node.class === 'COLUMN_REF') for (const name of node.column_names) names.add(name.toLowerCase());
    } else if (node.type === 'JOIN') {
      readsAll ||= node.ref_type === 'NATURAL';
      for (const name of node.using_columns) names.add(name.toLowerCase());
    } else if (node.type === 'SELECT_NODE' && !withoutRows.has(node)) {
      readsAll ||= hasStar(node.select_list) && namesRelation(node.from_table);
    }
  });
  return readsAll ? undefined : names;
}

function hasStar(selectList: unknown): boolean {
  let found = false;
  walkTree(selectList, (node) => {
    found ||= 'class' in node && node.class === 'STAR';
  });
  return found;
}

/** Whether FROM has a relation that is not a subquery. */
function namesRelation(from: TableRef): boolean {
  if (from.type === 'JOIN') return namesRelation(from.left) || namesRelation(from.right);
  return from.type !== 'SUBQUERY';
}
