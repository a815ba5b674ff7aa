import type { Action, TableObject, Tablet } from '@tessera/catalog';
import { traced } from '@tessera/common';
import { type KernelParams, type KernelSession, quoteName } from '@tessera/kernel';
import { checkRefused, fits, fittedSql } from '@tessera/sql';
import { storeTablets } from '@tessera/storage-agent';
import { type RowValue, rowTablet } from '@tessera/tablet';
import {
  checkConditions,
  checksOf,
  type DefinitionContext,
  partitionExpressions,
} from '../objects/definition-check.ts';
import type { Settings } from '../request/settings.ts';
import type { TableServices } from '../tables.ts';
import { refuseNulls } from './refuse-nulls.ts';

export interface RowsToStore {
  readonly session: KernelSession;
  readonly table: TableObject;
  /** A query of the kernel: the table's columns by their stored names, in order, with their types. */
  readonly sql: string;
  readonly params?: KernelParams;
  /** See `WriteOptions`. */
  readonly isSorted?: boolean;
  /** Whether NULLs in NOT NULL columns must be detected here; otherwise the query detects them. */
  readonly countsNulls?: boolean;
  /** Whether the rows are already in the table, so that its CHECK constraints need not be evaluated again. */
  readonly areInTable?: boolean;
  readonly signal: AbortSignal;
}

export interface StoredRows {
  readonly actions: readonly Action[];
  readonly rows: number;
}

export interface StoreContext extends DefinitionContext {
  readonly tables: TableServices;
  readonly settings: Settings;
}

/** Stores the rows of a query as tablets that no commit refers to yet; see `storeTablets`. */
export async function storeRows(context: StoreContext, rows: RowsToStore): Promise<StoredRows> {
  const { tables, settings } = context;
  const { countsNulls, areInTable, sql, ...query } = rows;
  const { table, session } = rows;
  const checked = areInTable ? sql : (await checkedRows(context, session, table))(sql);
  const partitionSql = await partitionsOf(context, session, table);
  return traced('write rows', {}, async (span) => {
    const tablets = await storeTablets(tables, {
      ...query,
      sql: checked,
      partitionSql,
      minBytes: settings.tablet_min_size_bytes,
      maxBytes: settings.tablet_max_size_bytes,
      check: countsNulls ? (tablet) => refuseNulls(table, tablet) : undefined,
    });
    const stored = storedRows(tablets);
    span?.set({ 'tessera.rows': stored.rows });
    return stored;
  });
}

/** Whether rows of the table can be stored without expressions that the kernel evaluates. */
export const storesRowsAlone = (table: TableObject): boolean =>
  checksOf(table).length === 0 && table.partitionBy.length === 0 && table.columns.length <= MAX_ALONE_COLUMNS;

/** A row of more columns has no room in a commit. */
const MAX_ALONE_COLUMNS = 512;

/** Stores one row without the kernel, in the commit. Undefined if the table or the size of the row requires the kernel. */
export async function storedRow(
  { tables }: Pick<StoreContext, 'tables'>,
  table: TableObject,
  values: readonly RowValue[],
): Promise<StoredRows | undefined> {
  if (!storesRowsAlone(table)) return undefined;
  if (!table.columns.every(({ declared }, i) => fits(declared, values[i] ?? null))) return undefined;
  const tablet = await rowTablet(table, values, tables.header);
  return tablet && storedRows([tablet]);
}

/**
 * Wraps a query of rows to store so that it fails for a row that violates a CHECK constraint of the table, and so that values
 * have the lengths and digits that its columns declare.
 * The conditions are in the select list, because a filter might be evaluated for rows that an inner filter
 * removes.
 */
export async function checkedRows(
  context: DefinitionContext,
  session: KernelSession,
  table: TableObject,
): Promise<(sql: string) => string> {
  const fitted = fittedRows(table);
  const checks = checksOf(table);
  if (checks.length === 0) return fitted;
  const conditions = await checkConditions(context, session, table);
  const [first, ...others] = table.columns.map(({ storedName }) => quoteName(storedName));
  const cases = conditions.map(
    ({ sql }, i) => `WHEN NOT (${sql}) THEN ${checkRefused(table.name, checks[i]!.name)}`,
  );
  const checked = `CASE ${cases.join(' ')} ELSE ${first} END AS ${first}`;
  return (sql) => `SELECT ${[checked, ...others].join(', ')} FROM (${fitted(sql)})`;
}

function fittedRows({ name: table, columns }: TableObject): (sql: string) => string {
  let isPlain = true;
  const items = columns.map((column) => {
    const name = quoteName(column.storedName);
    const fitted = fittedSql(table, column, name);
    isPlain &&= fitted === undefined;
    return fitted === undefined ? name : `${fitted} AS ${name}`;
  });
  return (sql) => (isPlain ? sql : `SELECT ${items.join(', ')} FROM (${sql})`);
}

/** SQL of the kernel over the stored names. */
export async function partitionsOf(
  context: DefinitionContext,
  session: KernelSession,
  table: TableObject,
): Promise<readonly string[]> {
  if (table.partitionBy.length === 0) return [];
  return (await partitionExpressions(context, session, table)).map(({ sql }) => sql);
}

export const storedRows = (tablets: readonly Tablet[]): StoredRows => ({
  actions: tablets.map((tablet): Action => ({ kind: 'add_tablet', tablet })),
  rows: tablets.reduce((sum, tablet) => sum + tablet.rows, 0),
});
