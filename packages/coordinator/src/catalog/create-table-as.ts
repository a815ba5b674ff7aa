import type { Column, Snapshot } from '@tessera/catalog';
import { fail } from '@tessera/common';
import { quoteName } from '@tessera/kernel';
import { type CreateStatement, kernelTypeSql, type OutputColumn } from '@tessera/sql';
import { boundQuery, queryInPlace } from '../changes/bound-query.ts';
import { type Change, NO_CHANGE } from '../changes/change.ts';
import type { ChangeContext } from '../changes/change-context.ts';
import { storeRows } from '../changes/store-rows.ts';
import { checkNames, storedName } from './columns.ts';
import { isTaken, newTable } from './create-table.ts';
import { type Place, placeOf } from './names.ts';
import { refuseTwice } from './views.ts';

/** The table and its rows are committed together. */
export async function createTableAs(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: Extract<CreateStatement, { kind: 'create_table_as' }>,
): Promise<Change> {
  const place = placeOf(snapshot, statement.name, context.database);
  if (isTaken(snapshot, place, statement.ifNotExists)) return NO_CHANGE;
  return boundQuery(context, snapshot, queryInPlace(statement.query, context.run.text), async (bound) => {
    const columns = columnsOf(bound.columns, statement.columnNames, place);
    const table = await newTable(context, place, columns, statement.shape);
    const items = columns.map(
      (column, i) => `CAST(c${i} AS ${column.type}) AS ${quoteName(column.storedName)}`,
    );
    const names = columns.map((_, i) => `c${i}`).join(', ');
    const sql = `SELECT ${items.join(', ')} FROM (${bound.sql}) AS q(${names})`;
    const { session, params } = bound;
    const { signal } = context.run.query;
    const { actions, rows } = await storeRows(context, { session, table, sql, params, signal });
    return { actions: [{ kind: 'create', object: table }, ...actions], affectedRows: rows };
  });
}

function columnsOf(
  columns: readonly OutputColumn[],
  given: readonly string[] | undefined,
  { location }: Place,
): Column[] {
  if (given !== undefined && given.length !== columns.length) {
    const message = `The table names ${given.length} columns, its query has ${columns.length}`;
    fail('INVALID_ARGUMENT', { message }, { location });
  }
  const names = columns.map(({ name }, i) => given?.[i] ?? name);
  refuseTwice(names);
  checkNames(names.map((name) => ({ name, location })));
  return columns.map((column, i) => ({
    id: i + 1,
    name: names[i]!,
    storedName: storedName(names[i]!, i + 1),
    type: kernelTypeSql(column.type),
    nullable: column.nullable,
    since: 0,
  }));
}
