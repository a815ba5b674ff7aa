import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickbench } from './clickbench.ts';

/** Two row groups, the second not full. */
const SCALE = 0.031;
/**
 * Queries without rows at this scale: they skip rows with OFFSET, or require more than 100,000 hits of one
 * counter.
 */
const EMPTY_WHEN_SMALL = ['q28', 'q29', 'q39', 'q41', 'q42', 'q43'];

describe('ClickBench', () => {
  let root: string;
  let connection: DuckDBConnection;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tessera-clickbench-'));
    connection = await (await DuckDBInstance.create()).connect();
    await clickbench.generate({ scale: SCALE, directory: root, threads: 2 });
    await connection.run(`CREATE VIEW hits AS FROM '${root}/hits.parquet'`);
  });
  afterAll(async () => {
    connection.closeSync();
    await rm(root, { recursive: true });
  });

  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
  const row = async (sql: string) => (await rows(sql))[0]!;
  const checksum = (file: string) =>
    row(`SELECT count(*), sum(hash(h, n)) FROM (SELECT h, row_number() OVER () AS n FROM '${file}' h)`);

  it('writes the file and leaves nothing else', async () => {
    expect(await readdir(root)).toEqual(['hits.parquet']);
  });

  it('writes the same rows in the same order with any number of threads', async () => {
    const other = await mkdtemp(join(root, 'one-'));
    await clickbench.generate({ scale: SCALE, directory: other, threads: 1 });
    expect(await checksum(`${other}/hits.parquet`)).toEqual(await checksum(`${root}/hits.parquet`));
    await rm(other, { recursive: true });
  });

  it('writes the same rows as earlier versions', async () => {
    const sum = `SELECT count(*), sum(watchid), sum(userid), sum(urlhash), sum(length(url) + length(title) + length(referer)), sum(resolutionwidth + windowclientwidth) FROM hits`;
    expect(await row(sum)).toMatchInlineSnapshot(`
      [
        "31000",
        "143305287163645108919444",
        "141215499697095383039991",
        "144976806930374500765284",
        "4573518",
        "81200711",
      ]
    `);
  });

  it('has the columns that it declares', async () => {
    const types = await rows('SELECT column_name, lower(column_type) FROM (DESCRIBE hits)');
    const named = clickbench.tables[0]!.columns.map(({ name, type }) => [
      name,
      type === 'text' ? 'varchar' : type,
    ]);
    expect(named).toHaveLength(105);
    expect(types).toEqual(named);
    const nulls = clickbench.tables[0]!.columns.map(({ name }) => `count(*) - count(${name})`).join(' + ');
    expect(await row(`SELECT ${nulls} FROM hits`)).toEqual(['0']);
  });

  it.each([
    [`avg((searchphrase = '')::int)`, 0.86, 0.88],
    [`avg((advengineid = 0)::int)`, 0.99, 0.997],
    [`avg((mobilephonemodel = '')::int)`, 0.92, 0.97],
    [`avg((referer = '')::int)`, 0.17, 0.21],
    [`avg((counterid = 62)::int)`, 0.05, 0.1],
    [`count(DISTINCT url) / count(*)`, 0.15, 0.6],
    [`count(DISTINCT userid) / count(*)`, 0.1, 0.3],
    [`avg((regexp_matches(title, '[а-я]'))::int)`, 0.4, 0.8],
  ])('distributes as the original does: %s', async (share, least, most) => {
    const [value] = await row(`SELECT ${share} FROM hits`);
    expect(value).toBeGreaterThan(least);
    expect(value).toBeLessThan(most);
  });

  it('has 43 queries, and an answer to each where there are rows enough', async () => {
    const empty: string[] = [];
    for (const { name, sql } of clickbench.queries) if ((await rows(sql)).length === 0) empty.push(name);
    expect(clickbench.queries).toHaveLength(43);
    expect(empty).toEqual(EMPTY_WHEN_SMALL);
  });

  it('refuses a scale and a table that it does not have', async () => {
    await expect(clickbench.generate({ scale: 0, directory: root })).rejects.toThrow('no scale 0');
    await expect(clickbench.generate({ scale: 1, directory: root, tables: ['visits'] })).rejects.toThrow(
      'no table visits',
    );
  });
});
