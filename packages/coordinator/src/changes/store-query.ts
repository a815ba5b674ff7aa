import type { TableObject, Tablet } from '@tessera/catalog';
import { tabletOfRow } from '@tessera/distexec';
import type { KernelSession } from '@tessera/kernel';
import { discardTablets } from '@tessera/storage-agent';
import type { ExecutableQuery, RowStorage } from '../read/executable-query.ts';
import { refuseNulls } from './refuse-nulls.ts';
import {
  checkedRows,
  partitionsOf,
  type StoreContext,
  type StoredRows,
  storedRows,
  storeRows,
} from './store-rows.ts';

export interface QueryToStore {
  readonly table: TableObject;
  /** Wraps the SQL of the query so that it has the form of `RowsToStore.sql`. */
  rows(sql: string): string;
  /** See `RowsToStore`. */
  readonly countsNulls?: boolean;
}

/** The inputs with which nodes store the rows of a query where they compute them. */
export async function storageOf(
  context: StoreContext,
  { table, rows }: QueryToStore,
  session: KernelSession,
): Promise<RowStorage> {
  const { tablet_min_size_bytes: minBytes, tablet_max_size_bytes: maxBytes } = context.settings;
  const checked = await checkedRows(context, session, table);
  return {
    rows: (sql) => checked(rows(sql)),
    sink: { table, partitionSql: await partitionsOf(context, session, table), minBytes, maxBytes },
  };
}

/**
 * Stores the rows of an executable query, unless nodes have already stored them. No commit refers to the tablets
 * yet.
 */
export async function storeQuery(
  context: StoreContext,
  { session, sql, params, isStored }: Pick<ExecutableQuery, 'session' | 'sql' | 'params' | 'isStored'>,
  { table, rows, countsNulls = false }: QueryToStore,
  signal: AbortSignal,
): Promise<StoredRows> {
  if (isStored !== true) {
    return storeRows(context, { session, table, sql: rows(sql), params, countsNulls, signal });
  }
  const tablets = await tabletsOf(session, sql);
  try {
    if (countsNulls) for (const tablet of tablets) refuseNulls(table, tablet);
  } catch (error) {
    await discardTablets(context.tables, tablets);
    throw error;
  }
  return storedRows(tablets);
}

async function tabletsOf(session: KernelSession, sql: string): Promise<readonly Tablet[]> {
  const list = await session.scalar(`SELECT CAST(to_json(list(tablet)) AS VARCHAR) FROM (${sql})`);
  return list === null ? [] : (JSON.parse(list as string) as string[]).map(tabletOfRow);
}
