import {
  type Expression,
  isQueryNode,
  type QueryNode,
  type SetOperationNode,
  type TableRef,
} from '../tree.ts';

export const isSetOperation = (node: Expression | TableRef | QueryNode): node is SetOperationNode =>
  isQueryNode(node) && node.type === 'SET_OPERATION_NODE';

/** Replaces the queries of a set operation and of the set operations among them. */
export function withBranches(
  node: SetOperationNode,
  change: (branch: QueryNode) => QueryNode,
): SetOperationNode {
  const each = (part: QueryNode): QueryNode =>
    isSetOperation(part) && part.setop_type !== 'UNION_BY_NAME' && node.setop_type !== 'UNION_BY_NAME'
      ? withBranches(part, change)
      : change(part);
  if (node.children !== undefined) return { ...node, children: node.children.map(each) };
  const left = each(node.left);
  return { ...node, left, right: each(node.right) };
}

/** The queries of a set operation and of the set operations among them, from left to right. */
export const branchesOf = (node: SetOperationNode): readonly QueryNode[] => {
  const found: QueryNode[] = [];
  withBranches(node, (branch) => {
    found.push(branch);
    return branch;
  });
  return found;
};
