import type { Action, ObjectId, Snapshot, TableObject } from '@tessera/catalog';
import { type KernelSession, quoteName, quoteText } from '@tessera/kernel';
import {
  type ChangeQuery,
  type DeleteStatement,
  deleteQuery,
  type MergeStatement,
  mergedTwice,
  mergeQuery,
  type UpdateStatement,
  updateQuery,
} from '@tessera/sql';
import { updateReads } from '../authorization/change-requirements.ts';
import { requireTable } from '../catalog/names.ts';
import type { BoundQuery } from '../read/bound-query.ts';
import { boundQuery } from './bound-query.ts';
import type { Change } from './change.ts';
import type { ChangeContext } from './change-context.ts';
import { deleteRows } from './delete-rows.ts';
import { discardTablets } from './discard-tablets.ts';
import { truncate } from './remove-tablets.ts';
import { countRows, type RowPositions, rowPositions } from './row-positions.ts';
import { storeRows } from './store-rows.ts';

const POSITIONS = { rowPositionsOf: 'first relation' } as const;

/** Without a condition no tablet is read. */
export async function deleteFrom(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: DeleteStatement,
): Promise<Change> {
  if (statement.where === undefined && statement.using === undefined) {
    return truncate(context, snapshot, statement);
  }
  const table = requireTable(snapshot, statement.table, context.database);
  const query = deleteQuery(statement, context.run.text);
  const work = async (bound: BoundQuery): Promise<Change> => {
    const positions = await rowPositions(bound.session, bound.sql, bound.params);
    const actions = await deleteRows(context.tables.store, table, targetOf(bound), positions);
    return { actions, affectedRows: countRows(positions) };
  };
  return boundQuery(context, snapshot, query, work, POSITIONS);
}

export async function update(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: UpdateStatement,
): Promise<Change> {
  const table = requireTable(snapshot, statement.table, context.database);
  const query = updateQuery(statement, table, context.run.text);
  return replaceRows(context, snapshot, table, query, {
    replaced: '',
    stored: '',
    blindTarget: updateReads(statement, table) ? undefined : table.id,
  });
}

export async function merge(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: MergeStatement,
): Promise<Change> {
  const table = requireTable(snapshot, statement.table, context.database);
  const query = mergeQuery(statement, table, context.run.text);
  return replaceRows(context, snapshot, table, query, {
    replaced: whereAction('update', 'delete'),
    stored: whereAction('update', 'insert'),
    twice: () => mergedTwice(statement),
  });
}

const whereAction = (...actions: readonly string[]): string =>
  `WHERE "$action" IN (${actions.map(quoteText).join(', ')})`;

interface Replacement {
  /** Condition for the rows whose positions are deleted. */
  readonly replaced: string;
  /** Condition for the rows that are stored. */
  readonly stored: string;
  /** What to say of a row that the query names twice; absent: it names none twice. */
  twice?(): never;
  /** See `BindRequest`. */
  readonly blindTarget?: ObjectId | undefined;
}

/** Old rows are deleted and new ones stored: the query tells both, and runs once. */
function replaceRows(
  context: ChangeContext,
  snapshot: Snapshot,
  table: TableObject,
  query: ChangeQuery,
  { replaced, stored, twice, blindTarget }: Replacement,
): Promise<Change> {
  const work = async (bound: BoundQuery): Promise<Change> => {
    const { session, params } = bound;
    await session.execute(`CREATE TEMP TABLE changed AS ${bound.sql}`, params);
    if (twice !== undefined && (await isTwice(session, replaced))) twice();
    const found = await rowPositions(session, `FROM changed ${replaced}`);
    const { signal } = context.run.query;
    const sql = `SELECT ${table.columns.map(typed).join(', ')} FROM changed ${stored}`;
    const added = await storeRows(context, { session, table, sql, signal });
    const affectedRows = Number(await session.scalar('SELECT count(*) FROM changed'));
    const actions = await removedRows(context, table, bound, found, added.actions);
    return { actions: [...actions, ...added.actions], affectedRows };
  };
  return boundQuery(context, snapshot, query, work, { ...POSITIONS, blindTarget });
}

const typed = ({ storedName, type }: TableObject['columns'][number]): string =>
  `CAST(${quoteName(storedName)} AS ${type}) AS ${quoteName(storedName)}`;

async function removedRows(
  { tables }: ChangeContext,
  table: TableObject,
  bound: BoundQuery,
  positions: RowPositions,
  added: readonly Action[],
): Promise<Action[]> {
  try {
    return await deleteRows(tables.store, table, targetOf(bound), positions);
  } catch (error) {
    await discardTablets(tables, added);
    throw error;
  }
}

/** The tablets that positions count. */
const targetOf = ({ target }: BoundQuery) => target?.tablets ?? [];

async function isTwice(session: KernelSession, replaced: string): Promise<boolean> {
  const groups = `SELECT 1 FROM changed ${replaced} GROUP BY "$tablet", "$row" HAVING count(*) > 1 LIMIT 1`;
  return (await session.scalar(groups)) !== null;
}
