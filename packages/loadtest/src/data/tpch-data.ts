import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlainDuckDb } from '../processes/plain-duckdb.ts';
import { tpchFolder } from './test-data.ts';

/** The official tables at scale factor 0.1 are copied this often, each copy with keys of its own: about scale factor 1. */
const FULL_COPIES = 10;

/** How far each key column reaches at scale factor 0.1, so that the keys of the copies do not meet. */
const KEY_SPAN = { orderkey: 600_000, custkey: 15_000, partkey: 20_000, suppkey: 1_000 } as const;
type Key = keyof typeof KEY_SPAN;

interface TpchTable {
  readonly name: string;
  /** Columns that hold keys, by the kind of key. */
  readonly keys: Readonly<Record<string, Key>>;
  readonly primaryIndex: readonly string[];
  readonly columns: string;
}

export const TPCH_TABLES: readonly TpchTable[] = [
  {
    name: 'region',
    keys: {},
    primaryIndex: ['r_regionkey'],
    columns: 'r_regionkey INT NOT NULL, r_name TEXT NOT NULL, r_comment TEXT NOT NULL',
  },
  {
    name: 'nation',
    keys: {},
    primaryIndex: ['n_nationkey'],
    columns:
      'n_nationkey INT NOT NULL, n_name TEXT NOT NULL, n_regionkey INT NOT NULL, n_comment TEXT NOT NULL',
  },
  {
    name: 'supplier',
    keys: { s_suppkey: 'suppkey' },
    primaryIndex: ['s_suppkey'],
    columns:
      's_suppkey BIGINT NOT NULL, s_name TEXT NOT NULL, s_address TEXT NOT NULL, s_nationkey INT NOT NULL, s_phone TEXT NOT NULL, s_acctbal NUMERIC(15,2) NOT NULL, s_comment TEXT NOT NULL',
  },
  {
    name: 'customer',
    keys: { c_custkey: 'custkey' },
    primaryIndex: ['c_custkey'],
    columns:
      'c_custkey BIGINT NOT NULL, c_name TEXT NOT NULL, c_address TEXT NOT NULL, c_nationkey INT NOT NULL, c_phone TEXT NOT NULL, c_acctbal NUMERIC(15,2) NOT NULL, c_mktsegment TEXT NOT NULL, c_comment TEXT NOT NULL',
  },
  {
    name: 'part',
    keys: { p_partkey: 'partkey' },
    primaryIndex: ['p_partkey'],
    columns:
      'p_partkey BIGINT NOT NULL, p_name TEXT NOT NULL, p_mfgr TEXT NOT NULL, p_brand TEXT NOT NULL, p_type TEXT NOT NULL, p_size INT NOT NULL, p_container TEXT NOT NULL, p_retailprice NUMERIC(15,2) NOT NULL, p_comment TEXT NOT NULL',
  },
  {
    name: 'partsupp',
    keys: { ps_partkey: 'partkey', ps_suppkey: 'suppkey' },
    primaryIndex: ['ps_partkey'],
    columns:
      'ps_partkey BIGINT NOT NULL, ps_suppkey BIGINT NOT NULL, ps_availqty BIGINT NOT NULL, ps_supplycost NUMERIC(15,2) NOT NULL, ps_comment TEXT NOT NULL',
  },
  {
    name: 'orders',
    keys: { o_orderkey: 'orderkey', o_custkey: 'custkey' },
    primaryIndex: ['o_orderkey'],
    columns:
      'o_orderkey BIGINT NOT NULL, o_custkey BIGINT NOT NULL, o_orderstatus TEXT NOT NULL, o_totalprice NUMERIC(15,2) NOT NULL, o_orderdate DATE NOT NULL, o_orderpriority TEXT NOT NULL, o_clerk TEXT NOT NULL, o_shippriority INT NOT NULL, o_comment TEXT NOT NULL',
  },
  {
    name: 'lineitem',
    keys: { l_orderkey: 'orderkey', l_partkey: 'partkey', l_suppkey: 'suppkey' },
    primaryIndex: ['l_orderkey'],
    columns:
      'l_orderkey BIGINT NOT NULL, l_partkey BIGINT NOT NULL, l_suppkey BIGINT NOT NULL, l_linenumber BIGINT NOT NULL, l_quantity NUMERIC(15,2) NOT NULL, l_extendedprice NUMERIC(15,2) NOT NULL, l_discount NUMERIC(15,2) NOT NULL, l_tax NUMERIC(15,2) NOT NULL, l_returnflag TEXT NOT NULL, l_linestatus TEXT NOT NULL, l_shipdate DATE NOT NULL, l_commitdate DATE NOT NULL, l_receiptdate DATE NOT NULL, l_shipinstruct TEXT NOT NULL, l_shipmode TEXT NOT NULL, l_comment TEXT NOT NULL',
  },
];

/** TPC-H tables as Parquet files in a temporary directory. */
export class TpchData {
  readonly copies: number;
  readonly #directory: string;

  private constructor(directory: string, copies: number) {
    this.#directory = directory;
    this.copies = copies;
    process.once('exit', this.remove);
  }

  /** Writes the tables. `scale` 1 is about scale factor 1; a tenth is the least. */
  static async write(duckdb: PlainDuckDb, scale: number): Promise<TpchData> {
    const copies = Math.max(1, Math.round(FULL_COPIES * scale));
    const data = new TpchData(mkdtempSync(join(tmpdir(), 'tessera-loadtest-tpch-')), copies);
    for (const table of TPCH_TABLES) {
      const source = join(
        tpchFolder(),
        scale < 1 / FULL_COPIES ? 'sf0.01' : 'sf0.1',
        `${table.name}.parquet`,
      );
      await duckdb.run(
        `COPY (${copiesOf(table, source, copies)}) TO '${data.file(table.name)}' (FORMAT parquet, COMPRESSION zstd)`,
      );
    }
    return data;
  }

  file(table: string): string {
    return join(this.#directory, `${table}.parquet`);
  }

  readonly remove = (): void => {
    process.off('exit', this.remove);
    rmSync(this.#directory, { recursive: true, force: true });
  };
}

function copiesOf({ keys }: TpchTable, source: string, copies: number): string {
  const shifted = Object.entries(keys).map(
    ([column, key]) => `${column} + k * ${KEY_SPAN[key]} AS ${column}`,
  );
  if (shifted.length === 0) return `SELECT * FROM '${source}'`;
  return `SELECT * EXCLUDE (k) REPLACE (${shifted.join(', ')}) FROM '${source}', range(${copies}) AS copies(k) ORDER BY k`;
}

export interface TpchQuery {
  readonly name: string;
  readonly sql: string;
}

export const tpchQueries = (): Promise<TpchQuery[]> =>
  Promise.all(
    Array.from({ length: 22 }, async (_, i) => {
      const name = `q${String(i + 1).padStart(2, '0')}`;
      return { name, sql: await readFile(join(tpchFolder(), 'queries', `${name}.sql`), 'utf8') };
    }),
  );

/** The statement that makes a table of the data set in Tessera. */
export const createTable = ({ name, columns, primaryIndex }: TpchTable): string =>
  `CREATE TABLE ${name} (${columns}) PRIMARY INDEX ${primaryIndex.join(', ')}`;
