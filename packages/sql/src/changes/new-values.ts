import { fail } from '@tessera/common';
import { quoteName } from '@tessera/kernel';
import type { SetClause } from '../statements/catalog-statement.ts';
import { Close, isWord, Open, tokenize } from '../text/lexer.ts';
import type { SqlText } from '../text/token-cursor.ts';
import { nullRefused } from './change-query.ts';
import {
  assignedType,
  type ChangeTarget,
  refuseGenerated,
  type TargetColumn,
  targetColumn,
} from './change-target.ts';
import type { ComposedText } from './composed-text.ts';
import { defaultOf } from './insert-query.ts';

/** The SET clause of each column, or undefined if the column keeps its value. */
export function assignments(
  set: readonly SetClause[],
  target: ChangeTarget,
): ReadonlyMap<TargetColumn, SetClause> {
  return new Map(
    set.map((clause) => {
      const column = targetColumn(target, clause.column, clause.location);
      if (clause.value !== undefined) {
        refuseGenerated(column, clause.location);
        if (clause.item === undefined && hasWindow(clause.value.sql))
          fail(
            'WINDOWING_ERROR',
            { message: 'Window functions are not allowed in UPDATE' },
            { location: clause.location },
          );
      }
      return [column, clause];
    }),
  );
}

/** Whether `OVER` stands outside of subqueries. */
function hasWindow(sql: string): boolean {
  if (!/\bover\b/i.test(sql)) return false;
  const tokens = tokenize(sql);
  const isQuery = [false];
  return tokens.some((token, i) => {
    if (token.tokenType === Open) isQuery.push(isQuery.at(-1)! || isWord(tokens[i + 1], 'SELECT', 'WITH'));
    else if (token.tokenType === Close && isQuery.length > 1) isQuery.pop();
    return isWord(token, 'OVER') && !isQuery.at(-1)! && tokens[i - 1]?.tokenType === Close;
  });
}

/** Appends the new value of a column: its clause, cast to the column's type, or the old value. */
export function addNewValue(
  text: ComposedText,
  column: TargetColumn,
  clause: SetClause | undefined,
  alias: string,
  writeValue: (value: SqlText) => void = (value) => text.piece(value),
): void {
  if (clause === undefined) text.add(`${quoteName(alias)}.${quoteName(column.name)}`);
  else if (clause.value === undefined) text.add(defaultOf(column));
  else {
    text.add('CAST((');
    if (clause.item === undefined) writeValue(clause.value);
    else addItem(text, clause.item, () => writeValue(clause.value!));
    text.add(`) AS ${assignedType(column)})`);
  }
}

/** One column of the row of a query. The empty query before it fails if the query has another number of columns. */
function addItem(
  text: ComposedText,
  { index, of }: NonNullable<SetClause['item']>,
  writeQuery: () => void,
): void {
  const names = Array.from({ length: of }, (_, i) => `"$c${i}"`);
  const nothing = names.map(() => 'NULL').join(', ');
  text.add(`SELECT "$c${index}" FROM (SELECT ${nothing} WHERE false UNION ALL (`);
  writeQuery();
  text.add(`)) AS "$set"(${names.join(', ')})`);
}

/** The same as `addNewValue`, but NULL fails if the column is NOT NULL. */
export function addCheckedValue(
  text: ComposedText,
  column: TargetColumn,
  target: ChangeTarget,
  write: () => void,
): void {
  text.add(column.nullable ? '' : 'coalesce(');
  write();
  text.add(column.nullable ? '' : `, ${nullRefused(target.name, column.name)})`);
}
