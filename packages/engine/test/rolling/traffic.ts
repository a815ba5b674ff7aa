import { Client as PostgresClient } from 'pg';
import { Pool } from 'undici';

/** The outcomes that clients observed. */
export interface Met {
  queries: number;
  /** The failed statements, each with its response. */
  readonly failures: string[];
  /** The number of announced disconnects between two statements. */
  ended: number;
}

export interface Question {
  readonly sql: string;
  readonly settings: Readonly<Record<string, string>>;
  /** The rows of the answer, as JSON. */
  readonly expected: string;
}

/** Clients that send statements continuously, each over connections that it keeps. */
export class Traffic implements AsyncDisposable {
  readonly met: Met = { queries: 0, failures: [], ended: 0 };
  /** The numbers whose INSERT was acknowledged. */
  readonly inserted: number[] = [];
  readonly #pools: Pool[] = [];
  readonly #running: Promise<void>[] = [];
  #nextNumber = 1;
  #isStopped = false;

  /** Clients over HTTP that ask the questions in turn. */
  asks(port: number, clients: number, questions: readonly Question[]): void {
    for (let n = 0; n < clients; n++) {
      const pool = this.#pool(port);
      let next = n;
      this.#repeat(() => this.#ask(pool, questions[next++ % questions.length]!));
    }
  }

  /** A client over HTTP that inserts rows into the table `added (n BIGINT)`. */
  inserts(port: number): void {
    const pool = this.#pool(port);
    this.#repeat(async () => {
      const number = this.#nextNumber++;
      const sql = `INSERT INTO added VALUES (${number})`;
      if ((await this.#send(pool, sql, {})) !== undefined) this.inserted.push(number);
    });
  }

  /** A client over PostgreSQL that reconnects whenever its connection is closed. */
  asksPostgres(port: number, sql: string, expected: string): void {
    this.#repeat(() => this.#connection(port, sql, expected));
  }

  /** Resolves when all running statements are answered. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
  }

  #pool(port: number): Pool {
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1, keepAliveTimeout: 60_000 });
    this.#pools.push(pool);
    return pool;
  }

  #repeat(once: () => Promise<void>): void {
    const run = async () => {
      while (!this.#isStopped) await once();
    };
    this.#running.push(run());
  }

  async #ask(pool: Pool, { sql, settings, expected }: Question): Promise<void> {
    const body = await this.#send(pool, sql, { ...settings, output_format: 'JSON_Compact' });
    if (body === undefined) return;
    const rows = JSON.stringify((JSON.parse(body) as { data: unknown }).data);
    if (rows !== expected) this.met.failures.push(`${sql}: ${rows} instead of ${expected}`);
  }

  /** Sends a statement and returns the body of a successful answer. */
  async #send(
    pool: Pool,
    sql: string,
    settings: Readonly<Record<string, string>>,
  ): Promise<string | undefined> {
    this.met.queries++;
    try {
      const path = `/?${new URLSearchParams(settings)}`;
      const { statusCode, headers, body } = await pool.request({ method: 'POST', path, body: sql });
      const text = await body.text();
      if (statusCode === 200) return text;
      this.met.failures.push(`${sql}: ${statusCode} ${headers['x-firebolt-drained'] ?? ''} ${text}`);
    } catch (error) {
      this.met.failures.push(`${sql}: ${(error as Error).message}`);
    }
    return undefined;
  }

  async #connection(port: number, sql: string, expected: string): Promise<void> {
    const client = new PostgresClient({ host: '127.0.0.1', port, user: 'anybody', database: 'tessera' });
    let announced = false;
    client.on('error', (error: Error & { code?: string }) => {
      announced ||= error.code === '57P01';
    });
    try {
      await client.connect();
      while (!this.#isStopped) {
        this.met.queries++;
        const { rows } = await client.query({ text: sql, rowMode: 'array' });
        if (JSON.stringify(rows) !== expected) this.met.failures.push(`${sql}: ${JSON.stringify(rows)}`);
      }
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      // The node announced that it is leaving before it looked at the statement, which may be sent again.
      if (announced || code === '57P01') this.met.ended++;
      else this.met.failures.push(`PostgreSQL: ${code} ${message}`);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
