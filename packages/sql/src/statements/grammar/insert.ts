import type { SqlText, TokenCursor } from '../../text/token-cursor.ts';
import type { InsertStatement } from '../catalog-statement.ts';
import { RETURNING, returningClause, withoutSettings } from './change-suffix.ts';
import { clauseText, isAtQuery } from './expression-text.ts';
import { identifier, objectName, parenthesisedNames } from './names.ts';
import { unsupported } from './unsupported.ts';

/** `INSERT INTO t [AS a] [(c, …)] {VALUES … | query | DEFAULT VALUES} [RETURNING …]` */
export function insertStatement(whole: TokenCursor, leading: SqlText | undefined): InsertStatement {
  const { cursor, settings } = withoutSettings(whole);
  cursor.expectWord('INSERT');
  if (cursor.isAt('OVERWRITE') || cursor.isAt('OR'))
    unsupported(cursor, `INSERT ${cursor.peek()!.image.toUpperCase()}`);
  cursor.expectWord('INTO');
  const table = objectName(cursor, 'the name of a table');
  const alias = cursor.accept('AS') ? identifier(cursor, 'an alias') : undefined;
  const names =
    cursor.isAtSymbol('(') && !isAtQuery(cursor) ? parenthesisedNames(cursor, 'a column') : undefined;
  const overriding = overridingClause(cursor);
  const head = {
    kind: 'insert' as const,
    table,
    alias,
    with: leading,
    settings,
    overriding,
    columns: names?.map((n) => n.name),
    columnLocations: names?.map((n) => n.location) ?? [],
  };
  if (cursor.accept('DEFAULT', 'VALUES')) {
    return { ...head, query: undefined, returning: returningClause(cursor) };
  }
  refuseConflictClause(cursor);
  const what = names === undefined ? 'columns, VALUES or a query' : 'VALUES or a query';
  if (!isAtQuery(cursor)) cursor.unexpected(what);
  const query = clauseText(cursor, what, [RETURNING]);
  return { ...head, query, returning: returningClause(cursor) };
}

function overridingClause(cursor: TokenCursor): InsertStatement['overriding'] {
  if (cursor.accept('OVERRIDING', 'SYSTEM', 'VALUE')) return 'system';
  return cursor.accept('OVERRIDING', 'USER', 'VALUE') ? 'user' : undefined;
}

/** Refuses ON CONFLICT, which stands at the top level after the query. */
function refuseConflictClause(cursor: TokenCursor): void {
  let depth = 0;
  for (let ahead = 0; ; ahead += 1) {
    const image = cursor.peek(ahead)?.image.toUpperCase();
    if (image === undefined) return;
    if (image === '(') depth += 1;
    if (image === ')') depth -= 1;
    const isConflict = image === 'ON' && cursor.peek(ahead + 1)?.image.toUpperCase() === 'CONFLICT';
    if (depth === 0 && isConflict) {
      for (let i = 0; i < ahead; i += 1) cursor.next();
      unsupported(cursor, 'ON CONFLICT', 'use MERGE');
    }
  }
}
