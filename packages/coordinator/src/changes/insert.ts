import type { Snapshot } from '@tessera/catalog';
import { type InsertStatement, insertQuery } from '@tessera/sql';
import { requireTable } from '../catalog/names.ts';
import { boundQuery } from './bound-query.ts';
import type { Change, ChangeContext } from './change-context.ts';
import { storeRows } from './store-rows.ts';

export function insert(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: InsertStatement,
): Promise<Change> {
  const table = requireTable(snapshot, statement.table, context.database);
  const query = insertQuery(statement, table, context.run.text);
  return boundQuery(context, snapshot, query, async (bound) => {
    const { session, params } = bound;
    const { signal } = context.run.query;
    const stored = await storeRows(context, { session, table, sql: query.rows(bound), params, signal });
    return { actions: stored.actions, affectedRows: stored.rows };
  });
}
