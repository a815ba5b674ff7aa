import { PG_CATALOG_RELATIONS } from '@tessera/system-catalog';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode } from '../../src/testing/test-node.ts';

let node: TestNode;

const SETUP = [
  `CREATE TABLE plain (a INT NOT NULL DEFAULT 1 + 1, b TEXT, c NUMERIC(10, 2), d TEXT[], e TIMESTAMPTZ) PRIMARY INDEX a`,
  'CREATE SCHEMA other',
  'CREATE TABLE other.filled (k INT NOT NULL, v TEXT)',
  "INSERT INTO other.filled SELECT i, 'v' FROM generate_series(1, 100) AS g(i)",
  'CREATE INDEX skip ON other.filled USING SKIP_INDEX(lower(v))',
];

beforeAll(async () => {
  node = await TestNode.open();
  for (const sql of SETUP) await node.run(sql);
});
afterAll(() => node[Symbol.asyncDispose]());

it.each(PG_CATALOG_RELATIONS)('pg_catalog.%s', async (name) => {
  await expect(node.rows(`SELECT * FROM pg_catalog.${name}`)).resolves.toBeInstanceOf(Array);
});

it('relations are listed in their schemas, with their columns', async () => {
  const rows = await node.rows(
    `SELECT n.nspname, c.relname, c.relkind, c.reltuples, a.attname, t.typname, a.atttypmod, a.attnotnull
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
     WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND c.relkind = 'r' ORDER BY 1, 2, a.attnum`,
  );
  expect(rows).toEqual([
    ['other', 'filled', 'r', 100, 'k', 'int4', -1, true],
    ['other', 'filled', 'r', 100, 'v', 'text', -1, false],
    ['public', 'plain', 'r', 0, 'a', 'int4', -1, true],
    ['public', 'plain', 'r', 0, 'b', 'text', -1, false],
    ['public', 'plain', 'r', 0, 'c', 'numeric', 655366, false],
    ['public', 'plain', 'r', 0, 'd', '_text', -1, false],
    ['public', 'plain', 'r', 0, 'e', 'timestamptz', -1, false],
  ]);
});

it('rows of relations have composite types', async () => {
  const rows = await node.rows(
    `SELECT c.relname, t.typname, t.typtype, t.typrelid = c.oid, format_type(t.oid, NULL)
     FROM pg_class c JOIN pg_type t ON t.oid = c.reltype WHERE c.relname IN ('filled', 'plain') ORDER BY 1`,
  );
  expect(rows).toEqual([
    ['filled', 'filled', 'c', true, 'other.filled'],
    ['plain', 'plain', 'c', true, 'plain'],
  ]);
});

it('every user sees the names of the owners of visible objects', async () => {
  for (const sql of ['CREATE USER keeper', 'CREATE USER guest', 'GRANT CREATE ON SCHEMA public TO keeper'])
    await node.run(sql);
  await node.run('CREATE TABLE kept (a INT)', { user: 'keeper' });
  await node.run('GRANT SELECT ON kept TO guest');
  const owners = await node.rows(
    `SELECT pg_get_userbyid(c.relowner), r.rolname FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
     WHERE c.relname = 'kept'`,
    { user: 'guest' },
  );
  expect(owners).toEqual([['keeper', 'keeper']]);
});

it('only aggregates have the kind of aggregates in pg_proc', async () => {
  const kinds = await node.rows(
    `SELECT proname, prokind FROM pg_proc
     WHERE proname IN ('hll_count_build', 'hll_count_estimate', 'ntile') ORDER BY 1`,
  );
  expect(kinds).toEqual([
    ['hll_count_build', 'a'],
    ['hll_count_estimate', 'f'],
    ['ntile', 'w'],
  ]);
});
