import { quoteName } from '@tessera/kernel';
import type { DeleteStatement, SqlText, UpdateStatement } from '../statements/catalog-statement.ts';
import type { ObjectName } from '../statements/object-name.ts';
import { type ChangeQuery, changeQuery } from './change-query.ts';
import { type ChangeTarget, targetAlias } from './change-target.ts';
import { ComposedText } from './composed-text.ts';
import { addCheckedValue, addNewValue, assignments } from './new-values.ts';

/**
 * The rows that an UPDATE replaces: `"$tablet"`, `"$row"`, then all columns of the table in order, by stored name, as they
 * shall be. The table stands first in FROM and must have the columns `"$tablet"` and `"$row"`. No position comes twice.
 * @throws TesseraError UNDEFINED_NAME
 */
export function updateQuery(update: UpdateStatement, target: ChangeTarget, statement: string): ChangeQuery {
  const { table, from, where } = update;
  const alias = targetAlias(table, update.alias);
  const clauses = assignments(update.set, target);
  const text = new ComposedText();
  if (update.with !== undefined) text.piece(update.with);
  // Any of the rows that FROM finds for a row will do.
  text.add(`SELECT ${from === undefined ? '' : `DISTINCT ON (${positions(alias)}) `}${positions(alias)}`);
  for (const column of target.columns) {
    const clause = clauses.get(column);
    const write = () => addNewValue(text, column, clause, alias);
    text.add(', ');
    if (clause === undefined) write();
    else addCheckedValue(text, column, target, write);
    text.add(` AS ${quoteName(column.storedName)}`);
  }
  addSource(text, table, update.alias, from);
  addWhere(text, where);
  return changeQuery(text, statement);
}

/**
 * The rows that a DELETE takes away: `"$tablet"`, `"$row"`, no position twice. The table stands first in FROM and must have
 * these columns.
 */
export function deleteQuery(deletion: DeleteStatement, statement: string): ChangeQuery {
  const { table, using, where } = deletion;
  const alias = targetAlias(table, deletion.alias);
  const text = new ComposedText();
  if (deletion.with !== undefined) text.piece(deletion.with);
  text.add(`SELECT ${using === undefined ? '' : 'DISTINCT '}${positions(alias)}`);
  addSource(text, table, deletion.alias, using);
  addWhere(text, where);
  return changeQuery(text, statement);
}

/** The columns that tell where a row of the table stands. */
export const positions = (alias: string): string =>
  `${quoteName(alias)}."$tablet", ${quoteName(alias)}."$row"`;

/** ` FROM table [AS alias][, others]` */
function addSource(
  text: ComposedText,
  table: ObjectName,
  alias: string | undefined,
  others: SqlText | undefined,
): void {
  addTable(text.add(' FROM '), table, alias);
  if (others !== undefined) text.add(', ').piece(others);
}

export function addTable(text: ComposedText, table: ObjectName, alias: string | undefined): void {
  text.placed(table.parts.map(quoteName).join('.'), table.location);
  if (alias !== undefined) text.add(` AS ${quoteName(alias)}`);
}

function addWhere(text: ComposedText, where: SqlText | undefined): void {
  if (where !== undefined) text.add(' WHERE ').piece(where);
}
