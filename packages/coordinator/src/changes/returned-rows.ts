import type { TableObject } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import { quoteName } from '@tessera/kernel';
import type { BoundQuery } from '../read/bound-query.ts';
import type { ChangeContext } from './change-context.ts';

/** The temp table with the rows of a change, positions and new values, and what RETURNING makes of them. */
export const CHANGED = 'changed';

/** The columns of rows that a statement stores, by their stored names. */
export const storedNames = ({ columns }: TableObject): readonly string[] =>
  columns.map(({ storedName }) => storedName);

/** The columns that say where the old rows are. */
export const POSITION_NAMES: readonly string[] = ['$tablet', '$row'];

/** The rows to store, of `CHANGED`. */
export function storedSql({ columns }: TableObject, condition = ''): string {
  const items = columns.map(({ storedName, type }) => {
    const name = quoteName(storedName);
    return `CAST(${name} AS ${type}) AS ${name}`;
  });
  return `SELECT ${items.join(', ')} FROM ${CHANGED} ${condition}`;
}

/**
 * Computes the rows of a change once, with what RETURNING makes of them, into the table `CHANGED` of the query's session.
 * @param head names for the columns before those of RETURNING
 * @returns the query of what RETURNING gives, to be run once the change is committed.
 * @throws TesseraError RESULT_TOO_LARGE; whatever the expressions of RETURNING fail with
 */
export async function changedRows(
  { run }: ChangeContext,
  bound: BoundQuery,
  head: readonly string[],
): Promise<{ readonly rows: number; readonly returned: BoundQuery }> {
  const { session, params, columns } = bound;
  const returned = columns.slice(head.length);
  const names = [...head, ...returned.map((_, i) => returnedName(i))].map(quoteName).join(', ');
  await session.execute(
    `CREATE TEMP TABLE ${CHANGED} AS SELECT * FROM (${bound.sql}) AS q(${names})`,
    params,
  );
  const rows = Number(await session.scalar(`SELECT count(*) FROM ${CHANGED}`));
  const limit = run.request.settings.max_result_rows;
  // Afterwards it would be too late: the rows are committed before the first of them is sent.
  if (limit > 0 && rows > limit) throw TesseraError.of('RESULT_TOO_LARGE', { limit });
  const items = returned.map(({ name }, i) => `${quoteName(returnedName(i))} AS ${quoteName(name)}`);
  const sql = `SELECT ${items.join(', ')} FROM ${CHANGED}`;
  return {
    rows,
    returned: { ...bound, sql, params: [], columns: returned, isKept: false, sequences: undefined },
  };
}

const returnedName = (index: number): string => `$returned${index}`;
