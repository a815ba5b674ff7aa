import { NATIONS, REGIONS } from './distributions.ts';
import { makeLineItems } from './line-items.ts';
import { makeOrders } from './orders.ts';
import { makePartSuppliers, makeParts } from './parts.ts';
import { makeCustomers, makeNations, makeRegions, makeSuppliers } from './people.ts';
import type { RowCounts } from './row-counts.ts';
import type { RowMaker } from './row-maker.ts';
import type { TpchTableName } from './tables.ts';

interface TableMaking {
  readonly make: RowMaker;
  /** The number of units that the range of `make` counts. */
  units(counts: RowCounts): number;
  /** The number of units in one row group, which has about 120,000 rows. */
  readonly unitsPerGroup: number;
}

export const MAKING: Readonly<Record<TpchTableName, TableMaking>> = {
  region: { make: makeRegions, units: () => REGIONS.length, unitsPerGroup: REGIONS.length },
  nation: { make: makeNations, units: () => NATIONS.length, unitsPerGroup: NATIONS.length },
  supplier: { make: makeSuppliers, units: (counts) => counts.supplier, unitsPerGroup: 120_000 },
  customer: { make: makeCustomers, units: (counts) => counts.customer, unitsPerGroup: 120_000 },
  part: { make: makeParts, units: (counts) => counts.part, unitsPerGroup: 120_000 },
  partsupp: { make: makePartSuppliers, units: (counts) => counts.part, unitsPerGroup: 30_000 },
  orders: { make: makeOrders, units: (counts) => counts.orders, unitsPerGroup: 120_000 },
  lineitem: { make: makeLineItems, units: (counts) => counts.orders, unitsPerGroup: 30_000 },
};
