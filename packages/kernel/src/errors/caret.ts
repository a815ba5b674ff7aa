import type { TesseraError } from '@tessera/common';

const carets = new WeakMap<Error, number>();

/** Where in the SQL that ran the kernel saw the error: an offset in UTF-16 units from 0, if it gave one. */
export const caretOf = (error: unknown): number | undefined =>
  error instanceof Error ? carets.get(error) : undefined;

export function withCaret(error: TesseraError, caret: number | undefined): TesseraError {
  if (caret !== undefined) carets.set(error, caret);
  return error;
}
