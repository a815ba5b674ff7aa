import { fail } from '@tessera/common';
import type { TokenCursor } from '../../text/token-cursor.ts';
import type { ConstraintDefinition, ForeignKeyAction } from '../catalog-statement.ts';
import type { PlacedName } from '../object-name.ts';
import { expressionText } from './expression-text.ts';
import { identifier, objectName, parenthesisedNames } from './names.ts';
import { unsupported } from './unsupported.ts';

/** Words that begin a column constraint and therefore end a default before it. */
export const COLUMN_CONSTRAINTS = ['CONSTRAINT', 'PRIMARY', 'UNIQUE', 'REFERENCES', 'CHECK'];

const TABLE_CONSTRAINTS = ['CONSTRAINT', 'PRIMARY', 'UNIQUE', 'FOREIGN', 'CHECK', 'EXCLUDE'];

/** Whether the next item of `CREATE TABLE (…)` or `ALTER TABLE … ADD` is a constraint and not a column. */
export function isAtTableConstraint(cursor: TokenCursor): boolean {
  return TABLE_CONSTRAINTS.some((word) => cursor.isAt(word));
}

/** `[CONSTRAINT name] PRIMARY KEY (…) | UNIQUE (…) | FOREIGN KEY (…) REFERENCES t (…) | CHECK (…)`. */
export function tableConstraint(cursor: TokenCursor): ConstraintDefinition {
  const start = cursor.offset;
  const name = constraintName(cursor);
  if (cursor.isAt('EXCLUDE')) unsupported(cursor, 'EXCLUDE');
  if (cursor.accept('CHECK')) return checkConstraint(cursor, name, start);
  if (cursor.accept('FOREIGN')) {
    cursor.expectWord('KEY');
    const columns = parenthesisedNames(cursor, 'a column of the foreign key');
    cursor.expectWord('REFERENCES');
    return foreignKey(cursor, name, columns, start);
  }
  const kind = keyKind(cursor) ?? cursor.unexpected('PRIMARY KEY, UNIQUE, FOREIGN KEY or CHECK');
  if (cursor.isAt('USING', 'INDEX')) unsupported(cursor, 'A constraint that uses an index');
  const columns = parenthesisedNames(cursor, 'a column of the key');
  constraintAttributes(cursor);
  return { kind, name, columns, location: cursor.locationFrom(start) };
}

/** A constraint after the type of a column, with its name if it has one; undefined if none begins here. */
export function columnConstraint(
  cursor: TokenCursor,
  column: PlacedName,
  name: string | undefined,
): ConstraintDefinition | undefined {
  const start = cursor.offset;
  if (cursor.accept('CHECK')) return checkConstraint(cursor, name, start);
  if (cursor.accept('REFERENCES')) return foreignKey(cursor, name, [column], start);
  const kind = keyKind(cursor);
  if (kind === undefined) return undefined;
  constraintAttributes(cursor);
  return { kind, name, columns: [column], location: cursor.locationFrom(start) };
}

/** Parses `CONSTRAINT name` before a constraint. */
export const constraintName = (cursor: TokenCursor): string | undefined =>
  cursor.accept('CONSTRAINT') ? identifier(cursor, 'the name of a constraint') : undefined;

function keyKind(cursor: TokenCursor): 'primary_key' | 'unique' | undefined {
  if (cursor.accept('PRIMARY', 'KEY')) return 'primary_key';
  if (!cursor.accept('UNIQUE')) return undefined;
  if (cursor.isAt('NULLS', 'NOT')) unsupported(cursor, 'UNIQUE NULLS NOT DISTINCT');
  cursor.accept('NULLS', 'DISTINCT');
  return 'unique';
}

function checkConstraint(cursor: TokenCursor, name: string | undefined, start: number): ConstraintDefinition {
  cursor.expectSymbol('(');
  const condition = expressionText(cursor, 'a condition');
  cursor.expectSymbol(')');
  cursor.accept('NO', 'INHERIT');
  constraintAttributes(cursor);
  return { kind: 'check', name, condition, location: cursor.locationFrom(start) };
}

function foreignKey(
  cursor: TokenCursor,
  name: string | undefined,
  columns: readonly PlacedName[],
  start: number,
): ConstraintDefinition {
  const table = objectName(cursor, 'the name of a table');
  const references = cursor.isAtSymbol('(')
    ? parenthesisedNames(cursor, 'a column of the referenced table')
    : undefined;
  const actions: { update?: ForeignKeyAction; delete?: ForeignKeyAction } = {};
  for (;;) {
    if (cursor.accept('MATCH', 'SIMPLE')) continue;
    if (cursor.isAt('MATCH')) unsupported(cursor, 'MATCH FULL and MATCH PARTIAL');
    const event = cursor.accept('ON', 'UPDATE')
      ? 'update'
      : cursor.accept('ON', 'DELETE')
        ? 'delete'
        : undefined;
    if (event === undefined) break;
    if (actions[event] !== undefined) {
      const message = `ON ${event.toUpperCase()} is specified twice`;
      fail('SYNTAX_ERROR', { message }, { location: cursor.locationFrom(start) });
    }
    actions[event] = foreignKeyAction(cursor);
  }
  constraintAttributes(cursor);
  const location = cursor.locationFrom(start);
  return {
    kind: 'foreign_key',
    name,
    columns,
    table,
    references,
    onUpdate: actions.update ?? 'NO ACTION',
    onDelete: actions.delete ?? 'NO ACTION',
    location,
  };
}

function foreignKeyAction(cursor: TokenCursor): ForeignKeyAction {
  if (cursor.accept('NO', 'ACTION')) return 'NO ACTION';
  if (cursor.accept('RESTRICT')) return 'RESTRICT';
  if (cursor.accept('CASCADE')) return 'CASCADE';
  if (cursor.accept('SET', 'NULL')) return 'SET NULL';
  if (cursor.accept('SET', 'DEFAULT')) return 'SET DEFAULT';
  return cursor.unexpected('NO ACTION, RESTRICT, CASCADE, SET NULL or SET DEFAULT');
}

/**
 * Accepts `[NOT] DEFERRABLE`, `INITIALLY …`, `[NOT] ENFORCED` and `[NO]RELY`. None of them changes what the
 * engine does.
 */
function constraintAttributes(cursor: TokenCursor): void {
  while (
    cursor.accept('DEFERRABLE') ||
    cursor.accept('NOT', 'DEFERRABLE') ||
    cursor.accept('INITIALLY', 'DEFERRED') ||
    cursor.accept('INITIALLY', 'IMMEDIATE') ||
    cursor.accept('NOT', 'ENFORCED') ||
    cursor.accept('RELY') ||
    cursor.accept('NORELY')
  );
}
