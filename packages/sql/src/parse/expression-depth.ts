import { fail } from '@tessera/common';
import { isExpression, isQueryNode, isTableRef } from '../tree-transform.ts';

/**
 * Planning time grows with the cube of the depth of an expression and cannot be interrupted: 300 levels take
 * half a second.
 */
export const EXPRESSION_LIMITS = {
  levels: 300,
  /** The number of expressions per statement that may have more than `deepLevels` levels. */
  deepExpressions: 8,
  deepLevels: 100,
} as const;

/**
 * Refuses a parsed statement whose expressions are nested too deeply: `a + b + c` has two levels, like
 * `f(g(x))`.
 * @throws TesseraError STATEMENT_TOO_COMPLEX
 */
export function checkExpressionDepth(statement: unknown): void {
  const { levels, deepExpressions, deepLevels } = EXPRESSION_LIMITS;
  let deep = 0;
  const count = (depth: number) => {
    if (depth > levels) refuse('levels of expressions', levels);
    if (depth > deepLevels) deep += 1;
    if (deep > deepExpressions) refuse(`expressions of more than ${deepLevels} levels`, deepExpressions);
  };
  /**
   * The levels under `node` that belong to the surrounding expression. Expressions of subqueries are counted
   * separately.
   */
  const levelsOf = (node: unknown, isInExpression: boolean): number => {
    if (node === null || typeof node !== 'object') return 0;
    const isOne = isExpression(node);
    const isInside = isOne || (isInExpression && !isQueryNode(node) && !isTableRef(node));
    let most = 0;
    for (const child of Object.values(node)) most = Math.max(most, levelsOf(child, isInside));
    if (isOne) most += 1;
    if (isInExpression) return isInside ? most : 0;
    if (isOne) count(most);
    return 0;
  };
  levelsOf(statement, false);
}

function refuse(what: string, limit: number): never {
  const hint = 'Use functions that take many arguments, such as concat(a, b, c), or subqueries';
  fail('STATEMENT_TOO_COMPLEX', { what, limit, hint });
}
