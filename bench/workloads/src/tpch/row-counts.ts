const BASE = { supplier: 10_000, customer: 150_000, part: 200_000, orders: 1_500_000 } as const;
const LEAST_SCALE = 0.001;
/** Up to this scale, the keys of parts, customers and suppliers fit into 32 bits. */
const GREATEST_SCALE = 10_000;

/** The row counts of a scale. */
export interface RowCounts {
  readonly supplier: number;
  readonly customer: number;
  readonly part: number;
  readonly orders: number;
  readonly clerks: number;
}

/** @throws Error for an unsupported scale */
export function rowCounts(scale: number): RowCounts {
  const thousandths = Math.round(scale * 1000);
  if (!(scale >= LEAST_SCALE && scale <= GREATEST_SCALE) || thousandths / 1000 !== scale)
    throw new Error(
      `TPC-H is made at scales from ${LEAST_SCALE} to ${GREATEST_SCALE} with at most three decimals, not ${scale}`,
    );
  const count = (base: number): number => Math.floor((base * thousandths) / 1000);
  return {
    supplier: count(BASE.supplier),
    customer: count(BASE.customer),
    part: count(BASE.part),
    orders: count(BASE.orders),
    clerks: Math.max(count(1000), 1000),
  };
}
