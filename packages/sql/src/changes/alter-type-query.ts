import { quoteName } from '@tessera/kernel';
import type { SqlText } from '../text/token-cursor.ts';
import { changeQuery } from './change-query.ts';
import { assignedType, type ChangeTarget, type TargetColumn } from './change-target.ts';
import { ComposedText } from './composed-text.ts';
import { type InsertQuery, storedRows } from './insert-query.ts';

export interface AlteredType {
  /** The parts of the table's name: database, schema and name. */
  readonly table: readonly string[];
  /**
   * The table as it will be after the change, under the column names that it has before the change. `column`
   * is one of its columns.
   */
  readonly target: ChangeTarget;
  readonly column: TargetColumn;
  /** The expression that computes the new value of a row. If absent, the old value is cast. */
  readonly using: SqlText | undefined;
}

/** All rows of a table with one column cast to another type, as the query of an INSERT into the altered table. */
export function alterTypeQuery(
  { table, target, column, using }: AlteredType,
  statement: string,
): Pick<InsertQuery, 'sql' | 'explain' | 'rows'> {
  const text = new ComposedText().add('SELECT ');
  text.list(target.columns, ', ', (item) => {
    if (item !== column) return void text.add(quoteName(item.name));
    text.add('CAST((');
    if (using === undefined) text.add(quoteName(item.name));
    else text.piece(using);
    text.add(`) AS ${assignedType(item)}) AS ${quoteName(item.name)}`);
  });
  text.add(` FROM ${table.map(quoteName).join('.')}`);
  return {
    ...changeQuery(text, statement),
    rows: ({ sql, columns }, how) => {
      const order = { order: target.columns, known: columns };
      const [before, behind] = storedRows(target, order, ({ storedName }) => storedName, how);
      return `${before}${sql}${behind}`;
    },
  };
}
