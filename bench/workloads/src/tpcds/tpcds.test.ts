import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queriesFolder } from './queries.ts';
import { tpcds } from './tpcds.ts';

const SCALE = 0.01;
/** The official row counts at this scale, if the test data is available. */
const OFFICIAL = join(queriesFolder(), '../sf0.01');
const NO_DATA = !existsSync(OFFICIAL);
/** With `TESSERA_TPC=all`, the queries run too. */
const ALL = process.env.TESSERA_TPC === 'all';

/** Foreign keys: each value of a column of the first table must be a key of the second table. */
const DATES = ['date_dim', 'd_date_sk'] as const;
const ITEMS = ['item', 'i_item_sk'] as const;
const PEOPLE = {
  customer_sk: ['customer', 'c_customer_sk'],
  cdemo_sk: ['customer_demographics', 'cd_demo_sk'],
  hdemo_sk: ['household_demographics', 'hd_demo_sk'],
  addr_sk: ['customer_address', 'ca_address_sk'],
} as const;
const REFERENCES: Readonly<Record<string, readonly [table: string, key: string]>> = {
  ...PEOPLE,
  date_sk: DATES,
  item_sk: ITEMS,
  time_sk: ['time_dim', 't_time_sk'],
  store_sk: ['store', 's_store_sk'],
  promo_sk: ['promotion', 'p_promo_sk'],
  reason_sk: ['reason', 'r_reason_sk'],
  call_center_sk: ['call_center', 'cc_call_center_sk'],
  catalog_page_sk: ['catalog_page', 'cp_catalog_page_sk'],
  ship_mode_sk: ['ship_mode', 'sm_ship_mode_sk'],
  warehouse_sk: ['warehouse', 'w_warehouse_sk'],
  web_page_sk: ['web_page', 'wp_web_page_sk'],
  web_site_sk: ['web_site', 'web_site_sk'],
  income_band_sk: ['income_band', 'ib_income_band_sk'],
};

describe('TPC-DS', () => {
  let root: string;
  let connection: DuckDBConnection;
  const row = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson()[0]!;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tessera-tpcds-'));
    connection = await (await DuckDBInstance.create()).connect();
    await tpcds.generate({ scale: SCALE, directory: root, threads: 2 });
    for (const { name } of tpcds.tables)
      await connection.run(`CREATE VIEW ${name} AS FROM '${root}/${name}.parquet'`);
  });
  afterAll(async () => {
    connection.closeSync();
    await rm(root, { recursive: true });
  });

  it('writes a file for each of the 24 tables, and nothing else', async () => {
    expect((await readdir(root)).sort()).toEqual(tpcds.tables.map(({ name }) => `${name}.parquet`).sort());
    expect(tpcds.tables).toHaveLength(24);
  });

  it('writes the same rows with any number of threads', async () => {
    const tables = ['web_page', 'web_sales'];
    // The tables have more than one row group at this scale.
    const scale = 0.07;
    const sums = async (threads: number) => {
      const directory = await mkdtemp(join(root, 'threads-'));
      await tpcds.generate({ scale, directory, threads, tables });
      const sum = (table: string) =>
        row(
          `SELECT count(*), sum(hash(t, n)) FROM (SELECT t, row_number() OVER () AS n FROM '${directory}/${table}.parquet' t)`,
        );
      const found = [await sum(tables[0]!), await sum(tables[1]!)];
      await rm(directory, { recursive: true });
      return found;
    };
    expect(await sums(3)).toEqual(await sums(1));
  });

  it('writes the same rows as earlier versions', async () => {
    expect(
      await row(`SELECT
        (SELECT sum(ss_net_profit) FROM store_sales), (SELECT sum(cs_net_paid) FROM catalog_sales),
        (SELECT sum(ws_ext_tax) FROM web_sales), (SELECT sum(sr_net_loss) FROM store_returns),
        (SELECT sum(cr_fee) FROM catalog_returns), (SELECT sum(wr_return_amt) FROM web_returns),
        (SELECT sum(inv_quantity_on_hand) FROM inventory), (SELECT sum(i_current_price) FROM item),
        (SELECT sum(length(c_email_address)) FROM customer), (SELECT sum(ca_zip::int) FROM customer_address)`),
    ).toMatchInlineSnapshot(`
      [
        "-22738907.30",
        "32383717.82",
        "728516.29",
        "1564766.65",
        "68485.63",
        "967163.77",
        "11256915",
        "2276.75",
        "24489",
        "25343385",
      ]
    `);
  });

  it('has the columns that it declares, with NULL only where they allow it', async () => {
    const types: Readonly<Record<string, string>> = { text: 'varchar' };
    for (const { name, columns } of tpcds.tables) {
      const described = await connection.runAndReadAll(`DESCRIBE ${name}`);
      expect(described.getRowsJson().map(([column, type]) => [column, String(type).toLowerCase()])).toEqual(
        columns.map(({ name, type }) => [name, types[type] ?? type.replace('numeric', 'decimal')]),
      );
      const filled = columns.filter(({ nullable }) => !nullable);
      const nulls = filled.map((column) => `count(*) - count(${column.name})`).join(' + ');
      expect(await row(`SELECT ${nulls} FROM ${name}`), name).toEqual(['0']);
    }
  });

  it('refers to rows that exist', async () => {
    const strays: string[] = [];
    for (const { name, columns } of tpcds.tables)
      for (const { name: column } of columns.slice(1)) {
        const suffix = Object.keys(REFERENCES).find((end) => column.endsWith(`_${end}`));
        if (suffix === undefined) continue;
        const [table, key] = REFERENCES[suffix]!;
        const [count] = await row(
          `SELECT count(*) FROM ${name} WHERE ${column} NOT IN (SELECT ${key} FROM ${table})`,
        );
        if (count !== '0') strays.push(`${name}.${column}: ${count}`);
      }
    expect(strays).toEqual([]);
  });

  it.each([
    [
      'store',
      'sr_ticket_number = ss_ticket_number AND sr_item_sk = ss_item_sk',
      'sr_return_quantity > ss_quantity',
    ],
    [
      'catalog',
      'cr_order_number = cs_order_number AND cr_item_sk = cs_item_sk',
      'cr_return_quantity > cs_quantity',
    ],
    [
      'web',
      'wr_order_number = ws_order_number AND wr_item_sk = ws_item_sk',
      'wr_return_quantity > ws_quantity',
    ],
  ])('returns what was sold: %s', async (channel, match, excess) => {
    const joined = `${channel}_returns JOIN ${channel}_sales ON ${match}`;
    const [returns] = await row(`SELECT count(*) FROM ${channel}_returns`);
    expect(await row(`SELECT count(*) FROM ${joined}`)).toEqual([returns]);
    expect(await row(`SELECT count(*) FROM ${joined} WHERE ${excess}`)).toEqual(['0']);
    const [sales] = await row(`SELECT count(*) FROM ${channel}_sales`);
    expect(Number(returns) / Number(sales)).toBeCloseTo(0.1, 1);
  });

  it.each([
    ['store_sales', 'ss_ext_sales_price <> ss_sales_price * ss_quantity'],
    ['store_sales', 'ss_net_paid <> ss_ext_sales_price - ss_coupon_amt'],
    ['store_sales', 'ss_net_profit <> ss_net_paid - ss_ext_wholesale_cost'],
    ['store_sales', 'ss_net_paid_inc_tax <> ss_net_paid + ss_ext_tax'],
    ['catalog_sales', 'cs_ext_discount_amt <> cs_ext_list_price - cs_ext_sales_price'],
    ['catalog_sales', 'cs_net_paid_inc_ship_tax <> cs_net_paid + cs_ext_ship_cost + cs_ext_tax'],
    ['catalog_sales', 'cs_ship_date_sk <= cs_sold_date_sk'],
    ['web_sales', 'ws_net_paid_inc_ship <> ws_net_paid + ws_ext_ship_cost'],
    ['store_returns', 'sr_return_amt <> sr_refunded_cash + sr_reversed_charge + sr_store_credit'],
    ['web_returns', 'wr_net_loss <> wr_return_tax + wr_fee + wr_return_ship_cost'],
  ])('has prices that agree: %s never %s', async (table, disagreement) => {
    expect(await row(`SELECT count(*) FROM ${table} WHERE ${disagreement}`)).toEqual(['0']);
  });

  it('sells more late in the year', async () => {
    const perDay = async (months: string) =>
      Number(
        (
          await row(
            `SELECT count(*) / count(DISTINCT d_date_sk) FROM store_sales JOIN date_dim ON ss_sold_date_sk = d_date_sk WHERE d_moy IN (${months})`,
          )
        )[0],
      );
    const [low, medium, high] = [
      await perDay('1,2,3,4,5,6,7'),
      await perDay('8,9,10'),
      await perDay('11,12'),
    ];
    expect(medium / low).toBeGreaterThan(1.5);
    expect(high / medium).toBeGreaterThan(1.2);
  });

  it('revisions of a row follow each other', async () => {
    expect(
      await row(`SELECT count(*) FROM (SELECT i_rec_end_date AS ended, lead(i_rec_start_date) OVER
        (PARTITION BY i_item_id ORDER BY i_item_sk) AS started FROM item) WHERE started <> ended + 1`),
    ).toEqual(['0']);
  });

  it
    .skipIf(NO_DATA)
    .each([
      'customer_demographics',
      'date_dim',
      'household_demographics',
      'income_band',
      'reason',
      'time_dim',
    ])('has the official rows of %s (skipped where the test data is absent)', async (table) => {
    const file = `'${OFFICIAL}/${table}.parquet'`;
    const differing = `SELECT count(*) FROM (FROM ${table} EXCEPT FROM ${file}) UNION ALL SELECT count(*) FROM (FROM ${file} EXCEPT FROM ${table})`;
    expect((await connection.runAndReadAll(differing)).getRowsJson()).toEqual([['0'], ['0']]);
  });

  it.skipIf(NO_DATA)(
    'has about as many rows as the official tables (skipped where the test data is absent)',
    async () => {
      for (const { name } of tpcds.tables) {
        const [ours, official] = await row(
          `SELECT (SELECT count(*) FROM ${name})::double, (SELECT count(*) FROM '${OFFICIAL}/${name}.parquet')::double`,
        );
        const random = name.includes('sales') || name.includes('returns');
        if (random) expect(Number(ours) / Number(official), name).toBeCloseTo(1, 0);
        else expect(ours, name).toBe(official);
      }
    },
  );

  it.skipIf(NO_DATA || !ALL)('answers the 99 queries (skipped unless TESSERA_TPC=all)', async () => {
    let answered = 0;
    for (const { sql } of tpcds.queries) {
      const rows = (await connection.runAndReadAll(sql)).getRowsJson();
      if (rows.some((values) => values.some((value) => value !== null && value !== '0'))) answered++;
    }
    expect(answered).toBeGreaterThan(50);
  });

  it('refuses a scale and a table that it does not have', async () => {
    await expect(tpcds.generate({ scale: 0.001, directory: root })).rejects.toThrow('no scale 0.001');
    await expect(tpcds.generate({ scale: 1, directory: root, tables: ['hits'] })).rejects.toThrow(
      'no table hits',
    );
  });
});
