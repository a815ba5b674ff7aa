import { fail } from '@tessera/common';
import type { SqlText, TokenCursor } from '../../text/token-cursor.ts';
import type { SetClause } from '../catalog-statement.ts';
import type { PlacedName } from '../object-name.ts';
import { expressionText, isAtQuery, parenthesisedQuery } from './expression-text.ts';
import { parenthesisedNames, placedName } from './names.ts';

/** Parses `a = e, b = DEFAULT, (c, d) = (e, f), (g, h) = (SELECT …)` after the word SET. Each column may occur once. */
export function setClauses(cursor: TokenCursor, ends: readonly (readonly string[])[]): readonly SetClause[] {
  const clauses: SetClause[] = [];
  do clauses.push(...(cursor.isAtSymbol('(') ? rowAssignment(cursor, ends) : [assignment(cursor, ends)]));
  while (cursor.acceptSymbol(','));
  for (const [index, { column, location }] of clauses.entries()) {
    if (clauses.findIndex((other) => other.column === column) < index) {
      fail('SYNTAX_ERROR', { message: `Column "${column}" is set twice` }, { location });
    }
  }
  return clauses;
}

function assignment(cursor: TokenCursor, ends: readonly (readonly string[])[]): SetClause {
  const column = placedName(cursor, 'a column');
  cursor.expectSymbol('=');
  return clause(column, valueOrDefault(cursor, ends));
}

function rowAssignment(cursor: TokenCursor, ends: readonly (readonly string[])[]): SetClause[] {
  const columns = parenthesisedNames(cursor, 'a column');
  cursor.expectSymbol('=');
  cursor.accept('ROW');
  if (isAtQuery(cursor)) {
    const query = parenthesisedQuery(cursor);
    return columns.map((column, i) => ({ ...clause(column, query), item: { index: i, of: columns.length } }));
  }
  const start = cursor.offset;
  cursor.expectSymbol('(');
  const values: (SqlText | undefined)[] = [];
  do values.push(valueOrDefault(cursor, ends));
  while (cursor.acceptSymbol(','));
  cursor.expectSymbol(')');
  if (values.length !== columns.length) {
    const message = `SET names ${columns.length} columns but has ${values.length} values`;
    fail('SYNTAX_ERROR', { message }, { location: cursor.locationFrom(start) });
  }
  return columns.map((column, i) => clause(column, values[i]));
}

/** The value; undefined for the word DEFAULT. */
export function valueOrDefault(
  cursor: TokenCursor,
  ends: readonly (readonly string[])[] = [],
): SqlText | undefined {
  return cursor.accept('DEFAULT') ? undefined : expressionText(cursor, 'a value', ends);
}

const clause = ({ name, location }: PlacedName, value: SqlText | undefined): SetClause => ({
  column: name,
  value,
  location,
});
