/**
 * The kernel's parse tree (`json_serialize_sql`) as typed data, and the constructors rewrites build with.
 * Trees are never changed in place: a rewrite returns new nodes (`transformTree`).
 */
export {
  call,
  cast,
  column,
  constant,
  lambda,
  NO_LOCATION,
  operator,
  selectAll,
  stringLiteral,
  unionAll,
} from './tree-build.ts';
export { parseTree, printTree } from './tree-json.ts';
export type * from './tree-nodes.ts';
export { isExpression, isQueryNode, isTableRef, transformTree, walkTree } from './tree-transform.ts';
