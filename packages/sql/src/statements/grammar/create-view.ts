import { fail } from '@tessera/common';
import { isParameter } from '../../text/lexer.ts';
import type { TokenCursor } from '../../text/token-cursor.ts';
import type { CreateStatement } from '../catalog-statement.ts';
import { restAsQuery } from './expression-text.ts';
import { ifNotExists, objectName, parenthesisedNames } from './names.ts';

/** `CREATE [OR REPLACE] VIEW [IF NOT EXISTS] v [(c, …)] AS query`, from the name on. */
export function createView(cursor: TokenCursor, orReplace: boolean): CreateStatement {
  const quiet = ifNotExists(cursor);
  const name = objectName(cursor, 'the name of a view');
  const names = cursor.isAtSymbol('(') ? parenthesisedNames(cursor, 'the name of a column') : undefined;
  cursor.expectWord('AS');
  const parameter = cursor.tokens.find(isParameter);
  if (parameter !== undefined) {
    const message = 'A parameter cannot stand in the query of a view';
    fail('BINDING_ERROR', { message }, { location: cursor.locationOf(parameter) });
  }
  const query = restAsQuery(cursor);
  return {
    kind: 'create_view',
    name,
    orReplace,
    ifNotExists: quiet,
    columnNames: names?.map((n) => n.name),
    query,
  };
}
