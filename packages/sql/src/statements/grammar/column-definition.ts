import { fail } from '@tessera/common';
import { isWord } from '../../text/lexer.ts';
import { kernelTypeSql, parseColumnType } from '../../types/column-type.ts';
import type { ColumnDefinition, SqlText } from '../catalog-statement.ts';
import type { TokenCursor } from '../token-cursor.ts';
import { expressionText } from './expression-text.ts';
import { placedName } from './names.ts';

const TABLE_CONSTRAINTS = ['CONSTRAINT', 'PRIMARY', 'UNIQUE', 'FOREIGN', 'CHECK', 'EXCLUDE'];
const COLUMN_CONSTRAINTS = [
  'CONSTRAINT',
  'PRIMARY',
  'UNIQUE',
  'REFERENCES',
  'CHECK',
  'COLLATE',
  'GENERATED',
  'COMMENT',
  'PARTITION',
];

/** What may follow a default. */
const AFTER_DEFAULT = [
  ['NOT', 'NULL'],
  ['NULL'],
  ['DEFAULT'],
  ...COLUMN_CONSTRAINTS.map((word) => [word]),
  ['CASCADE'],
];

/** `(c type …, …)`; at least one column, no name twice. */
export function columnDefinitions(cursor: TokenCursor): readonly ColumnDefinition[] {
  const columns: ColumnDefinition[] = [];
  cursor.expectSymbol('(');
  do {
    refuseConstraint(cursor, TABLE_CONSTRAINTS);
    if (cursor.isAt('LIKE')) unsupported(cursor, 'CREATE TABLE (LIKE …)', 'use CREATE TABLE … CLONE');
    const column = columnDefinition(cursor);
    if (columns.some((c) => c.name === column.name)) {
      fail(
        'SYNTAX_ERROR',
        { message: `Column "${column.name}" is defined twice` },
        { location: column.location },
      );
    }
    columns.push(column);
  } while (cursor.acceptSymbol(','));
  cursor.expectSymbol(')');
  return columns;
}

/** `name type [NULL | NOT NULL | DEFAULT e]…` in any order. */
export function columnDefinition(cursor: TokenCursor): ColumnDefinition {
  const { name, location } = placedName(cursor, 'the name of a column');
  const typeStart = cursor.offset;
  const kernelType = kernelTypeSql(parseColumnType(cursor));
  const type = cursor.textFrom(typeStart);
  let nullable: boolean | undefined;
  let defaultText: SqlText | undefined;
  for (;;) {
    const start = cursor.offset;
    if (cursor.accept('NOT', 'NULL') || cursor.accept('NULL')) {
      const allows =
        cursor.tokens[cursor.index - 2] === undefined || !isWord(cursor.tokens[cursor.index - 2], 'NOT');
      if (nullable !== undefined && nullable !== allows) {
        const message = `Column "${name}" is told to be both NULL and NOT NULL`;
        fail('SYNTAX_ERROR', { message }, { location: cursor.locationFrom(start) });
      }
      nullable = allows;
    } else if (cursor.accept('DEFAULT')) {
      if (defaultText !== undefined) {
        const message = `Column "${name}" has two defaults`;
        fail('SYNTAX_ERROR', { message }, { location: cursor.locationFrom(start) });
      }
      defaultText = expressionText(cursor, 'a default', AFTER_DEFAULT);
    } else break;
  }
  refuseConstraint(cursor, COLUMN_CONSTRAINTS);
  return { name, type, kernelType, nullable: nullable ?? true, default: defaultText, location };
}

function refuseConstraint(cursor: TokenCursor, constraints: readonly string[]): void {
  const word = constraints.find((c) => cursor.isAt(c));
  if (word === undefined) return;
  if (word === 'PRIMARY' && cursor.isAt('PRIMARY', 'KEY')) {
    unsupported(cursor, 'PRIMARY KEY', 'no table keeps its keys unique; PRIMARY INDEX sorts it');
  }
  unsupported(
    cursor,
    word === 'FOREIGN' ? 'FOREIGN KEY' : word === 'PARTITION' ? 'PARTITION in a column' : word,
  );
}

/** Points at the next token. */
export function unsupported(cursor: TokenCursor, what: string, hint?: string): never {
  const start = cursor.offset;
  cursor.next();
  return fail('NOT_SUPPORTED', { what, hint }, { location: cursor.locationFrom(start) });
}
