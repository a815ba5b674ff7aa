import { fail } from '@tessera/common';
import { isWord, QuotedName } from '../../text/lexer.ts';
import { RESERVED_WORDS } from '../../text/names.ts';
import type { TokenCursor } from '../../text/token-cursor.ts';
import type { ObjectName, PlacedName } from '../object-name.ts';

/** One name, folded unless it is quoted. A reserved word is not a name. */
export function placedName(cursor: TokenCursor, what: string): PlacedName {
  const start = cursor.offset;
  if (isWord(cursor.peek(), ...RESERVED_WORDS)) cursor.unexpected(what);
  const token = cursor.peek();
  const name = cursor.expectName(what);
  if (name === '' && token?.tokenType === QuotedName) {
    fail('SYNTAX_ERROR', { message: 'A name cannot be empty' }, { location: cursor.locationFrom(start) });
  }
  return { name, location: cursor.locationFrom(start) };
}

export const identifier = (cursor: TokenCursor, what: string): string => placedName(cursor, what).name;

/** `[[database.]schema.]name` */
export function objectName(cursor: TokenCursor, what: string): ObjectName {
  const start = cursor.offset;
  const parts = [identifier(cursor, what)];
  while (cursor.acceptSymbol('.')) {
    if (parts.length === 3) {
      cursor.unexpected(`no more than three parts in ${what}`);
    }
    parts.push(cursor.expectName(what));
  }
  return { parts, location: cursor.locationFrom(start) };
}

/** `a, b, c` */
export function nameList(cursor: TokenCursor, what: string): readonly PlacedName[] {
  const names: PlacedName[] = [];
  do names.push(placedName(cursor, what));
  while (cursor.acceptSymbol(','));
  return names;
}

/** `(a, b, c)`; refuses a name that occurs twice. */
export function parenthesisedNames(cursor: TokenCursor, what: string): readonly PlacedName[] {
  cursor.expectSymbol('(');
  const names = nameList(cursor, what);
  cursor.expectSymbol(')');
  const seen = new Set<string>();
  for (const { name, location } of names) {
    if (seen.has(name))
      fail('DUPLICATE_COLUMN', { message: `Column "${name}" is listed twice` }, { location });
    seen.add(name);
  }
  return names;
}

export const ifNotExists = (cursor: TokenCursor): boolean => cursor.accept('IF', 'NOT', 'EXISTS');
export const ifExists = (cursor: TokenCursor): boolean => cursor.accept('IF', 'EXISTS');

/** The schema of the temporary objects of the session. */
export const TEMPORARY_SCHEMA = 'pg_temp';

/**
 * `[database.]pg_temp.name`; the schema is added if it is not written. @throws TesseraError INVALID_ARGUMENT
 */
export function temporaryName({ parts, location }: ObjectName): ObjectName {
  const [name = '', schema = TEMPORARY_SCHEMA, ...database] = [...parts].reverse();
  if (schema === TEMPORARY_SCHEMA) return { parts: [...database, schema, name], location };
  const message = `A temporary object belongs to the session, not to schema "${schema}": omit the schema`;
  return fail('INVALID_ARGUMENT', { message }, { location });
}
