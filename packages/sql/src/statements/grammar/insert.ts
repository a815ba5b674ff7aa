import { fail } from '@tessera/common';
import type { SqlText, TokenCursor } from '../../text/token-cursor.ts';
import type { ConflictClause, InsertStatement } from '../catalog-statement.ts';
import { RETURNING, returningClause, withoutSettings } from './change-suffix.ts';
import { clauseText, expressionText, isAtQuery } from './expression-text.ts';
import { identifier, objectName, parenthesisedNames, placedName } from './names.ts';
import { setClauses } from './set-clauses.ts';
import { unsupported } from './unsupported.ts';

/** `INSERT INTO t [AS a] [(c, …)] {VALUES … | query | DEFAULT VALUES} [ON CONFLICT …] [RETURNING …]` */
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
  if (cursor.accept('DEFAULT', 'VALUES')) return { ...head, query: undefined, ...insertSuffix(cursor) };
  const what = names === undefined ? 'columns, VALUES or a query' : 'VALUES or a query';
  if (!isAtQuery(cursor)) cursor.unexpected(what);
  const query = clauseText(cursor, what, [ON_CONFLICT, RETURNING]);
  return { ...head, query, ...insertSuffix(cursor) };
}

const ON_CONFLICT = ['ON', 'CONFLICT'];

const insertSuffix = (cursor: TokenCursor): Pick<InsertStatement, 'onConflict' | 'returning'> => ({
  onConflict: conflictClause(cursor),
  returning: returningClause(cursor),
});

function overridingClause(cursor: TokenCursor): InsertStatement['overriding'] {
  if (cursor.accept('OVERRIDING', 'SYSTEM', 'VALUE')) return 'system';
  return cursor.accept('OVERRIDING', 'USER', 'VALUE') ? 'user' : undefined;
}

/** `ON CONFLICT [(c, …) | ON CONSTRAINT name] {DO NOTHING | DO UPDATE SET … [WHERE …]}` */
function conflictClause(cursor: TokenCursor): ConflictClause | undefined {
  const start = cursor.offset;
  if (!cursor.accept(...ON_CONFLICT)) return undefined;
  const target = conflictTarget(cursor);
  const location = cursor.locationFrom(start);
  if (cursor.accept('DO', 'NOTHING')) return { target, update: undefined, location };
  if (!cursor.accept('DO', 'UPDATE')) cursor.unexpected('DO NOTHING or DO UPDATE');
  if (target === undefined) {
    const message = 'ON CONFLICT DO UPDATE needs the columns or the name of a constraint';
    fail('SYNTAX_ERROR', { message }, { location });
  }
  cursor.expectWord('SET');
  const set = setClauses(cursor, [['WHERE'], RETURNING]);
  const where = cursor.accept('WHERE') ? expressionText(cursor, 'a condition', [RETURNING]) : undefined;
  return { target, update: { set, where }, location };
}

function conflictTarget(cursor: TokenCursor): ConflictClause['target'] {
  if (cursor.accept('ON', 'CONSTRAINT'))
    return { kind: 'constraint', constraint: placedName(cursor, 'the name of a constraint') };
  if (!cursor.isAtSymbol('(')) return undefined;
  const columns = parenthesisedNames(cursor, 'a column');
  if (cursor.isAt('WHERE'))
    unsupported(cursor, 'WHERE of a conflict target', 'unique constraints are not partial');
  return { kind: 'columns', columns };
}
