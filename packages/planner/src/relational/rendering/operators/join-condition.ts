import type { JoinCondition } from '../../relation.ts';
import { over } from '../render-scope.ts';

/** Renders the condition over the columns of both sides. */
export const conditionSql = (
  { comparison, left, right }: JoinCondition,
  lefts: readonly string[],
  rights: readonly string[],
): string => `(${over(left, lefts)} ${comparison} ${over(right, rights)})`;
