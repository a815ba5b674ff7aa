import { type SqlLocation, TesseraError } from '@tessera/common';
import type { ComposedText } from './composed-text.ts';

/** A query of the dialect that gives what a statement writes. */
export interface ChangeQuery {
  readonly sql: string;
  /** An error of binding or running `sql`, pointing into the statement instead, and telling what was violated. */
  explain(error: unknown): unknown;
}

export const changeQuery = (text: ComposedText, statement: string): ChangeQuery => ({
  sql: text.sql,
  explain: (error) => {
    if (!(error instanceof TesseraError) || aboutStatement.has(error)) return error;
    const violation = notNullViolation(error);
    if (violation !== undefined) return violation;
    const { location } = error;
    return location === undefined ? error : relocated(error, text.locate(location, statement));
  },
});

/** Errors whose place is in the statement already. */
const aboutStatement = new WeakSet<Error>();

/** Throws an error that points into the statement itself, which `explain` leaves alone. */
export function failInStatement(
  name: 'BINDING_ERROR' | 'CARDINALITY_VIOLATION',
  message: string,
  location: SqlLocation,
): never {
  const error = TesseraError.of(name, { message }, { location });
  aboutStatement.add(error);
  throw error;
}

/** `with` keeps the place where none is given, and a place in the composed text would mislead. */
const relocated = (error: TesseraError, location: SqlLocation | undefined): TesseraError =>
  TesseraError.fromData({ ...error.toData(), location });

const MARK = 'tessera:not_null:';

/** An expression of the kernel and of the dialect that fails with NOT_NULL_VIOLATION, once `notNullViolation` has seen it. */
export const nullRefused = (table: string, column: string): string => {
  const text = MARK + JSON.stringify([table, column]);
  return `error('${text.replaceAll("'", "''")}')`;
};

/** The error that `nullRefused` stands for; undefined for every other error. */
export function notNullViolation(error: unknown): TesseraError | undefined {
  if (!(error instanceof TesseraError)) return undefined;
  const at = error.message.indexOf(MARK);
  if (at < 0) return undefined;
  try {
    const [table, column] = JSON.parse(error.message.slice(at + MARK.length)) as [string, string];
    return TesseraError.of('NOT_NULL_VIOLATION', { table, column });
  } catch {
    return undefined;
  }
}
