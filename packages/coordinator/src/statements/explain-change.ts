import { requireChangedTable, type Snapshot, type TableObject } from '@tessera/catalog';
import { fail } from '@tessera/common';
import {
  conflictQuery,
  deleteQuery,
  type ExplainableChange,
  type ExplainStatement,
  type InsertStatement,
  insertQuery,
  mergeQuery,
  updateQuery,
} from '@tessera/sql';
import type { ChangeOperator } from '../binder/explain.ts';
import { isTaken, replacedBy } from '../catalog/create-table.ts';
import { columnsOf } from '../catalog/create-table-as.ts';
import { placeForTable } from '../catalog/temporary-place.ts';
import type { ChangeContext } from '../changes/change.ts';
import { type DerivedQuery, describedQuery, queryInPlace } from '../changes/derived-query.ts';
import { conflictRowOf, conflictScope } from '../changes/insert-on-conflict.ts';
import { POSITIONS, refuseInvisible } from '../changes/replace-rows.ts';
import { retryInQuarantine } from '../queries/retry-in-quarantine.ts';
import type { ExecutionOptions } from '../read/executable-query.ts';
import type { RowsResult } from '../request/statement-result.ts';
import { startedResult } from '../run/query-run.ts';

/** The query whose rows a statement changes, as the statement itself runs it. */
interface QueryOfChange {
  readonly query: DerivedQuery;
  readonly options?: Pick<ExecutionOptions, 'rowPositionsOf'>;
  readonly operator: ChangeOperator;
}

/**
 * Answers EXPLAIN of a statement that changes rows. The statement is bound, so its errors are reported, but neither it nor its
 * query runs.
 * @throws TesseraError NOT_SUPPORTED for ANALYZE
 */
export async function explainChange(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: ExplainStatement & { readonly change: ExplainableChange },
): Promise<RowsResult> {
  if (statement.part === 'analyze' || statement.part === 'all') {
    fail('NOT_SUPPORTED', {
      what: `EXPLAIN (${statement.part.toUpperCase()}) of a statement that changes rows`,
      hint: 'EXPLAIN without ANALYZE shows its plan and changes nothing; EXPLAIN (ANALYZE) of a SELECT with the same tables and conditions measures the plan',
    });
  }
  const { request, binder } = context.run;
  const { query, options = {}, operator } = await queryOfChange(context, snapshot, statement.change);
  const run = {
    ...context.run,
    text: query.sql,
    request: { ...request, settings: { ...request.settings, max_result_rows: 0 } },
    snapshot: async () => ({ snapshot, release: () => undefined }),
  };
  try {
    return await retryInQuarantine(run.query, async (quarantine) =>
      startedResult(run, await binder.explain(run, statement, { ...options, quarantine }, operator)),
    );
  } catch (error) {
    throw query.explain(error);
  }
}

async function queryOfChange(
  context: ChangeContext,
  snapshot: Snapshot,
  change: ExplainableChange,
): Promise<QueryOfChange> {
  const { database, run } = context;
  if (change.kind === 'create_table_as') return createdTable(context, snapshot, change);
  const table = requireChangedTable(snapshot, change.table, database);
  const onTable = (operator: string, more: ChangeOperator['details'] = {}): ChangeOperator => ({
    operator,
    details: { table: table.name, ...more },
  });
  switch (change.kind) {
    case 'insert':
      return insertedRows(context, snapshot, table, change);
    case 'update':
      return { query: updateQuery(change, table, run.text), options: POSITIONS, operator: onTable('Update') };
    case 'delete': {
      const { where, using, returning } = change;
      if (where === undefined && using === undefined && returning === undefined) {
        const operator = onTable('Delete', { rows: 'all, without reading them' });
        return { query: { sql: 'SELECT NULL WHERE false', explain: (error) => error }, operator };
      }
      return { query: deleteQuery(change, table, run.text), options: POSITIONS, operator: onTable('Delete') };
    }
    case 'merge':
      await refuseInvisible(context, snapshot, change);
      return { query: mergeQuery(change, table, run.text), options: POSITIONS, operator: onTable('Merge') };
  }
}

async function insertedRows(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  insert: InsertStatement,
): Promise<QueryOfChange> {
  const { text } = context.run;
  const rows = insertQuery(insert, table, text);
  const conflicts = conflictScope(insert, table, { snapshot, database: context.database });
  const given = rows.isCounted ? undefined : (await describedQuery(context, snapshot, rows)).columns;
  const operator = { operator: 'Insert', details: { table: table.name } };
  if (conflicts === undefined) return { query: rows.returning(insert.returning ?? [], given), operator };
  const one = await conflictRowOf(context, table, insert, conflicts);
  const ofOne = one && (one.existing ?? one.sameKey);
  const isUpdating = conflicts.clause.update !== undefined;
  const keys = conflicts.keys.map((key) => key.map(({ name }) => name).join(', '));
  return {
    query: ofOne ?? conflictQuery(insert, table, conflicts, rows.proposed(given), text),
    options: isUpdating || ofOne !== undefined ? POSITIONS : {},
    operator: {
      ...operator,
      details: {
        ...operator.details,
        'on conflict': isUpdating ? 'do update' : 'do nothing',
        keys: keys.join('; '),
      },
    },
  };
}

async function createdTable(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: Extract<ExplainableChange, { kind: 'create_table_as' }>,
): Promise<QueryOfChange> {
  const { place } = placeForTable(context, snapshot, statement);
  const isKept =
    replacedBy(snapshot, place, statement).length === 0 && isTaken(snapshot, place, statement.ifNotExists);
  const query = queryInPlace(statement.query, context.run.text);
  const { columns } = await describedQuery(context, snapshot, query);
  columnsOf(columns, statement.columnNames, place.location);
  const details = { table: place.name, ...(isKept && { exists: 'the table is left as it is' }) };
  return { query, operator: { operator: 'Create table', details } };
}
