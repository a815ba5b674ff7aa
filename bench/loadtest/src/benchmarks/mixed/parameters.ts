/** The parameters of the process of readers and writers. */
export interface MixedParameters {
  readonly url: string;
  readonly table: string;
  readonly seed: number;
  /** The number of batches that exist before. */
  readonly batches: number;
}

/** The rows of a batch. Their amounts always add up to zero, whatever was done to the batch. */
export const BATCH_ROWS = 50;

/** Batches `from` … `to`, as a query. */
export const batchRows = (from: number, to: number): string =>
  `SELECT b AS batch, i AS item, CAST(CASE WHEN i % 2 = 0 THEN b % 1000 ELSE -(b % 1000) END AS BIGINT) AS amount, 'item ' || CAST(i AS TEXT) AS note FROM generate_series(${from}, ${to}) AS batches(b), generate_series(1, ${BATCH_ROWS}) AS items(i)`;
