import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workload } from '@tessera/workloads';
import { PlainDuckDb } from '../processes/plain-duckdb.ts';
import type { Peer, PeerKind, PeerRun } from './peer.ts';

/** Plain DuckDB over tables of its own in memory. */
export const duckDb: PeerKind = {
  name: 'duckdb',
  about: 'plain DuckDB over tables of its own, in memory',
  missing: async () => undefined,
  start: () => DuckDbPeer.start('DuckDB', 'TABLE'),
};

/** Plain DuckDB that reads the Parquet files with every query. */
export const duckDbOverParquet: PeerKind = {
  name: 'parquet',
  about: 'plain DuckDB over the Parquet files',
  missing: async () => undefined,
  start: () => DuckDbPeer.start('DuckDB, Parquet', 'VIEW'),
};

class DuckDbPeer implements Peer {
  readonly name: string;
  readonly version: string;
  readonly restart?: () => Promise<void>;
  readonly #kind: 'TABLE' | 'VIEW';
  #plain: PlainDuckDb;
  #files: { readonly table: string; readonly path: string }[] = [];

  private constructor(name: string, version: string, kind: 'TABLE' | 'VIEW', plain: PlainDuckDb) {
    this.name = name;
    this.version = version;
    this.#kind = kind;
    this.#plain = plain;
    // Tables in memory do not survive a restart.
    if (kind === 'VIEW') this.restart = () => this.#restart();
  }

  static async start(name: string, kind: 'TABLE' | 'VIEW'): Promise<Peer> {
    const plain = new PlainDuckDb();
    const { first = '' } = await plain.run('SELECT version()');
    return new DuckDbPeer(name, first, kind, plain);
  }

  get pid(): number {
    return this.#plain.pid;
  }

  async load({ tables }: Workload, directory: string, progress: (table: string) => void): Promise<void> {
    this.#files = tables.map(({ name }) => ({ table: name, path: join(directory, `${name}.parquet`) }));
    for (const { table, path } of this.#files) {
      progress(table);
      await this.#create(table, path);
    }
  }

  async storedBytes(): Promise<number | undefined> {
    if (this.#kind === 'TABLE') return undefined;
    const sizes = await Promise.all(this.#files.map(async ({ path }) => (await stat(path)).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  run(sql: string, limitMs: number): Promise<PeerRun> {
    return this.#plain.fetch(sql, limitMs);
  }

  stop(): Promise<void> {
    return this.#plain.stop();
  }

  async #restart(): Promise<void> {
    await this.#plain.stop();
    this.#plain = new PlainDuckDb();
    for (const { table, path } of this.#files) await this.#create(table, path);
  }

  async #create(table: string, path: string): Promise<void> {
    await this.#plain.run(`CREATE ${this.#kind} ${table} AS FROM '${path.replaceAll("'", "''")}'`);
  }
}
