import { updateReads } from '@tessera/access-control';
import {
  type Action,
  type ObjectId,
  requireChangedTable,
  type Snapshot,
  type TableObject,
} from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import { type KernelSession, quoteText } from '@tessera/kernel';
import {
  type ChangeQuery,
  type DeleteStatement,
  deleteQuery,
  type MergeStatement,
  mergedTwice,
  mergeQuery,
  mergeVisibility,
  type UpdateStatement,
  updateQuery,
} from '@tessera/sql';
import type { ExecutableQuery } from '../read/executable-query.ts';
import type { Change, ChangeContext } from './change.ts';
import { type ChangedRow, onlyRow } from './changed-row.ts';
import { deleteRows } from './delete-rows.ts';
import { describedQuery, withExecutable, withHeldExecutable } from './derived-query.ts';
import { discardTablets } from './discard-tablets.ts';
import { truncate } from './remove-tablets.ts';
import {
  CHANGED,
  type CountedChanges,
  changedRows,
  countedChanges,
  POSITION_NAMES,
  type StoredAlone,
  storedNames,
  storedSql,
} from './returned-rows.ts';
import { countRows, type RowPositions, rowPositions } from './row-positions.ts';
import { type StoredRows, storedRow, storeRows, storesRowsAlone } from './store-rows.ts';

/**
 * @throws TesseraError UNDEFINED_NAME, UNDEFINED_TABLE for names in a WHEN clause of a MERGE that the clause
 * cannot see
 */
export async function refuseInvisible(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: MergeStatement,
): Promise<void> {
  for (const query of mergeVisibility(statement, context.run.text)) {
    try {
      await describedQuery(context, snapshot, query);
    } catch (error) {
      if (error instanceof TesseraError && UNDEFINED.has(error.name)) throw error;
    }
  }
}

const UNDEFINED: ReadonlySet<string> = new Set(['UNDEFINED_NAME', 'UNDEFINED_TABLE']);

export const POSITIONS = { rowPositionsOf: 'first relation' } as const;

/** A DELETE without a condition reads no tablet. */
export async function deleteFrom(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: DeleteStatement,
): Promise<Change> {
  const { where, using, returning } = statement;
  if (where === undefined && using === undefined && returning === undefined) {
    return truncate(context, snapshot, statement);
  }
  const table = requireChangedTable(snapshot, statement.table, context.database);
  const query = deleteQuery(statement, table, context.run.text);
  if (returning !== undefined) return deleteReturning(context, snapshot, table, query);
  const work = async (executable: ExecutableQuery): Promise<Change> => {
    const { session, sql, params } = executable;
    const positions = await rowPositions(session, sql, params, { fewRows: readsFewRows(table, executable) });
    const actions = await deleteRows(context.tables.store, table, targetOf(executable), positions);
    return { actions, affectedRows: countRows(positions) };
  };
  return withExecutable(context, snapshot, query, work, POSITIONS);
}

function deleteReturning(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  query: ChangeQuery,
): Promise<Change> {
  const work = async (executable: ExecutableQuery): Promise<Change> => {
    const { rows, returned } = await changedRows(context, executable, POSITION_NAMES);
    const positions = await rowPositions(executable.session, `FROM ${CHANGED}`);
    const actions = await deleteRows(context.tables.store, table, targetOf(executable), positions);
    return { actions, affectedRows: rows, returned };
  };
  return withHeldExecutable(context, snapshot, query, work, POSITIONS);
}

export async function update(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: UpdateStatement,
): Promise<Change> {
  const table = requireChangedTable(snapshot, statement.table, context.database);
  const query = updateQuery(statement, table, context.run.text);
  return replaceRows(context, snapshot, table, query, {
    replaced: '',
    stored: '',
    blindTarget: updateReads(statement, table) ? undefined : table.id,
    isReturning: statement.returning !== undefined,
  });
}

export async function merge(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: MergeStatement,
): Promise<Change> {
  const table = requireChangedTable(snapshot, statement.table, context.database);
  const query = mergeQuery(statement, table, context.run.text);
  await refuseInvisible(context, snapshot, statement);
  return replaceRows(context, snapshot, table, query, {
    replaced: whereAction('update', 'delete'),
    stored: whereAction('update', 'insert'),
    twice: () => mergedTwice(statement),
  });
}

export const whereAction = (...actions: readonly string[]): string =>
  `WHERE "$action" IN (${actions.map(quoteText).join(', ')})`;

interface Replacement {
  /** The condition for the rows whose positions are deleted. */
  readonly replaced: string;
  /** The condition for the rows that are stored. */
  readonly stored: string;
  /** Throws the error for a row that the query returns twice; absent if that is impossible. */
  twice?(): never;
  /** Whether the columns of RETURNING follow those of the table in the query. */
  readonly isReturning?: boolean;
  /** See `ExecutionOptions`. */
  readonly blindTarget?: ObjectId | undefined;
  /** Whether rows that replace none are stored only because no row of the table has their key. */
  readonly insertsAbsent?: boolean;
}

/** Makes the change conflict with every other change of the table's rows that is committed first. */
export const expectSameRows = ({ id: tableId }: TableObject): Action => ({
  kind: 'expect_same_rows',
  tableId,
});

/** Deletes old rows and stores new ones; a single query, run once, returns both. */
export function replaceRows(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  query: ChangeQuery,
  { replaced, stored, twice, isReturning = false, blindTarget, insertsAbsent = false }: Replacement,
): Promise<Change> {
  const positionNames = replaced === '' ? POSITION_NAMES : [...POSITION_NAMES, '$action'];
  const work = async (executable: ExecutableQuery): Promise<Change> => {
    const { session } = executable;
    const isPlain = !isReturning && replaced === '';
    if (isPlain && readsLittle(table, executable)) {
      const { sql, params } = executable;
      const only = await onlyRow({ session, from: `(${sql})`, params }, table);
      if (only?.isEmpty === true) return { actions: [], affectedRows: 0 };
      const change = await replacedRow(context, table, executable, only?.row);
      if (change !== undefined) return change;
    }
    const alone = replaced === '' ? { table, from: CHANGED } : undefined;
    const changed = isReturning
      ? await changedRows(context, executable, [...positionNames, ...storedNames(table)], alone)
      : await changedOnly(executable, alone);
    const change = await replacedRow(context, table, executable, changed.row);
    if (change !== undefined) return { ...change, returned: changed.returned };
    if (twice !== undefined && (await isTwice(session, replaced))) twice();
    const found = await rowPositions(session, `FROM ${CHANGED} ${replaced}`);
    const { signal } = context.run.query;
    const added = await storeRows(context, { session, table, sql: storedSql(table, stored), signal });
    const actions = await removedRows(context, table, executable, found, added.actions);
    const { rows: affectedRows, returned } = changed;
    const expected = insertsAbsent && affectedRows > countRows(found) ? [expectSameRows(table)] : [];
    return { actions: [...expected, ...actions, ...added.actions], affectedRows, returned };
  };
  const options = { ...POSITIONS, blindTarget };
  return isReturning
    ? withHeldExecutable(context, snapshot, query, work, options)
    : withExecutable(context, snapshot, query, work, options);
}

/** `changedRows` without RETURNING. */
export async function changedOnly({ session, sql, params }: ExecutableQuery, alone?: StoredAlone) {
  await session.createTable(CHANGED, sql, params);
  return { returned: undefined, ...(await countedChanges(session, alone)) };
}

/** How the only row that a change adds is read: it replaces no other. */
export const addedAlone = (table: TableObject): StoredAlone => ({
  table,
  from: `(SELECT 0 AS "$tablet", 0 AS "$row", * FROM ${CHANGED}) AS added`,
});

/** Stores the rows of `CHANGED`, which replace no others. */
export async function storeAdded(
  context: ChangeContext,
  { session }: ExecutableQuery,
  table: TableObject,
  { row }: CountedChanges,
): Promise<StoredRows> {
  const stored = row && (await storedRow(context, table, row.values));
  if (stored !== undefined) return stored;
  return storeRows(context, { session, table, sql: storedSql(table), signal: context.run.query.signal });
}

/** A query that reads at most this many rows may run twice. */
const FEW_ROWS = 262_144;

/**
 * Whether an UPDATE should look for two rows first, in one step of the kernel: if it finds only one, as an UPDATE by key
 * does, that row needs no table of changed rows and is stored without the kernel.
 */
function readsLittle(table: TableObject, executable: ExecutableQuery): boolean {
  const { tables, files, sequences } = executable;
  if (!storesRowsAlone(table) || sequences !== undefined || tables.length > 1 || files.length > 0)
    return false;
  return readsFewRows(table, executable);
}

function readsFewRows(table: TableObject, executable: ExecutableQuery): boolean {
  let rows = 0;
  for (const { tablet, granules } of targetOf(executable))
    rows += Math.min(tablet.rows, (granules?.length ?? tablet.granules) * table.indexGranularity);
  return rows <= FEW_ROWS;
}

/** Replaces a single row without the kernel; undefined if there is none or the kernel has to store it. */
async function replacedRow(
  context: ChangeContext,
  table: TableObject,
  executable: ExecutableQuery,
  row: ChangedRow | undefined,
): Promise<Change | undefined> {
  const stored = row && (await storedRow(context, table, row.values));
  if (row === undefined || stored === undefined) return undefined;
  const positions = new Map([[row.tablet, [Uint32Array.of(row.row)]]]);
  const actions = await removedRows(context, table, executable, positions, stored.actions);
  return { actions: [...actions, ...stored.actions], affectedRows: 1 };
}

async function removedRows(
  { tables }: ChangeContext,
  table: TableObject,
  executable: ExecutableQuery,
  positions: RowPositions,
  added: readonly Action[],
): Promise<Action[]> {
  try {
    return await deleteRows(tables.store, table, targetOf(executable), positions);
  } catch (error) {
    await discardTablets(tables, added);
    throw error;
  }
}

/** The tablets that the positions refer to. */
const targetOf = ({ target }: ExecutableQuery) => target?.tablets ?? [];

async function isTwice(session: KernelSession, replaced: string): Promise<boolean> {
  const groups = `SELECT 1 FROM ${CHANGED} ${replaced} GROUP BY "$tablet", "$row" HAVING count(*) > 1 LIMIT 1`;
  return (await session.scalar(groups)) !== null;
}
