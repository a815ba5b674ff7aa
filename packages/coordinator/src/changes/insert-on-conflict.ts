import { implicitSchema, type Snapshot, type TableObject } from '@tessera/catalog';
import { inTurns, retryDecision } from '@tessera/common';
import {
  type ChangeQuery,
  type ConflictRow,
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
import {
  addedAlone,
  changedOnly,
  expectSameRows,
  POSITIONS,
  replaceRows,
  storeAdded,
  whereAction,
} from './replace-rows.ts';
import { changedRows, storedNames } from './returned-rows.ts';
import { countRows, rowPositions } from './row-positions.ts';
import { storedRow, storesRowsAlone } from './store-rows.ts';

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
  const { request, query } = given.run;
  const one = await conflictRowOf(given, table, statement, scope);
  if (one === undefined) return undefined;
  const { row, existing, sameKey, returning } = one;
  // Plans are kept by the parameters too, and those of VALUES are literals of these queries.
  const withParameters = ({ sql }: ChangeQuery): ChangeContext => {
    const named = new Set(sql.match(/\$\d+/g));
    const parameters = request.parameters.filter(({ name }) => named.has(name));
    return { ...given, run: { ...given.run, request: { ...request, parameters } } };
  };
  const isReturning = returning !== undefined;
  try {
    if (existing !== undefined) {
      const how = { replaced: '', stored: '', isReturning };
      const updated = await replaceRows(withParameters(existing), snapshot, table, existing, how);
      if (updated.affectedRows !== 0) return updated;
      await updated.returned?.release();
    }
    const isThere = sameKey !== undefined && (await hasRows(withParameters(sameKey), snapshot, sameKey));
    if (returning === undefined) {
      if (isThere) return { actions: [], affectedRows: 0 };
      const stored = await storedRow(given, table, row);
      return stored && { actions: [expectSameRows(table), ...stored.actions], affectedRows: 1 };
    }
    return await withHeldExecutable(withParameters(returning), snapshot, returning, async (executable) => {
      const from = isThere ? withoutRows(executable) : executable;
      const { returned } = await changedRows(given, from, storedNames(table));
      if (isThere) return { actions: [], affectedRows: 0, returned };
      const { actions } =
        (await storedRow(given, table, row)) ??
        (await storeAdded(given, executable, table, { rows: 1, row: undefined }));
      return { actions: [expectSameRows(table), ...actions], affectedRows: 1, returned };
    });
  } catch (error) {
    if (query.signal.aborted || retryDecision(error, 'query') !== undefined) throw error;
    return undefined;
  }
}

const withoutRows = (executable: ExecutableQuery): ExecutableQuery => ({
  ...executable,
  sql: `SELECT * FROM (${executable.sql}) AS q WHERE false`,
});

/** The steps of an INSERT … ON CONFLICT of one row of literals; undefined for every other one. */
export async function conflictRowOf(
  { run: { text, request } }: ChangeContext,
  table: TableObject,
  statement: InsertStatement,
  scope: ConflictScope,
): Promise<ConflictRow | undefined> {
  if (!storesRowsAlone(table) || text.length > MOST_CHARACTERS) return undefined;
  const values = await inTurns(plainValues(statement, table, text, request.parameters));
  return values && conflictRow(statement, table, scope, values, text);
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
    const alone = addedAlone(table);
    const { returned, ...changed } = isReturning
      ? await changedRows(context, executable, storedNames(table), alone)
      : await changedOnly(executable, alone);
    const { actions } = await storeAdded(context, executable, table, changed);
    const expected = changed.rows > 0 ? [expectSameRows(table)] : [];
    return { actions: [...expected, ...actions], affectedRows: changed.rows, returned };
  };
  return isReturning
    ? withHeldExecutable(context, snapshot, query, work)
    : withExecutable(context, snapshot, query, work);
}
