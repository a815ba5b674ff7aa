import {
  type Action,
  type Column,
  NO_CHANGE,
  type Place,
  type Snapshot,
  type TableObject,
} from '@tessera/catalog';
import { fail, type SqlLocation } from '@tessera/common';
import { quoteName } from '@tessera/kernel';
import { type CreateStatement, declaredAs, kernelTypeSql, type OutputColumn } from '@tessera/sql';
import type { Change, ChangeContext } from '../changes/change.ts';
import { queryInPlace, withExecutable } from '../changes/derived-query.ts';
import { type QueryToStore, storageOf, storeQuery } from '../changes/store-query.ts';
import type { ExecutableQuery } from '../read/executable-query.ts';
import { checkColumnCount, checkNames, storedName } from './columns.ts';
import { isTaken, newTable, replacedBy } from './create-table.ts';
import { keepUntil, placeForTable } from './temporary-place.ts';
import { refuseTwice } from './views.ts';

/** Commits the table and its rows together. */
export async function createTableAs(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: Extract<CreateStatement, { kind: 'create_table_as' }>,
): Promise<Change> {
  const { place, opened } = placeForTable(context, snapshot, statement);
  const replaced = replacedBy(snapshot, place, statement);
  if (replaced.length === 0 && isTaken(snapshot, place, statement.ifNotExists)) return NO_CHANGE;
  // Nodes may write the rows before the query is bound.
  let made: Promise<QueryToStore> | undefined;
  const toStore = (columns: ExecutableQuery['columns']) => {
    made ??= makeTable(context, snapshot, place, statement, columns);
    return made;
  };
  return withExecutable(
    context,
    snapshot,
    queryInPlace(statement.query, context.run.text),
    async (executable) => {
      const query = await toStore(executable.columns);
      const { actions, rows } = await storeQuery(context, executable, query, context.run.query.signal);
      const created: Action = { kind: 'create', object: query.table };
      keepUntil(context, query.table, statement);
      return { actions: [...opened, ...replaced, created, ...actions], affectedRows: rows };
    },
    {
      storing: async ({ columns, session }) => storageOf(context, await toStore(columns), session),
    },
  );
}

async function makeTable(
  context: ChangeContext,
  snapshot: Snapshot,
  place: Place,
  { columnNames, shape }: Extract<CreateStatement, { kind: 'create_table_as' }>,
  given: ExecutableQuery['columns'],
): Promise<QueryToStore> {
  const columns = columnsOf(given, columnNames, place.location);
  return rowsOf(await newTable(context, snapshot, place, columns, shape));
}

/** How the rows of a query are stored in a table that was made for its columns. */
export function rowsOf(table: TableObject): QueryToStore {
  const items = table.columns.map(
    (column, i) => `CAST(c${i} AS ${column.type}) AS ${quoteName(column.storedName)}`,
  );
  const names = table.columns.map((_, i) => `c${i}`).join(', ');
  return { table, rows: (sql) => `SELECT ${items.join(', ')} FROM (${sql}) AS q(${names})` };
}

/** The columns of a table for the rows of a query. @throws TesseraError if names are missing, invalid or used twice */
export function columnsOf(
  columns: readonly OutputColumn[],
  given?: readonly string[] | undefined,
  location?: SqlLocation,
): Column[] {
  if (given !== undefined && given.length !== columns.length) {
    const message = `The table names ${given.length} columns, but its query returns ${columns.length}`;
    fail('SYNTAX_ERROR', { message }, { location });
  }
  const names = columns.map(({ name }, i) => given?.[i] ?? name);
  refuseTwice(names);
  checkColumnCount(names.length, location);
  checkNames(names.map((name) => ({ name, location })));
  return columns.map((column, i) => ({
    id: i + 1,
    name: names[i]!,
    storedName: storedName(names[i]!, i + 1),
    type: kernelTypeSql(column.type),
    ...declaration(column),
    nullable: column.nullable,
    since: 0,
  }));
}

function declaration({ type }: OutputColumn): Pick<Column, 'declared'> {
  const declared = declaredAs(type);
  return declared === undefined ? {} : { declared };
}
