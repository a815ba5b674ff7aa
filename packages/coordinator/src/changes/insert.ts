import type { Column, Snapshot, TableObject } from '@tessera/catalog';
import { fail, nearestName } from '@tessera/common';
import type { KernelSession } from '@tessera/kernel';
import { quoteName, quoteText } from '@tessera/kernel';
import type { InsertStatement } from '@tessera/sql';
import { definitionExpression } from '../catalog/definition-check.ts';
import { requireTable } from '../catalog/names.ts';
import { boundQuery } from './bound-query.ts';
import type { Change, ChangeContext } from './change-context.ts';
import { storeRows } from './store-rows.ts';

export async function insert(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: InsertStatement,
): Promise<Change> {
  const table = requireTable(snapshot, statement.table, context.database);
  const query = statement.query ?? { sql: 'SELECT 1', offset: 0 };
  return boundQuery(context, snapshot, query, async (bound) => {
    const given = targets(table, statement, bound.columns.length);
    const { session, params } = bound;
    const items: string[] = [];
    for (const column of table.columns) items.push(await item(context, session, table, column, given));
    const names = bound.columns.map((_, i) => `c${i}`).join(', ');
    const sql = `SELECT ${items.join(', ')} FROM (${bound.sql}) AS q(${names})`;
    const { signal } = context.run.query;
    const { actions, rows } = await storeRows(context, { session, table, sql, params, signal });
    return { actions, affectedRows: rows };
  });
}

function targets(table: TableObject, statement: InsertStatement, count: number): readonly Column[] {
  if (statement.query === undefined) return [];
  const columns =
    statement.columns?.map((name, i) => {
      const found = table.columns.find((column) => column.name === name);
      if (found !== undefined) return found;
      const nearest = nearestName(
        name,
        table.columns.map((column) => column.name),
      );
      const message = `Column "${name}" of table "${table.name}" does not exist${nearest ? ` (did you mean ${nearest}?)` : ''}`;
      return fail('UNDEFINED_NAME', { message }, { location: statement.columnLocations[i] });
    }) ?? table.columns.slice(0, count);
  if (columns.length !== count) {
    const message = `INSERT has ${count} values for ${statement.columns?.length ?? table.columns.length} columns`;
    fail('BINDING_ERROR', { message }, { location: statement.table.location });
  }
  return columns;
}

async function item(
  context: ChangeContext,
  session: KernelSession,
  table: TableObject,
  column: Column,
  given: readonly Column[],
): Promise<string> {
  const at = given.findIndex(({ id }) => id === column.id);
  let value = 'NULL';
  if (at >= 0) value = `c${at}`;
  else if (column.defaultSql !== undefined) {
    const expression = { sql: column.defaultSql, offset: 0 };
    value = (await definitionExpression(context, session, expression, [], column.defaultSql)).sql;
  }
  const cast = `CAST(${value} AS ${column.type})`;
  if (column.nullable) return `${cast} AS ${quoteName(column.storedName)}`;
  const message = quoteText(`tessera:not_null:${table.name}:${column.name}`);
  return `CASE WHEN ${value} IS NULL THEN error(${message}) ELSE ${cast} END AS ${quoteName(column.storedName)}`;
}
