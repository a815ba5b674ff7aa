import { createReadStream, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Workload, WorkloadTable } from '@tessera/workloads';
import { Client, type ClientConfig, type QueryArrayResult } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { PlainDuckDb } from '../processes/plain-duckdb.ts';
import { undoneAtExit } from '../processes/undone-at-exit.ts';
import type { Peer, PeerRun } from './peer.ts';

/** A server that was started here, or that already runs. */
export interface PostgresServer {
  readonly connection: ClientConfig;
  pid(): number | undefined;
  restart?(): Promise<void>;
  stop(): Promise<void>;
}

const READ_BYTES = 1024 * 1024;
const TIMED_OUT = '57014';
const asText = { getTypeParser: () => (value: string) => value };

/** Any server with the PostgreSQL protocol and COPY FROM STDIN. */
export class PostgresPeer implements Peer {
  readonly name: string;
  readonly dialect = 'postgresql';
  readonly version: string;
  readonly restart?: () => Promise<void>;
  readonly #server: PostgresServer;
  #client: Client;

  private constructor(name: string, version: string, server: PostgresServer, client: Client) {
    this.name = name;
    this.version = version;
    this.#server = server;
    this.#client = client;
    if (server.restart !== undefined) this.restart = () => this.#restart();
  }

  static async connect(name: string, server: PostgresServer): Promise<PostgresPeer> {
    const client = await connected(server);
    const { rows } = await client.query({ text: 'SHOW server_version', rowMode: 'array', types: asText });
    return new PostgresPeer(name, String(rows[0]![0]), server, client);
  }

  get pid(): number | undefined {
    return this.#server.pid();
  }

  async load({ tables }: Workload, directory: string, progress: (table: string) => void): Promise<void> {
    const duckdb = new PlainDuckDb();
    const files = await mkdtemp(join(tmpdir(), 'tessera-loadtest-csv-'));
    const callOff = undoneAtExit(() => rmSync(files, { recursive: true, force: true }));
    try {
      for (const table of tables) {
        progress(table.name);
        const csv = join(files, `${table.name}.csv`);
        const parquet = join(directory, `${table.name}.parquet`);
        await duckdb.run(`COPY (FROM '${parquet}') TO '${csv}' (FORMAT csv, HEADER false)`);
        await this.#loadTable(table, csv);
        await rm(csv);
      }
    } finally {
      await duckdb.stop();
      await rm(files, { recursive: true, force: true });
      callOff();
    }
    await this.#client.query('VACUUM ANALYZE');
  }

  async storedBytes(): Promise<number> {
    const { rows } = await this.#client.query('SELECT pg_database_size(current_database()) AS bytes');
    return Number(rows[0].bytes);
  }

  async run(sql: string, limitMs: number): Promise<PeerRun> {
    await this.#client.query(`SET statement_timeout = ${Math.min(Math.ceil(limitMs), 2 ** 31 - 1)}`);
    const start = performance.now();
    try {
      const { rows } = (await this.#client.query({
        text: sql,
        rowMode: 'array',
        types: asText,
      })) as QueryArrayResult<(string | null)[]>;
      const milliseconds = performance.now() - start;
      return { milliseconds, values: rows.map((row) => row.map((value) => value ?? undefined)) };
    } catch (error) {
      const { message, code } = error as Error & { code?: string };
      throw new Error(`${this.name}: ${code === TIMED_OUT ? `not done after ${limitMs / 1000} s` : message}`);
    }
  }

  async stop(): Promise<void> {
    await this.#client.end();
    await this.#server.stop();
  }

  async #restart(): Promise<void> {
    await this.#client.end();
    await this.#server.restart!();
    this.#client = await connected(this.#server);
  }

  async #loadTable(table: WorkloadTable, csv: string): Promise<void> {
    // Loading in one transaction avoids writing the rows to the log.
    await this.#client.query('BEGIN');
    await this.#client.query(createTable(table));
    const rows = this.#client.query(copyFrom(`COPY ${table.name} FROM STDIN (FORMAT csv)`));
    await pipeline(createReadStream(csv, { highWaterMark: READ_BYTES }), rows);
    await this.#client.query('COMMIT');
    for (const columns of indexes(table))
      await this.#client.query(`CREATE INDEX ON ${table.name} (${columns.join(', ')})`);
  }
}

async function connected({ connection }: PostgresServer): Promise<Client> {
  const client = new Client(connection);
  // A server that is stopped sends an error on idle connections.
  client.on('error', () => {});
  await client.connect();
  return client;
}

const createTable = ({ name, columns }: WorkloadTable): string =>
  `CREATE TABLE ${name} (${columns.map((column) => `${column.name} ${column.type}${column.nullable ? '' : ' NOT NULL'}`).join(', ')})`;

/**
 * The indexes on the sort key, and on each column that refers to another table, as the rules of TPC allow.
 */
function indexes({ columns, sortKey }: WorkloadTable): string[][] {
  const keys = columns.map(({ name }) => name).filter((name) => /(key|_sk)$/.test(name));
  const others = keys.filter((name) => name !== sortKey[0]);
  return [[...sortKey], ...others.map((name) => [name])];
}
