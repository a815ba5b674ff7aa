import { implicitSchema, type Snapshot, type TableObject } from '@tessera/catalog';
import { inTurns, retryDecision } from '@tessera/common';
import {
  type ChangeQuery,
  type ConflictScope,
  conflictKeys,
  conflictQuery,
  conflictRow,
  type InsertStatement,
  insertQuery,
  plainValues,
} from '@tessera/sql';
import { checksOf } from '../objects/definition-check.ts';
import type { ExecutableQuery } from '../read/executable-query.ts';
import type { Change, ChangeContext } from './change.ts';
import { describedQuery, withExecutable, withHeldExecutable } from './derived-query.ts';
import { changedOnly, expectSameRows, POSITIONS, replaceRows, whereAction } from './replace-rows.ts';
import { changedRows, storedNames, storedSql } from './returned-rows.ts';
import { countRows, rowPositions } from './row-positions.ts';
import { storedRow, storeRows, storesRowsAlone } from './store-rows.ts';

/**
 * The constraints and the table that the rows of an INSERT … ON CONFLICT are compared with. Returns undefined if none of its rows
 * can conflict with another.
 * @throws TesseraError see `conflictKeys`
 */
export function conflictScope(
  { onConflict: clause, table: { parts, location } }: InsertStatement,
  table: TableObject,
  { snapshot, database }: { readonly snapshot: Snapshot; readonly database: string },
): ConflictScope | undefined {
  if (clause === undefined) return undefined;
  const constraints = (table.constraints ?? []).map((constraint) => ({
    name: constraint.name,
    key:
      constraint.kind === 'primary_key' || constraint.kind === 'unique'
        ? constraint.columns.map((id) => table.columns.find((column) => column.id === id)!)
        : undefined,
  }));
  const keys = conflictKeys(clause, table, constraints);
  if (keys.length === 0) return undefined;
  // A CTE of the statement may have the table's own name.
  const schema = parts.length === 1 ? [implicitSchema(snapshot, database, table.name)] : [];
  return { clause, keys, checks: checksOf(table), existing: { parts: [...schema, ...parts], location } };
}

/** A row in a longer text is not stored in the commit. */
const MOST_CHARACTERS = 65_536;

/**
 * The fast path for one row of literals. Undefined if it does not apply, or if the statement is invalid: the normal path then reports
 * the error.
 */
async function insertOneRow(
  given: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  statement: InsertStatement,
  scope: ConflictScope,
): Promise<Change | undefined> {
  const { text, request, query } = given.run;
  if (!storesRowsAlone(table) || text.length > MOST_CHARACTERS) return undefined;
  const values = await inTurns(plainValues(statement, table, text, request.parameters));
  const one = values && conflictRow(statement, table, scope, values, text);
  if (one === undefined) return undefined;
  const { row, existing } = one;
  // Plans are kept by the parameters too, and those of VALUES are literals of this query.
  const parameters = request.parameters.filter(({ name }) => existing.sql.includes(name));
  const context = { ...given, run: { ...given.run, request: { ...request, parameters } } };
  try {
    if (scope.clause.update === undefined) {
      if (await hasRows(context, snapshot, existing)) return { actions: [], affectedRows: 0 };
    } else {
      const updated = await replaceRows(context, snapshot, table, existing, { replaced: '', stored: '' });
      if (updated.affectedRows !== 0) return updated;
    }
    const stored = await storedRow(context, table, row);
    return stored && { actions: [expectSameRows(table), ...stored.actions], affectedRows: 1 };
  } catch (error) {
    if (query.signal.aborted || retryDecision(error, 'query') !== undefined) throw error;
    return undefined;
  }
}

const hasRows = (context: ChangeContext, snapshot: Snapshot, existing: ChangeQuery): Promise<boolean> =>
  withExecutable(
    context,
    snapshot,
    existing,
    async ({ session, sql, params }) =>
      countRows(await rowPositions(session, sql, params, { fewRows: true })) > 0,
    POSITIONS,
  );

/**
 * Stores the rows that conflict with none, and updates the others with DO UPDATE. The statement read that no row has the keys of
 * the inserted rows, so its commit conflicts with every change of the table's rows that another transaction commits first.
 */
export async function insertOnConflict(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  statement: InsertStatement,
  scope: ConflictScope,
): Promise<Change> {
  const { text } = context.run;
  const one = await insertOneRow(context, snapshot, table, statement, scope);
  if (one !== undefined) return one;
  const rows = insertQuery(statement, table, text);
  const given = rows.isCounted ? undefined : await describedQuery(context, snapshot, rows);
  const query = conflictQuery(statement, table, scope, rows.proposed(given?.columns), text);
  const isReturning = statement.returning !== undefined;
  if (scope.clause.update === undefined) return insertAbsent(context, snapshot, table, query, isReturning);
  return replaceRows(context, snapshot, table, query, {
    replaced: whereAction('update'),
    stored: '',
    isReturning,
    insertsAbsent: true,
  });
}

function insertAbsent(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  query: ChangeQuery,
  isReturning: boolean,
): Promise<Change> {
  const work = async (executable: ExecutableQuery): Promise<Change> => {
    const { session } = executable;
    const { rows: affectedRows, returned } = isReturning
      ? await changedRows(context, executable, storedNames(table))
      : await changedOnly(table, executable, false);
    const { signal } = context.run.query;
    const { actions } = await storeRows(context, { session, table, sql: storedSql(table), signal });
    const expected = affectedRows > 0 ? [expectSameRows(table)] : [];
    return { actions: [...expected, ...actions], affectedRows, returned };
  };
  return isReturning
    ? withHeldExecutable(context, snapshot, query, work)
    : withExecutable(context, snapshot, query, work);
}
