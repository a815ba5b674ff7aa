import { expect, test } from 'vitest';
import { checkExpressionDepth, EXPRESSION_LIMITS } from './parse.ts';

const { levels, deepExpressions, deepLevels, groupingSets } = EXPRESSION_LIMITS;
const expression = (children: unknown[]) => ({ class: 'FUNCTION', type: 'FUNCTION', children });
/** An expression with the given number of levels. */
const nested = (depth: number, innermost: unknown[] = []): unknown =>
  depth === 0 ? innermost[0] : expression(depth === 1 ? innermost : [nested(depth - 1, innermost)]);
const select = (list: unknown[], sets = 0) => ({
  type: 'SELECT_NODE',
  cte_map: { map: [] },
  select_list: list,
  group_sets: Array.from({ length: sets }, () => [0]),
});

test('an expression may have the maximum number of levels and no more', () => {
  expect(() => checkExpressionDepth(select([nested(levels)]))).not.toThrow();
  expect(() => checkExpressionDepth(select([nested(levels + 1)]))).toThrow(`more than ${levels} levels`);
});

test('a statement may have the maximum number of deep expressions and no more', () => {
  const deep = (count: number) =>
    select([nested(deepLevels), ...Array.from({ length: count }, () => nested(deepLevels + 1))]);
  expect(() => checkExpressionDepth(deep(deepExpressions))).not.toThrow();
  expect(() => checkExpressionDepth(deep(deepExpressions + 1))).toThrow(
    `more than ${deepExpressions} expressions of more than ${deepLevels} levels`,
  );
});

test('the levels of a subquery are its own', () => {
  const subquery = nested(levels, [select([nested(levels)])]);
  expect(() => checkExpressionDepth(select([subquery]))).not.toThrow();
  expect(() => checkExpressionDepth(select([nested(1, [select([nested(levels + 1)])])]))).toThrow('levels');
});

test('a query may have the maximum number of grouping sets and no more', () => {
  expect(() => checkExpressionDepth(select([], groupingSets))).not.toThrow();
  expect(() => checkExpressionDepth(select([nested(1, [select([], groupingSets + 1)])]))).toThrow(
    `more than ${groupingSets} grouping sets`,
  );
});
