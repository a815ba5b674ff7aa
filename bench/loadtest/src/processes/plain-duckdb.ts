import { join } from 'node:path';
import { SqlProcess, type SqlResult } from './sql-process.ts';

const PROGRAM = join(import.meta.dirname, 'plain-duckdb-process.ts');
const NO_LIMIT_MS = 2 ** 31 - 1;

/** What {@link PlainDuckDb.run} measured. */
export interface PlainRun {
  readonly milliseconds: number;
  readonly rows: number;
  /** The first value of the first row. */
  readonly first: string | undefined;
}

/** DuckDB in a process of its own: the peer of our server, and the generator of test data. */
export class PlainDuckDb {
  readonly #process = new SqlProcess(PROGRAM, { name: 'plain DuckDB' });

  get pid(): number {
    return this.#process.pid;
  }

  /**
   * Runs one statement and fetches all of its chunks. Only one call may run at a time. @throws with DuckDB's
   * message
   */
  async run(sql: string): Promise<PlainRun> {
    const { milliseconds, rows, values } = await this.#process.run({
      sql,
      keep: false,
      limitMs: NO_LIMIT_MS,
    });
    return { milliseconds, rows, first: values[0]?.[0] };
  }

  /** Like `run`, but returns all values. */
  fetch(sql: string, limitMs = NO_LIMIT_MS): Promise<SqlResult> {
    return this.#process.run({ sql, keep: true, limitMs });
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}
