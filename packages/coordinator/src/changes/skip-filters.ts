import type { Action, TableObject, Tablet } from '@tessera/catalog';
import type { Kernel, KernelSession } from '@tessera/kernel';
import { quoteName } from '@tessera/kernel';
import { discardTablets, storeInOneTablet } from '@tessera/storage-agent';
import {
  bloomBits,
  bloomFilterSql,
  GRANULE_COLUMN,
  HASH_IDENTITY_SQL,
  HASHES_COLUMN,
  type HybridHeader,
  valueSetSql,
} from '@tessera/tablet';
import { sessionOptions } from '../objects/session-options.ts';
import { partialsTable } from '../read/index-coverage.ts';
import { type FilterIndex, filteredColumns } from '../read/skip-indexes.ts';
import type { Settings } from '../request/settings.ts';
import type { TableServices } from '../tables.ts';

export interface FiltersContext {
  readonly tables: TableServices;
  readonly kernel: Kernel;
  readonly settings: Settings;
  readonly signal: AbortSignal;
}

/**
 * Computes the filters of a skip index for tablets that have none. Tablets that are stored in the commit itself get none,
 * because reading them costs no more than reading their filters.
 * @returns the actions that add them
 */
export async function filtersOf(
  context: FiltersContext,
  table: TableObject,
  index: FilterIndex,
  tablets: readonly Tablet[],
): Promise<readonly Action[]> {
  const worth = tablets.filter(({ inline }) => inline === undefined);
  if (worth.length === 0) return [];
  const { kernel, settings, signal } = context;
  const session = await kernel.session({ ...sessionOptions(settings), timeZone: 'UTC', signal });
  try {
    const actions: Action[] = [];
    for (const tablet of worth) {
      const filters = await filtersOfTablet(context, session, table, index, tablet);
      if (filters !== undefined) actions.push({ kind: 'add_tablet', tablet: filters });
    }
    return actions;
  } finally {
    await session.close();
  }
}

/** Undefined if the filters cannot be computed; queries then read all granules of the tablet. */
async function filtersOfTablet(
  { tables, signal }: FiltersContext,
  session: KernelSession,
  table: TableObject,
  index: FilterIndex,
  tablet: Tablet,
): Promise<Tablet | undefined> {
  const columns = filteredColumns(table, index);
  let stored: readonly Tablet[] = [];
  try {
    const header = await tables.agent.header(table, tablet, signal);
    const granule = granuleSql(header);
    if (granule === undefined) return undefined;
    const scan = await tables.agent.prepareScan({
      session,
      table,
      tablets: [{ tablet }],
      columns: columns.map(({ of }) => of.id),
      rowPositions: true,
      once: true,
      signal,
    });
    try {
      const filters = columns.map(({ of, name }) => {
        const column = quoteName(of.name);
        const { filter } = index;
        const sql =
          filter.kind === 'set'
            ? valueSetSql(column, filter.maxValues)
            : bloomFilterSql(
                column,
                bloomBits(distinctValues(tablet, header, of.id), Number(filter.falsePositiveRate)),
              );
        return `${sql} AS ${quoteName(name)}`;
      });
      const sql = `SELECT ${granule} AS ${GRANULE_COLUMN}, ${HASH_IDENTITY_SQL} AS ${HASHES_COLUMN}, ${filters.join(', ')}
        FROM ${scan.sql} GROUP BY ${granule}`;
      stored = await storeInOneTablet(tables, { session, table: partialsTable(table, index), sql, signal });
    } finally {
      scan.release();
    }
  } catch {
    // The index is an aid: rows are stored even if their filters cannot be computed.
    return undefined;
  }
  const [filters, ...more] = stored;
  if (filters !== undefined && more.length === 0) {
    return { ...filters, partialOf: { tableId: table.id, tabletId: tablet.id } };
  }
  await discardTablets(tables, stored);
  return undefined;
}

/** SQL of a row's granule. All granules but the last one have the same number of rows; undefined if they do not. */
function granuleSql({ granuleRows }: HybridHeader): string | undefined {
  const [rows = 1] = granuleRows;
  const last = granuleRows.length - 1;
  if (granuleRows.slice(0, last).some((one) => one !== rows)) return undefined;
  return `CAST(least("$row" // ${rows}, ${last}) AS INTEGER)`;
}

/** An upper bound of the number of distinct values that a granule has. */
function distinctValues({ statistics }: Tablet, { granuleRows }: HybridHeader, column: number): number {
  return statistics.find((one) => one.column === column)?.distinct ?? Math.max(...granuleRows);
}
