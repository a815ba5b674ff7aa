import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedNode, takeSharedNode } from '../shared-node.ts';

/*
 * Catalog queries of PostgreSQL clients, one file each: `-- row: a
 * b` is a row that the answer must contain (`*` is any value, NULL is NULL), `-- rows: 0` is the expected
 * number of rows, and `{oid:t}` is the OID of an object.
 */

const QUERIES = join(import.meta.dirname, 'queries');

const SETUP = [
  "CREATE TABLE t (id INT NOT NULL, name TEXT DEFAULT 'x', amount NUMERIC(10, 2), at TIMESTAMPTZ, tags TEXT[]) PRIMARY INDEX id",
  'CREATE SCHEMA other',
  'CREATE TABLE other.filled (k INT NOT NULL, v TEXT)',
  "INSERT INTO other.filled SELECT i, 'v' FROM generate_series(1, 100) AS g(i)",
  'CREATE VIEW seen AS SELECT k, v FROM other.filled',
  'CREATE INDEX skip ON other.filled USING SKIP_INDEX(lower(v))',
];

const OIDS: Readonly<Record<string, string>> = {
  t: "'t'::regclass",
  filled: "'other.filled'::regclass",
  seen: "'seen'::regclass",
  public: "'public'::regnamespace",
  other: "'other'::regnamespace",
};

let node: SharedNode;
let client: pg.Client;
const oids = new Map<string, string>();

beforeAll(async () => {
  node = await takeSharedNode();
  const [host = '', port = ''] = node.postgres.split(':');
  client = new pg.Client({ host, port: Number(port), database: 'tessera', user: 'tessera' });
  await client.connect();
  for (const sql of SETUP) await client.query(sql);
  for (const [name, sql] of Object.entries(OIDS)) {
    const { rows } = await client.query(`SELECT (${sql})::oid AS oid`);
    oids.set(name, String(rows[0].oid));
  }
});
afterAll(async () => {
  await client?.end();
  await node[Symbol.asyncDispose]();
});

const clients = readdirSync(QUERIES).sort();

describe.each(clients)('%s', (name) => {
  const files = readdirSync(join(QUERIES, name)).sort();

  it.each(files)('%s', async (file) => {
    const text = readFileSync(join(QUERIES, name, file), 'utf8');
    const sql = text.replace(/\{oid:(\w+)\}/g, (_, key) => oids.get(key)!);
    const { rows } = await client.query<(string | null)[]>({
      text: sql,
      rowMode: 'array',
      types: { getTypeParser: () => (value: string) => value },
    });
    for (const expected of rowsExpected(text)) {
      const found = rows.some((row) => isLike(row, expected));
      expect(found, `no row ${expected.join(' | ')} among ${JSON.stringify(rows.slice(0, 20))}`).toBe(true);
    }
    const count = /^-- rows: (\d+)$/m.exec(text)?.[1];
    if (count !== undefined) expect(rows).toHaveLength(Number(count));
  });
});

it('leave columns of tables alone that are called as system columns of the catalog', async () => {
  await client.query('CREATE TABLE boxes (xmin INT, xmax INT)');
  await client.query('INSERT INTO boxes VALUES (3, 4)');
  const sql = 'SELECT xmin, b.xmin + b.xmax AS n FROM boxes b WHERE xmin = 3';
  expect((await client.query(sql)).rows).toEqual([{ xmin: 3, n: 7 }]);
  const joined = "SELECT b.xmin, c.xmin AS state FROM boxes b JOIN pg_class c ON c.relname = 'boxes'";
  expect((await client.query(joined)).rows).toEqual([{ xmin: 3, state: '1' }]);
  await client.query('DROP TABLE boxes');
});

const rowsExpected = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/^-- row: ?(.*)$/gm)].map(([, row = '']) => row.split('|').map((cell) => cell.trim()));

const isLike = (row: readonly (string | null)[], expected: readonly string[]): boolean =>
  row.length === expected.length &&
  expected.every((cell, i) => cell === '*' || cell === (row[i] === null ? 'NULL' : row[i]!.trim()));
