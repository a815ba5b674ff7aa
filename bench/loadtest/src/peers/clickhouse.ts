import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Workload, WorkloadTable } from '@tessera/workloads';
import { SqlProcess, type SqlResult } from '../processes/sql-process.ts';
import { undoneAtExit } from '../processes/undone-at-exit.ts';
import { clickHouseType, clickHouseWays } from './clickhouse-dialect.ts';
import type { Peer, PeerKind, PeerRun } from './peer.ts';

const PROGRAM = join(import.meta.dirname, 'clickhouse-process.ts');
const NO_LIMIT_MS = 1e9;

/** Settings for results as in standard SQL, and for lossless texts. */
const SETTINGS = {
  join_use_nulls: 1,
  group_by_use_nulls: 1,
  aggregate_functions_null_for_empty: 1,
  cast_keep_nullable: 1,
  union_default_mode: "'DISTINCT'",
  intersect_default_mode: "'DISTINCT'",
  except_default_mode: "'DISTINCT'",
  prefer_column_name_to_alias: 1,
  allow_experimental_correlated_subqueries: 1,
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_decimals: 1,
  output_format_json_quote_denormals: 1,
  output_format_decimal_trailing_zeros: 1,
} as const;

/**
 * Embedded ClickHouse: npm's chdb, which has half a gigabyte and is therefore not a dependency, from where
 * the user installed it.
 */
export const clickHouse: PeerKind = {
  name: 'clickhouse',
  about: 'ClickHouse embedded (npm chdb), MergeTree tables on disk',
  missing: async () => {
    try {
      createRequire(join(chdbDirectory(), 'index.js')).resolve('chdb');
      return undefined;
    } catch {
      return 'npm install --prefix DIR chdb, and TESSERA_CHDB=DIR in the environment';
    }
  },
  start: () => ClickHousePeer.start(),
};

const chdbDirectory = (): string => process.env.TESSERA_CHDB ?? process.cwd();

class ClickHousePeer implements Peer {
  readonly name = 'ClickHouse';
  readonly dialect = 'clickhouse';
  readonly shortQuotients = true;
  readonly version: string;
  readonly #directory: string;
  readonly #callOff: () => void;
  /** The form of each query that it accepted. */
  readonly #understood = new Map<string, string>();
  #process: SqlProcess;

  private constructor(version: string, directory: string, process: SqlProcess) {
    this.version = version;
    this.#directory = directory;
    this.#process = process;
    this.#callOff = undoneAtExit(() => rmSync(directory, { recursive: true, force: true }));
  }

  static async start(): Promise<Peer> {
    const directory = await mkdtemp(join(tmpdir(), 'tessera-loadtest-clickhouse-'));
    const process = await processOver(directory);
    const { values } = await process.run({ sql: 'SELECT version()', keep: true, limitMs: NO_LIMIT_MS });
    return new ClickHousePeer(values[0]?.[0] ?? '', directory, process);
  }

  get pid(): number {
    return this.#process.pid;
  }

  async load({ tables }: Workload, directory: string, progress: (table: string) => void): Promise<void> {
    for (const table of tables) {
      progress(table.name);
      await this.#fetch(createTable(table));
      await this.#fetch(
        `INSERT INTO ${table.name} SELECT * FROM file('${join(directory, `${table.name}.parquet`)}', Parquet)`,
      );
    }
  }

  async storedBytes(): Promise<number> {
    const { values } = await this.#fetch('SELECT sum(bytes_on_disk) FROM system.parts WHERE active');
    return Number(values[0]?.[0]);
  }

  async restart(): Promise<void> {
    await this.#process.stop();
    this.#process = await processOver(this.#directory);
  }

  async run(sql: string, limitMs: number): Promise<PeerRun> {
    const known = this.#understood.get(sql);
    if (known !== undefined) return this.#fetch(known, limitMs);
    let refusal: unknown;
    for (const way of clickHouseWays(sql)) {
      try {
        const run = await this.#fetch(way, limitMs);
        this.#understood.set(sql, way);
        return run;
      } catch (error) {
        refusal ??= error;
      }
    }
    throw refusal;
  }

  async stop(): Promise<void> {
    await this.#process.stop();
    await rm(this.#directory, { recursive: true, force: true });
    this.#callOff();
  }

  #fetch(sql: string, limitMs = NO_LIMIT_MS): Promise<SqlResult> {
    return this.#process.run({ sql, keep: true, limitMs });
  }
}

async function processOver(directory: string): Promise<SqlProcess> {
  const process = new SqlProcess(PROGRAM, { name: 'ClickHouse', args: [chdbDirectory(), directory] });
  const settings = Object.entries(SETTINGS).map(([name, value]) => `${name} = ${value}`);
  for (const sql of ['CREATE DATABASE IF NOT EXISTS loadtest', 'USE loadtest', `SET ${settings.join(', ')}`])
    await process.run({ sql, keep: false, limitMs: NO_LIMIT_MS });
  return process;
}

const createTable = ({ name, columns, sortKey }: WorkloadTable): string => {
  const defined = columns.map((column) => `${column.name} ${clickHouseType(column.type, column.nullable)}`);
  return `CREATE TABLE ${name} (${defined.join(', ')}) ENGINE = MergeTree ORDER BY (${sortKey.join(', ')}) SETTINGS allow_nullable_key = 1`;
};
