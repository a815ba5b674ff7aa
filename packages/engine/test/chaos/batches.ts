import type { SeededRandom } from '@tessera/common';
import { type Place, read, untilDone } from './client.ts';

const ROWS = 3;
const DELETE_EVERY = 4;

export const BATCH_TABLES = [
  'CREATE TABLE batches (client TEXT NOT NULL, batch INT NOT NULL, item INT NOT NULL) PRIMARY INDEX client, batch',
  // Tablets that VACUUM has merged are large enough for partial rows.
  'CREATE AGGREGATING INDEX by_client ON batches (client, count(*), sum(batch), max(item))',
];

/**
 * Batches of rows that are inserted atomically under one query id, which is repeated until it is answered;
 * some are deleted again.
 */
export class Batches {
  readonly #client: string;
  readonly #written = new Set<number>();
  readonly #deleted = new Set<number>();
  /** Batches whose outcome is unknown. */
  readonly #open = new Set<number>();
  #next = 0;

  constructor(client: string) {
    this.#client = client;
  }

  async step(place: Place, random: SeededRandom): Promise<void> {
    if (this.#next % DELETE_EVERY === DELETE_EVERY - 1 && this.#written.size > 0) {
      const batch = [...this.#written][random.between(0, this.#written.size - 1)]!;
      await this.#delete(place, batch);
    }
    await this.#insert(place, this.#next++);
  }

  async #insert(place: Place, batch: number): Promise<void> {
    this.#open.add(batch);
    const values = Array.from({ length: ROWS }, (_, item) => `('${this.#client}', ${batch}, ${item})`);
    const sql = `INSERT INTO batches VALUES ${values.join(', ')}`;
    const done = await untilDone(place, sql, `${this.#client}-insert-${batch}`);
    if (done === undefined) return;
    this.#open.delete(batch);
    this.#written.add(batch);
  }

  async #delete(place: Place, batch: number): Promise<void> {
    this.#written.delete(batch);
    this.#open.add(batch);
    const sql = `DELETE FROM batches WHERE client = '${this.#client}' AND batch = ${batch}`;
    const done = await untilDone(place, sql, `${this.#client}-delete-${batch}`);
    if (done === undefined) return;
    this.#open.delete(batch);
    this.#deleted.add(batch);
  }

  /** Checks that the aggregating index and the rows, which answer one half of the query each, say the same. */
  async #auditIndex(place: Place): Promise<string[]> {
    const mine = `FROM batches WHERE client = '${this.#client}'`;
    const found = await read(
      place,
      `SELECT * FROM (SELECT count(*), sum(batch) ${mine}) AS i, (SELECT count(item + 0), sum(batch + 0) ${mine}) AS r`,
    );
    const [count, sum, countOfRows, sumOfRows] = found?.[0] ?? [];
    return count === countOfRows && sum === sumOfRows
      ? []
      : [`the index of batches has ${count} rows, ${sum}; the table ${countOfRows}, ${sumOfRows}`];
  }

  async audit(place: Place): Promise<string[]> {
    const written = [...this.#written];
    const deleted = [...this.#deleted];
    const found = await read(
      place,
      `SELECT batch, count(*), count(DISTINCT item) FROM batches WHERE client = '${this.#client}' GROUP BY batch`,
    );
    if (found === undefined) return [];
    const problems = await this.#auditIndex(place);
    const there = new Set<number>();
    for (const [batch, rows, items] of found) {
      there.add(Number(batch));
      if (Number(rows) !== ROWS || Number(items) !== ROWS) {
        problems.push(`batch ${this.#client} ${batch} has ${rows} rows, ${items} items, in place of ${ROWS}`);
      }
    }
    for (const batch of written) {
      // Another audit step may have begun to delete it meanwhile.
      if (!there.has(batch) && this.#written.has(batch))
        problems.push(`batch ${this.#client} ${batch} was written and is lost`);
    }
    for (const batch of deleted) {
      if (there.has(batch)) problems.push(`batch ${this.#client} ${batch} was deleted and is there`);
    }
    return problems;
  }
}
