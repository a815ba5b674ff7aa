import type { Expression, QueryNode, SelectNode, TableRef } from '../tree.ts';
import { branchesOf, isSetOperation, withBranches } from './branches.ts';
import type { FactsOf, KnownRelations } from './column-scope.ts';
import { asJsonb } from './jsonb-functions.ts';
import { isJsonb } from './jsonb-type.ts';

/** Text literals in a column of VALUES or of a set operation that is `jsonb` elsewhere are documents. */
export function withDocumentRows(node: QueryNode, known: KnownRelations, around: FactsOf): QueryNode {
  if (node.type === 'SELECT_NODE') return withTypedValues(node);
  if (!isSetOperation(node) || node.setop_type === 'UNION_BY_NAME') return node;
  const types = branchesOf(node).map((branch) => known.subquery(branch, around) ?? []);
  const isDocuments = (i: number) => types.some((columns) => columns[i]?.declared === 'jsonb');
  if (!types.some((columns) => columns.some(({ isTextLiteral }, i) => isTextLiteral && isDocuments(i))))
    return node;
  return withBranches(node, (branch) =>
    branch.type !== 'SELECT_NODE' || branch.select_list.some(({ class: kind }) => kind === 'STAR')
      ? branch
      : {
          ...branch,
          select_list: branch.select_list.map((item, i) => (isDocuments(i) ? asJsonb(item) : item)),
        },
  );
}

function withTypedValues(node: SelectNode): SelectNode {
  const from = typedValues(node.from_table);
  return from === node.from_table ? node : { ...node, from_table: from };
}

function typedValues(ref: TableRef): TableRef {
  if (ref.type === 'JOIN') {
    const left = typedValues(ref.left);
    const right = typedValues(ref.right);
    return left === ref.left && right === ref.right ? ref : { ...ref, left, right };
  }
  if (ref.type !== 'EXPRESSION_LIST') return ref;
  const documents = new Set<number>();
  for (const row of ref.values)
    for (const [i, value] of row.entries()) if (isJsonb(value, () => undefined)) documents.add(i);
  if (documents.size === 0) return ref;
  const typed = (value: Expression, i: number) => (documents.has(i) ? asJsonb(value) : value);
  return { ...ref, values: ref.values.map((row) => row.map(typed)) };
}
