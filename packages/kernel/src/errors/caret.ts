import type { TesseraError } from '@tessera/common';

const carets = new WeakMap<Error, number>();

/**
 * The position of the error in the SQL that ran, if the kernel reported one: an offset in UTF-16 units from
 * 0.
 */
export const caretOf = (error: unknown): number | undefined =>
  error instanceof Error ? carets.get(error) : undefined;

export function withCaret(error: TesseraError, caret: number | undefined): TesseraError {
  if (caret !== undefined) carets.set(error, caret);
  return error;
}
