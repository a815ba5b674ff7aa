import type { TableObject } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import { quoteName } from '@tessera/kernel';
import type { ExecutableQuery } from '../read/executable-query.ts';
import type { ChangeContext } from './change.ts';

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
 * @returns the query of the RETURNING rows, to be run after the change is committed
 * @throws TesseraError RESULT_TOO_LARGE; the errors of the RETURNING expressions
 */
export async function changedRows(
  { run }: ChangeContext,
  executable: ExecutableQuery,
  head: readonly string[],
): Promise<{ readonly rows: number; readonly row: undefined; readonly returned: ExecutableQuery }> {
  const { session, params, columns } = executable;
  const returned = columns.slice(head.length);
  const names = [...head, ...returned.map((_, i) => returnedName(i))].map(quoteName).join(', ');
  await session.createTable(CHANGED, `SELECT * FROM (${executable.sql}) AS q(${names})`, params);
  const rows = Number(await session.scalar(`SELECT count(*) FROM ${CHANGED}`));
  const limit = run.request.settings.max_result_rows;
  // A later check would come too late: the change is committed before its first row is sent.
  if (limit > 0 && rows > limit) throw TesseraError.of('RESULT_TOO_LARGE', { limit });
  const items = returned.map(({ name }, i) => `${quoteName(returnedName(i))} AS ${quoteName(name)}`);
  const sql = `SELECT ${items.join(', ')} FROM ${CHANGED}`;
  return {
    rows,
    row: undefined,
    returned: { ...executable, sql, params: [], columns: returned, isKept: false, sequences: undefined },
  };
}

const returnedName = (index: number): string => `$returned${index}`;
