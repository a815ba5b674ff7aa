import { TesseraError } from '@tessera/common';
import type { ExecutionOptions } from '../read/executable-query.ts';

/**
 * Lets work use a query that earlier ones have been bound for and that differs from them in literals only. If its literals
 * cannot be bound, or it fails because of them, the work is repeated without, so that the error has a place in the text.
 */
export async function withLiteralPlan<T>(
  work: (options: Pick<ExecutionOptions, 'onLiteralPlan'>) => Promise<T>,
): Promise<T> {
  let hasLiteralPlan = false;
  const onLiteralPlan = () => {
    hasLiteralPlan = true;
  };
  try {
    return await work({ onLiteralPlan });
  } catch (error) {
    if (!hasLiteralPlan || !isFaultOfStatement(error)) throw error;
    return work({});
  }
}

const isFaultOfStatement = (error: unknown): boolean =>
  error instanceof TesseraError && error.httpStatus === 400;
