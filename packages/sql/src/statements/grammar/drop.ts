import type { TokenCursor } from '../../text/token-cursor.ts';
import type { ChangeStatement, DropKind, DropStatement } from '../catalog-statement.ts';
import type { ObjectName } from '../object-name.ts';
import { ifExists, objectName } from './names.ts';
import { unsupported } from './unsupported.ts';

const KINDS: readonly (readonly [words: readonly string[], object: DropKind, what: string])[] = [
  [['DATABASE'], 'database', 'the name of a database'],
  [['SCHEMA'], 'schema', 'the name of a schema'],
  [['EXTERNAL', 'TABLE'], 'table', 'the name of a table'],
  [['FACT', 'TABLE'], 'table', 'the name of a table'],
  [['DIMENSION', 'TABLE'], 'table', 'the name of a table'],
  [['TABLE'], 'table', 'the name of a table'],
  [['VIEW'], 'view', 'the name of a view'],
  [['SEQUENCE'], 'sequence', 'the name of a sequence'],
  [['LOCATION'], 'location', 'the name of a location'],
  [['AGGREGATING', 'INDEX'], 'index', 'the name of an index'],
  [['INDEX'], 'index', 'the name of an index'],
];

/** `DROP <kind> [IF EXISTS] name [CASCADE | RESTRICT]`, for tables and views also `name, …`; undefined for other kinds. */
export function dropStatement(cursor: TokenCursor): DropStatement | undefined {
  const kind = KINDS.find(([words]) => cursor.isAt('DROP', ...words));
  if (kind === undefined) return undefined;
  const [words, object, what] = kind;
  cursor.accept('DROP', ...words);
  const quiet = ifExists(cursor);
  const name = objectName(cursor, what);
  const others: ObjectName[] = [];
  if (object === 'table' || object === 'view')
    while (cursor.acceptSymbol(',')) others.push(objectName(cursor, what));
  const cascade = cursor.accept('CASCADE');
  if (!cascade) cursor.accept('RESTRICT');
  cursor.expectEnd();
  return { kind: 'drop', object, name, others, ifExists: quiet, cascade };
}

/** `TRUNCATE [TABLE] t [RESTART IDENTITY | CONTINUE IDENTITY] [RESTRICT]` */
export function truncateStatement(cursor: TokenCursor): ChangeStatement {
  cursor.expectWord('TRUNCATE');
  cursor.accept('TABLE');
  const table = objectName(cursor, 'the name of a table');
  const restartIdentity = cursor.accept('RESTART', 'IDENTITY');
  if (!restartIdentity) cursor.accept('CONTINUE', 'IDENTITY');
  if (cursor.isAt('CASCADE'))
    unsupported(cursor, 'TRUNCATE … CASCADE', 'truncate the tables whose foreign keys reference it, too');
  cursor.accept('RESTRICT');
  cursor.expectEnd();
  return { kind: 'truncate', table, restartIdentity };
}
