import { quoteName } from '@tessera/kernel';
import type { DeleteStatement, UpdateStatement } from '../statements/catalog-statement.ts';
import type { ObjectName } from '../statements/object-name.ts';
import type { SqlText } from '../text/token-cursor.ts';
import { type ChangeQuery, changeQuery } from './change-query.ts';
import { type ChangeTarget, targetAlias } from './change-target.ts';
import { ComposedText, leadingWith } from './composed-text.ts';
import { addCheckedValue, addNewValue, assignments } from './new-values.ts';
import { type OtherRelation, relationsIn, returningText, wholeRow } from './returning.ts';

/**
 * The rows that an UPDATE replaces: `"$tablet"`, `"$row"`, then the new values of all columns of the table in
 * order, under their stored names, then the items of RETURNING. The leftmost relation of FROM, in subqueries
 * too, is the table and must have the columns `"$tablet"` and `"$row"`. No position occurs twice.
 * @throws TesseraError UNDEFINED_NAME
 */
export function updateQuery(update: UpdateStatement, target: ChangeTarget, statement: string): ChangeQuery {
  const { table, from, where, returning } = update;
  const alias = targetAlias(table, update.alias);
  const others = returning === undefined || from === undefined ? [] : relationsIn(from, target);
  const clauses = assignments(update.set, target);
  const text = new ComposedText();
  // If FROM joins several rows to one row of the table, any of them may supply the new values.
  text.add(`SELECT ${from === undefined ? '' : `DISTINCT ON (${positions(alias)}) `}${positions(alias)}`);
  for (const column of target.columns) {
    const clause = clauses.get(column);
    const write = () => addNewValue(text, column, clause, alias);
    text.add(', ');
    if (clause === undefined) write();
    else addCheckedValue(text, column, target, write);
    text.add(` AS ${quoteName(returning === undefined ? column.storedName : column.name)}`);
  }
  addWholeRows(text, others);
  addSource(text, table, update.alias, from);
  addWhere(text, where);
  if (returning === undefined) return changeQuery(leadingWith(update).append(text), statement);
  const stored = target.columns.map(({ name }, i) => `${quoteName(alias)}.${quoteName(name)} AS "$c${i}"`);
  const head = [positions(alias), ...stored];
  const returned = returningText(returning, { head, rows: text }, { target, table, alias, others });
  return changeQuery(leadingWith(update).append(returned), statement);
}

/**
 * The rows that a DELETE removes: `"$tablet"`, `"$row"`, no position twice, then the items of RETURNING. The
 * leftmost relation of FROM is the table, as in `updateQuery`.
 */
export function deleteQuery(deletion: DeleteStatement, target: ChangeTarget, statement: string): ChangeQuery {
  const { table, using, where, returning } = deletion;
  const alias = targetAlias(table, deletion.alias);
  const others = returning === undefined || using === undefined ? [] : relationsIn(using, target);
  const text = new ComposedText();
  text.add(`SELECT ${using === undefined ? '' : `DISTINCT ON (${positions(alias)}) `}${positions(alias)}`);
  if (returning !== undefined) {
    for (const { name } of target.columns) text.add(`, ${quoteName(alias)}.${quoteName(name)}`);
    addWholeRows(text, others);
  }
  addSource(text, table, deletion.alias, using);
  addWhere(text, where);
  if (returning === undefined) return changeQuery(leadingWith(deletion).append(text), statement);
  const head = [positions(alias)];
  const returned = returningText(
    returning,
    { head, rows: text, areStored: true },
    { target, table, alias, others },
  );
  return changeQuery(leadingWith(deletion).append(returned), statement);
}

/** Appends one column per relation, with its whole row. */
function addWholeRows(text: ComposedText, others: readonly OtherRelation[]): void {
  for (const [i, other] of others.entries()) text.add(`, ${quoteName(other.name)} AS ${wholeRow(other, i)}`);
}

/** The columns that identify the position of a row in the table. */
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
