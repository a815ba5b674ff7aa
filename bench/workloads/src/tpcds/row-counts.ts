/**
 * Row counts at the scale factors 1, 10 and 100 of the specification; other scale factors are interpolated
 * linearly.
 */
const DIMENSIONS = {
  call_center: [6, 24, 30],
  catalog_page: [11_718, 12_000, 20_400],
  customer: [100_000, 500_000, 2_000_000],
  customer_address: [50_000, 250_000, 1_000_000],
  item: [18_000, 102_000, 204_000],
  promotion: [300, 500, 1_000],
  reason: [35, 45, 55],
  store: [12, 102, 402],
  warehouse: [5, 10, 15],
  web_page: [60, 200, 2_040],
  web_site: [30, 42, 24],
} as const;

/** The number of orders at scale factor 1; each has several lines. */
const ORDERS = { store: 240_000, catalog: 160_000, web: 60_000 } as const;
const FIXED = {
  customer_demographics: 1_920_800,
  date_dim: 73_049,
  household_demographics: 7_200,
  income_band: 20,
  ship_mode: 20,
  time_dim: 86_400,
} as const;
const MOST = 100;
const LEAST = 0.01;

export type Dimension = keyof typeof DIMENSIONS | keyof typeof FIXED;
export type RowCounts = Readonly<
  Record<Dimension | 'store_orders' | 'catalog_orders' | 'web_orders', number>
>;

/** @throws Error for an unsupported scale */
export function rowCounts(scale: number): RowCounts {
  if (!(scale >= LEAST && scale <= MOST))
    throw new Error(`TPC-DS has no scale ${scale}: from ${LEAST} to ${MOST}`);
  const dimensions = Object.fromEntries(
    Object.entries(DIMENSIONS).map(([name, rows]) => [name, between(rows, scale)]),
  ) as Record<keyof typeof DIMENSIONS, number>;
  return {
    ...FIXED,
    ...dimensions,
    catalog_page: Math.max(FIRST_PAGES, dimensions.catalog_page),
    customer_demographics: Math.min(
      FIXED.customer_demographics,
      Math.round(FIXED.customer_demographics * scale),
    ),
    reason: Math.max(scale < 1 ? Math.round(70 * scale) : 1, dimensions.reason),
    store_orders: Math.round(ORDERS.store * scale),
    catalog_orders: Math.round(ORDERS.catalog * scale),
    web_orders: Math.round(ORDERS.web * scale),
  };
}

const FIRST_PAGES = DIMENSIONS.catalog_page[0];

/** Below scale factor 1, the row count is proportional, but at least 1. */
function between([one, ten, hundred]: readonly [number, number, number], scale: number): number {
  if (scale <= 1) return Math.max(1, Math.floor(one * scale));
  if (scale <= 10) return Math.floor(one + ((ten - one) * (scale - 1)) / 9);
  return Math.floor(ten + ((hundred - ten) * (scale - 10)) / 90);
}
