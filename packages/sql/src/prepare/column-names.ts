import { type QueryNode, type Statement, type TableRef, walkTree } from '../tree.ts';

/**
 * The names in lower case that may be columns of the relations that a query reads; undefined if a star
 * requests all columns. The star of `EXISTS (SELECT * …)` requests none, and a star over subqueries requests
 * the columns that these name.
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

/** Whether FROM contains a relation other than a subquery. */
function namesRelation(from: TableRef): boolean {
  if (from.type === 'JOIN') return namesRelation(from.left) || namesRelation(from.right);
  return from.type !== 'SUBQUERY';
}
