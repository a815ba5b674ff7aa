import type { SeededRandom } from '@tessera/common';
import { WrongAnswer } from '../../load/session.ts';

export const POINTS = 'points';
const CUSTOMERS = 1_000_003;

/** A query for the row with the given id (1 … `rows`), valid in Tessera, DuckDB and PostgreSQL. */
export const pointQuery = (id: number): string => `SELECT * FROM ${POINTS} WHERE id = ${id}`;

/** A query that generates this many rows, for INSERT and COPY. */
export const pointRows = (rows: number): string =>
  `SELECT i AS id, CAST(i % ${CUSTOMERS} AS INT) AS customer, CAST(i AS DOUBLE) / 4 AS amount, 'label ' || CAST(i % 5000 AS VARCHAR) AS label FROM generate_series(1, ${rows}) AS g(i)`;

export const anyPoint = (random: SeededRandom, rows: number): number => random.between(1, rows);

/** @throws WrongAnswer unless the answer is exactly the one row */
export function checkPoint(id: number, found: readonly (readonly unknown[])[]): void {
  const [row] = found;
  if (found.length !== 1 || Number(row![0]) !== id || Number(row![1]) !== id % CUSTOMERS)
    throw new WrongAnswer(`id ${id}: ${JSON.stringify(found)}`);
}
