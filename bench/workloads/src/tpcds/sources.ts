import { Random } from '../generate/random.ts';
import type { OpenSource, Value } from '../generate/source.ts';
import type { WorkloadColumn } from '../workload.ts';
import { dateRow, timeRow } from './calendar.ts';
import { catalogReturns, catalogSales } from './catalog-channel.ts';
import { customerAddressRow, customerRow } from './customers.ts';
import { customerDemographicsRow, householdDemographicsRow, incomeBandRow } from './demographics.ts';
import { inventoryRow, inventoryRows } from './inventory.ts';
import { itemRow } from './items.ts';
import { catalogPageRow, promotionRow, reasonRow, shipModeRow } from './lists.ts';
import { callCenterRow, storeRow, warehouseRow, webPageRow, webSiteRow } from './outlets.ts';
import { type Dimension, type RowCounts, rowCounts } from './row-counts.ts';
import { type TpcdsTableName, tableOf } from './schema.ts';
import { storeReturns, storeSales } from './store-channel.ts';
import { webReturns, webSales } from './web-channel.ts';

const ROWS_PER_GROUP = 100_000;
const ORDERS_PER_GROUP = 4_000;
const NULL_SALT = 0xd1;
/** A bound on the number of lines of an order. */
const LINES = 32;

type Emit = (row: readonly Value[]) => void;

interface Maker {
  readonly units: (counts: RowCounts) => number;
  readonly unitsPerGroup: number;
  readonly rows: (unit: number, counts: RowCounts, emit: Emit) => void;
}

const rows = (
  units: Dimension | ((counts: RowCounts) => number),
  row: (place: number, counts: RowCounts) => readonly Value[],
): Maker => ({
  units: typeof units === 'string' ? (counts) => counts[units] : units,
  unitsPerGroup: ROWS_PER_GROUP,
  rows: (unit, counts, emit) => emit(row(unit, counts)),
});

const lines = (units: 'store_orders' | 'catalog_orders' | 'web_orders', make: Maker['rows']): Maker => ({
  units: (counts) => counts[units],
  unitsPerGroup: ORDERS_PER_GROUP,
  rows: make,
});

const MAKERS: Readonly<Record<TpcdsTableName, Maker>> = {
  call_center: rows('call_center', callCenterRow),
  catalog_page: rows('catalog_page', catalogPageRow),
  catalog_returns: lines('catalog_orders', catalogReturns),
  catalog_sales: lines('catalog_orders', catalogSales),
  customer: rows('customer', customerRow),
  customer_address: rows('customer_address', customerAddressRow),
  customer_demographics: rows('customer_demographics', customerDemographicsRow),
  date_dim: rows('date_dim', dateRow),
  household_demographics: rows('household_demographics', householdDemographicsRow),
  income_band: rows('income_band', incomeBandRow),
  inventory: rows(inventoryRows, inventoryRow),
  item: rows('item', itemRow),
  promotion: rows('promotion', promotionRow),
  reason: rows('reason', reasonRow),
  ship_mode: rows('ship_mode', shipModeRow),
  store: rows('store', storeRow),
  store_returns: lines('store_orders', storeReturns),
  store_sales: lines('store_orders', storeSales),
  time_dim: rows('time_dim', timeRow),
  warehouse: rows('warehouse', warehouseRow),
  web_page: rows('web_page', webPageRow),
  web_returns: lines('web_orders', webReturns),
  web_sales: lines('web_orders', webSales),
  web_site: rows('web_site', webSiteRow),
};

/**
 * The fraction of rows that lack some values: in such a row, each nullable column is NULL with probability 1/2.
 */
const LACKING: Readonly<Partial<Record<TpcdsTableName, number>>> = {
  call_center: 0.01,
  catalog_page: 0.02,
  catalog_returns: 0.04,
  catalog_sales: 0.01,
  customer: 0.065,
  customer_address: 0.06,
  inventory: 0.1,
  item: 0.005,
  promotion: 0.07,
  store: 0.01,
  store_returns: 0.07,
  store_sales: 0.09,
  warehouse: 0.01,
  web_page: 0.025,
  web_returns: 0.1,
  web_sales: 0.0005,
  web_site: 0.01,
};

export const openSource: OpenSource = (table, scale) => {
  const counts = rowCounts(scale);
  const { columns } = tableOf(table);
  const { units, unitsPerGroup, rows } = MAKERS[table as TpcdsTableName];
  return {
    units: units(counts),
    unitsPerGroup,
    columns,
    rows: (unit, emit) => rows(unit, counts, lackingSome(table as TpcdsTableName, columns, unit, emit)),
  };
};

const random = new Random();

function lackingSome(
  table: TpcdsTableName,
  columns: readonly WorkloadColumn[],
  unit: number,
  emit: Emit,
): Emit {
  const share = LACKING[table];
  if (share === undefined) return emit;
  const salt = NULL_SALT + columns.length * 256 + table.length;
  let line = 0;
  return (row) => {
    random.sow(salt, unit * LINES + line++);
    if (!random.chance(share)) return emit(row);
    emit(row.map((value, place) => (columns[place]!.nullable && random.chance(0.5) ? null : value)));
  };
}
