import { requireChangedTable, type Snapshot, type TableObject } from '@tessera/catalog';
import { inTurns, retryDecision } from '@tessera/common';
import { type InsertStatement, insertQueries, insertQuery, plainValues } from '@tessera/sql';
import { withSession } from '../objects/definition-check.ts';
import { retryInQuarantine } from '../queries/retry-in-quarantine.ts';
import type { ExecutableQuery } from '../read/executable-query.ts';
import type { Change, ChangeContext } from './change.ts';
import { describedQuery, withExecutable, withHeldExecutable } from './derived-query.ts';
import { conflictScope, insertOnConflict } from './insert-on-conflict.ts';
import { addedAlone, storeAdded } from './replace-rows.ts';
import { changedRows, storedNames } from './returned-rows.ts';
import { type QueryToStore, storageOf, storeQuery } from './store-query.ts';
import { type StoredRows, storedRow, storeRows } from './store-rows.ts';

export async function insert(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: InsertStatement,
): Promise<Change> {
  const table = requireChangedTable(snapshot, statement.table, context.database);
  const conflicts = conflictScope(statement, table, { snapshot, database: context.database });
  if (conflicts !== undefined) return insertOnConflict(context, snapshot, table, statement, conflicts);
  if (statement.returning !== undefined) return insertReturning(context, snapshot, table, statement);
  const stored =
    (await insertPlain(context, table, statement)) ??
    (await insertInParts(context, table, statement)) ??
    (await insertQueried(context, snapshot, table, statement));
  return { actions: stored.actions, affectedRows: stored.rows };
}

/**
 * The fast path for rows of literals. Undefined if it does not apply, or if a row is invalid: the normal path then
 * reports the error.
 */
async function insertPlain(
  context: ChangeContext,
  table: TableObject,
  statement: InsertStatement,
): Promise<StoredRows | undefined> {
  const { text, query, request } = context.run;
  const values = await inTurns(plainValues(statement, table, text, request.parameters));
  if (values === undefined) return undefined;
  const { sql, row } = values;
  const known = row && (await storedRow(context, table, row));
  if (known !== undefined) return known;
  const isSorted = values.rows === 1;
  const { signal } = query;
  try {
    const rows = { table, sql, isSorted, signal };
    return await retryInQuarantine(query, (quarantine) =>
      withSession(context, (session) => storeRows(context, { session, ...rows }), { quarantine }),
    );
  } catch (error) {
    // The normal path takes more memory.
    if (signal.aborted || retryDecision(error, 'query') !== undefined) throw error;
    return undefined;
  }
}

/** Characters of the rows that are bound and computed at a time. */
const PART_CHARACTERS = 32_768;

/**
 * The path for many rows of expressions, which are computed part by part: the trees and plans of all of them at once would
 * take more memory than a small node has. Undefined if it does not apply.
 */
async function insertInParts(
  context: ChangeContext,
  table: TableObject,
  statement: InsertStatement,
): Promise<StoredRows | undefined> {
  const { run } = context;
  const { signal } = run.query;
  return retryInQuarantine(run.query, async (quarantine) => {
    const parts = await inTurns(insertQueries(statement, table, run.text, PART_CHARACTERS));
    if (parts === undefined) return undefined;
    const computed = await run.binder.computedInParts(run, parts, { quarantine });
    if (computed === undefined) return undefined;
    const { session, last, sql } = computed;
    try {
      const rows = last.rows({ sql, columns: [] }, { areNullsCounted: true });
      return await storeRows(context, { session, table, sql: rows, countsNulls: true, signal });
    } catch (error) {
      throw last.explain(error);
    } finally {
      await computed.release();
    }
  });
}

function insertQueried(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  statement: InsertStatement,
): Promise<StoredRows> {
  const query = insertQuery(statement, table, context.run.text);
  const toStore = (columns: ExecutableQuery['columns']): QueryToStore => ({
    table,
    rows: (sql) => query.rows({ sql, columns }, { areNullsCounted: true }),
    countsNulls: true,
  });
  return withExecutable(
    context,
    snapshot,
    query,
    (executable) => storeQuery(context, executable, toStore(executable.columns), context.run.query.signal),
    { storing: ({ columns, session }) => storageOf(context, toStore(columns), session) },
  );
}

async function insertReturning(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  statement: InsertStatement,
): Promise<Change> {
  const { text } = context.run;
  const query = insertQuery(statement, table, text);
  const given = query.isCounted ? undefined : await describedQuery(context, snapshot, query);
  const returning = query.returning(statement.returning ?? [], given?.columns);
  return withHeldExecutable(context, snapshot, returning, async (executable) => {
    const { returned, ...changed } = await changedRows(
      context,
      executable,
      storedNames(table),
      addedAlone(table),
    );
    const { actions } = await storeAdded(context, executable, table, changed);
    return { actions, affectedRows: changed.rows, returned };
  });
}
