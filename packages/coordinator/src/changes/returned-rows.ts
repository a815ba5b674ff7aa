import type { TableObject } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import { type KernelSession, quoteName } from '@tessera/kernel';
import type { ExecutableQuery } from '../read/executable-query.ts';
import type { ChangeContext } from './change.ts';
import { type ChangedRow, onlyRow } from './changed-row.ts';
import { storesRowsAlone } from './store-rows.ts';

/** The temp table with the rows of a change: positions, new values, and the RETURNING items. */
export const CHANGED = 'changed';

/** The columns of the rows that a statement stores, by their stored names. */
export const storedNames = ({ columns }: TableObject): readonly string[] =>
  columns.map(({ storedName }) => storedName);

/** The columns that identify the positions of the old rows. */
export const POSITION_NAMES: readonly string[] = ['$tablet', '$row'];

/** The query of the rows to store, over `CHANGED`. */
export function storedSql({ columns }: TableObject, condition = ''): string {
  const items = columns.map(({ storedName, type }) => {
    const name = quoteName(storedName);
    return `CAST(${name} AS ${type}) AS ${name}`;
  });
  return `SELECT ${items.join(', ')} FROM ${CHANGED} ${condition}`;
}

/**
 * Computes the rows of a change once, with their RETURNING items, into the table `CHANGED` of the query's
 * session.
 * @param head the names of the columns before those of RETURNING
 * @param alone see `countedChanges`
 * @returns the query of the RETURNING rows, to be run after the change is committed
 * @throws TesseraError RESULT_TOO_LARGE; the errors of the RETURNING expressions
 */
export async function changedRows(
  { run }: ChangeContext,
  executable: ExecutableQuery,
  head: readonly string[],
  alone?: StoredAlone,
): Promise<CountedChanges & { readonly returned: ExecutableQuery }> {
  const { session, params, columns } = executable;
  const returned = columns.slice(head.length);
  const names = [...head, ...returned.map((_, i) => returnedName(i))].map(quoteName).join(', ');
  await session.createTable(CHANGED, `SELECT * FROM (${executable.sql}) AS q(${names})`, params);
  const counted = await countedChanges(session, alone);
  const { rows } = counted;
  const limit = run.request.settings.max_result_rows;
  // A later check would come too late: the change is committed before its first row is sent.
  if (limit > 0 && rows > limit) throw TesseraError.of('RESULT_TOO_LARGE', { limit });
  const items = returned.map(({ name }, i) => `${quoteName(returnedName(i))} AS ${quoteName(name)}`);
  const sql = `SELECT ${items.join(', ')} FROM ${CHANGED}`;
  return {
    ...counted,
    returned: { ...executable, sql, params: [], columns: returned, isKept: false, sequences: undefined },
  };
}

/** How a change stores its only row without the kernel. */
export interface StoredAlone {
  readonly table: TableObject;
  /** `CHANGED`, or a query over it that adds the columns `"$tablet"` and `"$row"`. */
  readonly from: string;
}

export interface CountedChanges {
  readonly rows: number;
  /** The only row, if it is the only one and can be stored without the kernel. */
  readonly row: ChangedRow | undefined;
}

/** Counts the rows of `CHANGED`. @param alone says how the only row is read in the same step */
export async function countedChanges(session: KernelSession, alone?: StoredAlone): Promise<CountedChanges> {
  if (alone !== undefined && storesRowsAlone(alone.table)) {
    const only = await onlyRow({ session, from: alone.from }, alone.table);
    if (only?.isEmpty === true) return { rows: 0, row: undefined };
    if (only?.row !== undefined) return { rows: 1, row: only.row };
  }
  return { rows: Number(await session.scalar(`SELECT count(*) FROM ${CHANGED}`)), row: undefined };
}

const returnedName = (index: number): string => `$returned${index}`;
