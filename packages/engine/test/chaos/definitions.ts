import { type Place, read, untilDone } from './client.ts';

/**
 * Creates, fills, alters, renames and drops tables, each step under a query id of its own, and checks that
 * each step is atomic.
 */
export class Definitions {
  readonly #client: string;
  #next = 0;

  constructor(client: string) {
    this.#client = client;
  }

  async step(place: Place): Promise<string[]> {
    const n = this.#next++;
    const [name, renamed] = [`${this.#client}_t${n}`, `${this.#client}_r${n}`];
    const steps = [
      `CREATE TABLE ${name} AS SELECT i AS id, i * 2 AS twice FROM generate_series(1, 5) AS g(i)`,
      `ALTER TABLE ${name} ADD COLUMN more INT DEFAULT 7`,
      `ALTER TABLE ${name} RENAME TO ${renamed}`,
      `INSERT INTO ${renamed} VALUES (6, 12, 8)`,
    ];
    for (const [i, sql] of steps.entries()) {
      if ((await untilDone(place, sql, `${this.#client}-${n}-${i}`)) === undefined) return [];
    }
    const found = await read(place, `SELECT count(*), sum(id), sum(twice), sum(more) FROM ${renamed}`);
    const problems =
      found === undefined || found[0]!.map(Number).join() === '6,21,42,43'
        ? []
        : [`table ${renamed} holds ${found[0]!.join(', ')}`];
    await untilDone(place, `DROP TABLE ${renamed}`, `${this.#client}-${n}-drop`);
    return problems;
  }

  /** Checks that dropped tables are not listed. */
  async audit(place: Place): Promise<string[]> {
    const finished = this.#next - 1;
    const found = await read(
      place,
      `SELECT table_name FROM information_schema.tables WHERE table_name LIKE '${this.#client}%'`,
    );
    return (found ?? [])
      .map(([name]) => String(name))
      .filter((name) => Number(/\d+$/.exec(name)?.[0]) < finished)
      .map((name) => `table ${name} was dropped or renamed and is there`);
  }
}
