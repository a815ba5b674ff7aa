import { type SqlLocation, TesseraError } from '@tessera/common';
import type { ComposedText } from './composed-text.ts';

/** A query of the dialect whose rows are what a statement writes. */
export interface ChangeQuery {
  readonly sql: string;
  /**
   * Translates an error of binding or running `sql`: the result points into the user's statement and names
   * the violated constraint.
   */
  explain(error: unknown): unknown;
}

export const changeQuery = (text: ComposedText, statement: string): ChangeQuery => ({
  sql: text.sql,
  explain: (error) => {
    if (!(error instanceof TesseraError) || aboutStatement.has(error)) return error;
    const violation = constraintViolation(error);
    if (violation !== undefined) return violation;
    const { location } = error;
    return location === undefined ? error : relocated(error, text.locate(location, statement));
  },
});

/** Errors that already point into the user's statement. */
const aboutStatement = new WeakSet<Error>();

/** Throws an error that points into the user's statement. `explain` leaves such an error as it is. */
export function failInStatement(
  name: 'BINDING_ERROR' | 'SYNTAX_ERROR' | 'CARDINALITY_VIOLATION',
  message: string,
  location: SqlLocation,
): never {
  const error = TesseraError.of(name, { message }, { location });
  aboutStatement.add(error);
  throw error;
}

/**
 * A place in the composed text would mislead, so it is replaced, even by none. `with` would keep the old
 * place if none is given.
 */
const relocated = (error: TesseraError, location: SqlLocation | undefined): TesseraError =>
  TesseraError.fromData({ ...error.toData(), location });

const MARK = 'tessera:violation:';

type Violation =
  | { readonly kind: 'not_null'; readonly table: string; readonly column: string }
  | { readonly kind: 'check'; readonly table: string; readonly constraint: string }
  /** Rows of one INSERT … ON CONFLICT that conflict with one another. */
  | { readonly kind: 'twice' | 'chain'; readonly table: string }
  /** A value that does not fit the declared type of its column. */
  | {
      readonly kind: 'length' | 'range';
      readonly table: string;
      readonly column: string;
      /** In PostgreSQL's spelling. */
      readonly type: string;
    };

/**
 * An expression, valid in the kernel and in the dialect, that always fails. `constraintViolation` turns its
 * failure into NOT_NULL_VIOLATION.
 */
export const nullRefused = (table: string, column: string): string =>
  refused({ kind: 'not_null', table, column });

/** The same as `nullRefused` for CHECK_VIOLATION. */
export const checkRefused = (table: string, constraint: string): string =>
  refused({ kind: 'check', table, constraint });

/** The same as `nullRefused` for VALUE_TOO_LONG and OUT_OF_RANGE. */
export const valueRefused = (table: string, column: string, type: string, kind: 'length' | 'range'): string =>
  refused({ kind, table, column, type });

/**
 * The same as `nullRefused` for rows of one INSERT … ON CONFLICT that conflict with one another: `twice` changes a row again,
 * and the outcome of `chain` depends on conflicts with rows that are not inserted.
 */
export const conflictRefused = (table: string, kind: 'twice' | 'chain'): string => refused({ kind, table });

function refused(violation: Violation): string {
  const text = MARK + JSON.stringify(violation);
  return `error('${text.replaceAll("'", "''")}')`;
}

/**
 * Translates the failure of `nullRefused` or `checkRefused` into the constraint violation that it stands for;
 * undefined for every other error.
 */
export function constraintViolation(error: unknown): TesseraError | undefined {
  if (!(error instanceof TesseraError)) return undefined;
  const at = error.message.indexOf(MARK);
  if (at < 0) return undefined;
  try {
    const violation = JSON.parse(error.message.slice(at + MARK.length)) as Violation;
    switch (violation.kind) {
      case 'check':
        return TesseraError.of('CHECK_VIOLATION', violation);
      case 'not_null':
        return TesseraError.of('NOT_NULL_VIOLATION', violation);
      case 'twice':
        return TesseraError.of('CARDINALITY_VIOLATION', {
          message: `ON CONFLICT DO UPDATE would change a row of table "${violation.table}" twice: several rows of the INSERT have the same key`,
        });
      case 'chain':
        return TesseraError.of('NOT_SUPPORTED', {
          what: `ON CONFLICT DO NOTHING for rows that conflict with one another in different constraints of table "${violation.table}"`,
          hint: 'name one constraint, or insert the rows in several statements',
        });
      case 'length':
        return TesseraError.of('VALUE_TOO_LONG', violation);
      case 'range':
        return TesseraError.of('OUT_OF_RANGE', {
          message: `${violation.type} out of range, in column "${violation.column}" of table "${violation.table}"`,
        });
    }
  } catch {
    return undefined;
  }
}
