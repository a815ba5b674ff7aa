import { fail } from '@tessera/common';
import { isExpression, isQueryNode, isTableRef } from '../tree-transform.ts';

/** The time to plan an expression grows with the cube of its levels, and nothing interrupts it: 300 take half a second. */
export const EXPRESSION_LIMITS = {
  levels: 300,
  /** So many expressions of a statement may have more than `deepLevels`. */
  deepExpressions: 8,
  deepLevels: 100,
} as const;

/**
 * Refuses a parsed statement whose expressions nest too deep: `a + b + c` has two levels, as `f(g(x))`.
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
  /** The levels under `node` that belong to the expression around it; expressions of a query are counted by themselves. */
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
