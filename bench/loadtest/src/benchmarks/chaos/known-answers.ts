import type { SeededRandom } from '@tessera/common';
import { WrongAnswer } from '../../load/session.ts';
import type { PlainDuckDb } from '../../processes/plain-duckdb.ts';
import type { Client } from './client.ts';

const TABLE = 'facts';
const GROUPS = 997;
/** Settings with which all nodes take part, however small the table is. */
const SPREAD = 'min_distributed_bytes = 0, whole_table_bytes = 0, broadcast_limit_bytes = 0';

const rowsOf = (rows: number): string =>
  `SELECT i AS id, i * 7919 % ${rows} + 1 AS other, i * 104729 % ${GROUPS} AS v FROM generate_series(1, ${rows}) AS g(i)`;

const QUERIES = [
  `SELECT count(*), sum(v), min(id), max(id) FROM ${TABLE}`,
  `SELECT v % 7 AS remainder, count(*), sum(id) FROM ${TABLE} GROUP BY 1 ORDER BY 1`,
  `SELECT count(*), sum(a.v), sum(b.id) FROM ${TABLE} AS a JOIN ${TABLE} AS b ON a.other = b.id WHERE a.v < 500`,
  `SELECT other % 1000 AS g, count(DISTINCT v) FROM ${TABLE} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20`,
];

interface KnownAnswer {
  readonly sql: string;
  /** The expected result as JSON. */
  readonly answer: string;
}

/** Queries over a table that nobody changes, with the results of plain DuckDB. */
export class KnownAnswers {
  readonly #all: readonly KnownAnswer[];

  private constructor(all: readonly KnownAnswer[]) {
    this.#all = all;
  }

  /** Creates the table in the cluster and computes the expected results. */
  static async prepare(
    run: (sql: string) => Promise<unknown>,
    duckdb: PlainDuckDb,
    rows: number,
  ): Promise<KnownAnswers> {
    await run(
      `CREATE TABLE ${TABLE} (id BIGINT NOT NULL, other BIGINT NOT NULL, v BIGINT NOT NULL) PRIMARY INDEX id`,
    );
    await run(
      `INSERT INTO ${TABLE} ${rowsOf(rows)} WITH (tablet_min_size_bytes = 0, tablet_max_size_bytes = 262144)`,
    );
    await duckdb.run(`CREATE OR REPLACE TEMP TABLE ${TABLE} AS ${rowsOf(rows)}`);
    const all: KnownAnswer[] = [];
    for (const sql of QUERIES) {
      const { values } = await duckdb.fetch(sql);
      all.push({
        sql: `${sql} WITH (${SPREAD})`,
        answer: JSON.stringify(values.map((row) => row.map(String))),
      });
    }
    await duckdb.run(`DROP TABLE ${TABLE}`);
    return new KnownAnswers(all);
  }

  /** @throws WrongAnswer */
  async ask(client: Client, random: SeededRandom): Promise<void> {
    const { sql, answer } = this.#all[random.between(0, this.#all.length - 1)]!;
    await client.at(async (session) => {
      const found = JSON.stringify((await session.query(sql)).map((row) => row.map(String)));
      if (found !== answer) throw new WrongAnswer(`${sql}\nanswered ${found}\nin place of ${answer}`);
    });
  }
}
