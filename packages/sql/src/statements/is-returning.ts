import type { Statement } from './statement.ts';

/** Whether a statement that changes rows returns rows (RETURNING). */
export const isReturning = (statement: Statement): boolean =>
  'returning' in statement && statement.returning !== undefined;
