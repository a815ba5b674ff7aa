/**
 * The kernel's parse tree (`json_serialize_sql`) as typed data, and the constructors that rewrites use.
 * Trees are immutable: a rewrite returns new nodes (`transformTree`).
 */
export {
  and,
  call,
  caseOf,
  cast,
  column,
  comparison,
  constant,
  lambda,
  operator,
  or,
  selectAll,
  stringLiteral,
  unionAll,
  withoutArraySizes,
} from './tree-build.ts';
export { NO_LOCATION, parseTree, printTree, treeSteps } from './tree-json.ts';
export type * from './tree-nodes.ts';
export {
  isExpression,
  isQueryNode,
  isTableRef,
  mapChildren,
  someExpression,
  spelling,
  transformTree,
  visitChildren,
  walkTree,
} from './tree-transform.ts';
