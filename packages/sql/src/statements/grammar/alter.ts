import { isWord } from '../../text/lexer.ts';
import type { SqlText, TokenCursor } from '../../text/token-cursor.ts';
import { parseDeclaredType } from '../../types/declared-type.ts';
import type { AlterStatement, ColumnChange, RenameOrOwner, TableChange } from '../catalog-statement.ts';
import { columnCollation } from './column-collation.ts';
import { columnDefinition } from './column-definition.ts';
import { isAtTableConstraint, tableConstraint } from './constraint.ts';
import { expressionText } from './expression-text.ts';
import { identifier, ifExists, ifNotExists, objectName, placedName } from './names.ts';
import { alterSequence } from './sequence.ts';
import { unsupported } from './unsupported.ts';

/** `ALTER DATABASE`, `ALTER TABLE`, `ALTER SCHEMA` and so on; undefined for other objects. */
export function alterStatement(cursor: TokenCursor): AlterStatement | undefined {
  if (cursor.accept('ALTER', 'DATABASE')) return alterDatabase(cursor);
  if (cursor.accept('ALTER', 'TABLE')) return alterTable(cursor);
  if (cursor.accept('ALTER', 'SCHEMA')) return alterSchema(cursor);
  if (cursor.accept('ALTER', 'VIEW')) return alterView(cursor);
  if (cursor.accept('ALTER', 'LOCATION')) return alterLocation(cursor);
  if (cursor.accept('ALTER', 'SEQUENCE')) return alterSequence(cursor);
  return undefined;
}

function alterSchema(cursor: TokenCursor): AlterStatement {
  const name = objectName(cursor, 'the name of a schema');
  return { kind: 'alter_schema', name, change: renameOrOwner(cursor) };
}

function alterView(cursor: TokenCursor): AlterStatement {
  const quiet = ifExists(cursor);
  const view = objectName(cursor, 'the name of a view');
  return { kind: 'alter_view', view, ifExists: quiet, change: renameOrOwner(cursor) };
}

function alterLocation(cursor: TokenCursor): AlterStatement {
  const quiet = ifExists(cursor);
  const name = objectName(cursor, 'the name of a location');
  if (!cursor.accept('OWNER', 'TO')) cursor.unexpected('OWNER TO');
  const to = identifier(cursor, 'a user or role');
  cursor.expectEnd();
  return { kind: 'alter_location', name, ifExists: quiet, change: { kind: 'owner', to } };
}

function renameOrOwner(cursor: TokenCursor): RenameOrOwner {
  const rename = cursor.accept('RENAME', 'TO');
  if (!rename && !cursor.accept('OWNER', 'TO')) cursor.unexpected('RENAME TO or OWNER TO');
  const to = identifier(cursor, rename ? 'the new name' : 'a user or role');
  cursor.expectEnd();
  return { kind: rename ? 'rename' : 'owner', to };
}

function alterDatabase(cursor: TokenCursor): AlterStatement {
  const name = identifier(cursor, 'the name of a database');
  const change = databaseChange(cursor);
  cursor.expectEnd();
  return { kind: 'alter_database', name, change };
}

function databaseChange(cursor: TokenCursor): Extract<AlterStatement, { kind: 'alter_database' }>['change'] {
  if (cursor.accept('RENAME', 'TO')) return { kind: 'rename', to: identifier(cursor, 'the new name') };
  if (cursor.accept('OWNER', 'TO')) return { kind: 'owner', to: identifier(cursor, 'a user') };
  if (!cursor.accept('SET')) cursor.accept('WITH');
  if (!cursor.accept('DESCRIPTION')) cursor.unexpected('RENAME TO, OWNER TO or SET DESCRIPTION');
  cursor.acceptSymbol('=');
  return { kind: 'description', to: cursor.expectValue('a description') };
}

function alterTable(cursor: TokenCursor): AlterStatement {
  const quiet = ifExists(cursor);
  cursor.accept('ONLY');
  const table = objectName(cursor, 'the name of a table');
  const changes: TableChange[] = [];
  do changes.push(tableChange(cursor));
  while (cursor.acceptSymbol(','));
  cursor.expectEnd();
  return { kind: 'alter_table', table, ifExists: quiet, changes };
}

function tableChange(cursor: TokenCursor): TableChange {
  if (cursor.accept('ADD')) return isAtTableConstraint(cursor) ? addConstraint(cursor) : addColumn(cursor);
  if (cursor.accept('ALTER')) return alterColumn(cursor);
  if (cursor.accept('DROP', 'PARTITION')) return dropPartition(cursor);
  if (cursor.accept('DROP', 'CONSTRAINT')) return dropConstraint(cursor);
  if (cursor.accept('DROP')) return dropColumn(cursor);
  if (cursor.accept('RENAME', 'TO')) return { kind: 'rename', to: identifier(cursor, 'the new name') };
  if (cursor.accept('RENAME', 'CONSTRAINT')) return renameConstraint(cursor);
  if (cursor.accept('RENAME')) return renameColumn(cursor);
  if (cursor.accept('OWNER', 'TO')) return { kind: 'owner', to: identifier(cursor, 'a user') };
  if (isWord(cursor.peek(), 'SET', 'RESET')) unsupported(cursor, 'ALTER TABLE … SET');
  return cursor.unexpected('ADD, ALTER, DROP, RENAME or OWNER TO');
}

function addColumn(cursor: TokenCursor): TableChange {
  cursor.accept('COLUMN');
  const quiet = ifNotExists(cursor);
  return { kind: 'add_column', ...columnDefinition(cursor), ifNotExists: quiet };
}

function addConstraint(cursor: TokenCursor): TableChange {
  const constraint = tableConstraint(cursor);
  return { kind: 'add_constraint', constraint, isValidated: !cursor.accept('NOT', 'VALID') };
}

function dropConstraint(cursor: TokenCursor): TableChange {
  const quiet = ifExists(cursor);
  const constraint = placedName(cursor, 'the name of a constraint');
  const cascade = cursor.accept('CASCADE');
  if (!cascade) cursor.accept('RESTRICT');
  return { kind: 'drop_constraint', constraint, ifExists: quiet, cascade };
}

function renameConstraint(cursor: TokenCursor): TableChange {
  const constraint = placedName(cursor, 'the name of a constraint');
  cursor.expectWord('TO');
  return { kind: 'rename_constraint', constraint, to: identifier(cursor, 'the new name') };
}

/** `[COLUMN] c SET DEFAULT e | DROP DEFAULT | SET NOT NULL | DROP NOT NULL | [SET DATA] TYPE t [USING e]`. */
function alterColumn(cursor: TokenCursor): TableChange {
  cursor.accept('COLUMN');
  const column = placedName(cursor, 'a column');
  return { kind: 'alter_column', column, change: columnChange(cursor) };
}

function columnChange(cursor: TokenCursor): ColumnChange {
  if (cursor.accept('SET', 'DEFAULT'))
    return { kind: 'set_default', default: expressionText(cursor, 'a default') };
  if (cursor.accept('DROP', 'DEFAULT')) return { kind: 'drop_default' };
  if (cursor.accept('SET', 'NOT', 'NULL')) return { kind: 'set_not_null' };
  if (cursor.accept('DROP', 'NOT', 'NULL')) return { kind: 'drop_not_null' };
  if (!cursor.accept('SET', 'DATA', 'TYPE') && !cursor.accept('TYPE'))
    cursor.unexpected('SET DEFAULT, DROP DEFAULT, SET NOT NULL, DROP NOT NULL or TYPE');
  const type = parseDeclaredType(cursor);
  columnCollation(cursor, type.kernelType);
  const using = cursor.accept('USING') ? expressionText(cursor, 'an expression') : undefined;
  return { kind: 'type', ...type, using };
}

function dropColumn(cursor: TokenCursor): TableChange {
  cursor.accept('COLUMN');
  const quiet = ifExists(cursor);
  const { name, location } = placedName(cursor, 'a column');
  const cascade = cursor.accept('CASCADE');
  if (!cascade) cursor.accept('RESTRICT');
  return { kind: 'drop_column', name, ifExists: quiet, cascade, location };
}

function renameColumn(cursor: TokenCursor): TableChange {
  cursor.accept('COLUMN');
  const { name, location } = placedName(cursor, 'a column');
  cursor.expectWord('TO');
  return { kind: 'rename_column', name, to: identifier(cursor, 'the new name'), location };
}

function dropPartition(cursor: TokenCursor): TableChange {
  const isBracketed = cursor.acceptSymbol('(');
  const values: SqlText[] = [];
  do values.push(expressionText(cursor, 'the value of a partition expression'));
  while (cursor.acceptSymbol(','));
  if (isBracketed) cursor.expectSymbol(')');
  return { kind: 'drop_partition', values };
}
