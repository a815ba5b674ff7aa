import { INFORMATION_SCHEMA_VIEWS } from '@tessera/system-catalog';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from '../../src/testing/test-node.ts';

let node: TestNode;

const SETUP = [
  `CREATE DIMENSION TABLE "Odd ""T" (
     a INT NOT NULL DEFAULT 1 + 1, "B c" ARRAY(STRUCT("X y" NUMERIC(10, 2), z TEXT)), d TIMESTAMPTZ DEFAULT now(),
     e REAL, f DOUBLE PRECISION NOT NULL, g BYTEA, h JSON, i BOOLEAN DEFAULT NULL, j LONG, k TEXT[][] NULL,
     "select" DATE DEFAULT '2024-01-01'::date NOT NULL, m NUMERIC
   ) PRIMARY INDEX "select", a PARTITION BY a % 4, date_trunc('year', "select") WITH (index_granularity = 4096)`,
  'CREATE TABLE plain (a INT)',
  'CREATE SCHEMA other',
  'CREATE TABLE other.filled (k INT NOT NULL, v TEXT) PRIMARY INDEX k',
  "INSERT INTO other.filled SELECT i, 'v' || i FROM generate_series(1, 100) AS g(i)",
  'DELETE FROM other.filled WHERE k <= 25',
  'CREATE VIEW seen ("K", v) AS SELECT k, v FROM other.filled WHERE k > 50',
  'CREATE AGGREGATING INDEX agg ON other.filled (k, count(*))',
  'CREATE INDEX skip ON other.filled USING SKIP_INDEX(lower(v))',
  "CREATE LOCATION lake WITH SOURCE = AMAZON_S3 URL = 's3://lake' CREDENTIALS = (AWS_KEY_ID = 'top' AWS_SECRET_KEY = 'secret')",
  `CREATE EXTERNAL TABLE outside (a INT, b TEXT NOT NULL) URL = 's3://lake/x' OBJECT_PATTERN = '*.csv'
   CREDENTIALS = (AWS_KEY_ID = 'top' AWS_SECRET_KEY = 'secret') TYPE = (CSV HEADER = TRUE DELIMITER = ';')`,
  'CREATE EXTERNAL TABLE in_lake (a INT) LOCATION = lake TYPE = (PARQUET)',
  "CREATE DATABASE elsewhere WITH DESCRIPTION = 'another'",
];

beforeAll(async () => {
  node = await TestNode.open();
  for (const sql of SETUP) await node.run(sql);
});
afterAll(() => node[Symbol.asyncDispose]());

it.each(INFORMATION_SCHEMA_VIEWS)('information_schema.%s', async (view) => {
  await expect(node.rows(`SELECT * FROM information_schema.${view}`)).resolves.toBeInstanceOf(Array);
});

describe('tables', () => {
  it('counts rows, bytes and tablets', async () => {
    const [row] = await node.rows(
      `SELECT table_catalog, table_schema, table_type, type, primary_index, number_of_rows, number_of_tablets, fragmentation,
         compressed_bytes > 0, uncompressed_bytes > 0, compression_ratio > 0
       FROM information_schema.tables WHERE table_name = 'filled'`,
    );
    expect(row).toEqual(['tessera', 'other', 'BASE TABLE', 'FACT', 'k', '75', '1', 25, true, true, true]);
  });

  it('shows only objects of the database', async () => {
    const ofUsers = "WHERE table_schema NOT IN ('information_schema', 'pg_catalog')";
    const tables = `information_schema.tables ${ofUsers}`;
    expect(await node.rows(`SELECT table_name FROM elsewhere.${tables}`)).toEqual([]);
    expect(await node.rows(`SELECT table_name FROM ${tables} ORDER BY 1`)).toEqual([
      ['Odd "T'],
      ['filled'],
      ['in_lake'],
      ['outside'],
      ['plain'],
      ['seen'],
    ]);
  });

  it.each(['Odd "T', 'plain', 'filled', 'seen', 'outside', 'in_lake'])(
    'the ddl of %s creates the same object again',
    async (name) => {
      const columns = 'table_schema, table_type, type, primary_index, ddl';
      const about = () =>
        node.rows(`SELECT ${columns} FROM information_schema.tables WHERE table_name = '${name}'`);
      const [before] = await about();
      const [schema, type, , , ddl] = before as [string, string, string, string, string];
      const columnsOf = () =>
        node.rows(
          `SELECT * FROM information_schema.columns WHERE table_name = '${name}' ORDER BY ordinal_position`,
        );
      const columnsBefore = await columnsOf();
      const word = type === 'VIEW' ? 'VIEW' : 'TABLE';
      await node.run(`DROP ${word} ${schema}."${name.replaceAll('"', '""')}" CASCADE`);
      await node.run(ddl);
      expect((await about())[0]).toEqual(before);
      expect(await columnsOf()).toEqual(columnsBefore);
      if (name === 'filled') for (const sql of SETUP.slice(6, 9)) await node.run(sql);
    },
  );
});

describe('relations of the system', () => {
  it('are listed as pg_class lists them, with their columns', async () => {
    const [[tables, classes, views, columns, attributes]] = (await node.rows(`SELECT
        (SELECT array_sort(array_agg(table_schema || '.' || table_name || ' ' || table_type)) FROM information_schema.tables
           WHERE table_schema IN ('information_schema', 'pg_catalog')),
        (SELECT array_sort(array_agg(nspname || '.' || relname || CASE relkind WHEN 'v' THEN ' VIEW' ELSE ' BASE TABLE' END))
           FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace WHERE nspname IN ('information_schema', 'pg_catalog')),
        (SELECT count(*) FROM information_schema.views WHERE table_schema = 'information_schema'),
        (SELECT array_sort(array_agg(table_schema || '.' || table_name || '.' || column_name || ' ' || ordinal_position))
           FROM information_schema.columns WHERE table_schema IN ('information_schema', 'pg_catalog')),
        (SELECT array_sort(array_agg(nspname || '.' || relname || '.' || attname || ' ' || attnum))
           FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid JOIN pg_namespace AS n ON n.oid = relnamespace
           WHERE nspname IN ('information_schema', 'pg_catalog'))`)) as [unknown[]];
    expect(tables).toEqual(classes);
    expect(columns).toEqual(attributes);
    expect(tables).toContain('information_schema.tables VIEW');
    expect(tables).toContain('pg_catalog.pg_class BASE TABLE');
    expect(Number(views)).toBe(INFORMATION_SCHEMA_VIEWS.length);
  });

  it('have types', async () => {
    const types = `SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'information_schema'
      AND table_name = 'tables' AND column_name IN ('table_name', 'number_of_rows', 'created') ORDER BY ordinal_position`;
    expect(await node.rows(types)).toEqual([
      ['table_name', 'text'],
      ['number_of_rows', 'bigint'],
      ['created', 'timestamptz'],
    ]);
  });

  it('are shown only on demand', async () => {
    const shown = async (sql: string) => (await node.rows(sql)).map(([, name]) => name);
    expect(await shown('SHOW TABLES')).not.toContain('tables');
    expect(await shown('SHOW VIEWS')).toEqual(['seen']);
    expect(await shown("SHOW COLUMNS LIKE 'relname'")).toEqual([]);
    expect(await shown('SHOW TABLES IN information_schema')).toEqual(INFORMATION_SCHEMA_VIEWS.toSorted());
    expect(await shown("SHOW TABLES IN elsewhere.pg_catalog LIKE 'pg_cl%'")).toEqual(['pg_class']);
    expect((await node.rows('DESCRIBE information_schema.nodes')).map(([name]) => name)).toContain(
      'node_name',
    );
    expect((await node.rows('SHOW COLUMNS IN elsewhere.pg_catalog.pg_am')).map(([name]) => name)).toContain(
      'amname',
    );
  });
});

it.each(INFORMATION_SCHEMA_VIEWS)('no secret shows in %s', async (view) => {
  const rows = await node.rows(`SELECT * FROM information_schema.${view}`);
  // The test's own query is recorded by then.
  expect(JSON.stringify(rows)).not.toContain("secret'");
});

it('columns show which of them are identities', async () => {
  await node.run(
    'CREATE TABLE counted (a INT GENERATED ALWAYS AS IDENTITY, b INT GENERATED BY DEFAULT AS IDENTITY, c SERIAL)',
  );
  expect(
    await node.rows(
      `SELECT is_identity, identity_generation FROM information_schema.columns WHERE table_name = 'counted'
       ORDER BY ordinal_position`,
    ),
  ).toEqual([
    ['YES', 'ALWAYS'],
    ['YES', 'BY DEFAULT'],
    ['NO', null],
  ]);
  await node.run('DROP TABLE counted');
});

it('columns show types, defaults and where they are used', async () => {
  const rows = await node.rows(
    `SELECT column_name, data_type, column_default, is_nullable, is_in_primary_index, is_in_partition_expr, numeric_scale
     FROM information_schema.columns WHERE table_name LIKE 'Odd%' ORDER BY ordinal_position`,
  );
  expect(rows).toEqual([
    ['a', 'integer', '1 + 1', 'NO', 'YES', 'YES', 0],
    ['B c', 'array(struct("X y" numeric(10, 2), z text))', null, 'YES', 'NO', 'NO', null],
    ['d', 'timestamptz', 'now()', 'YES', 'NO', 'NO', null],
    ['e', 'real', null, 'YES', 'NO', 'NO', null],
    ['f', 'double precision', null, 'NO', 'NO', 'NO', null],
    ['g', 'bytea', null, 'YES', 'NO', 'NO', null],
    ['h', 'json', null, 'YES', 'NO', 'NO', null],
    ['i', 'boolean', 'NULL', 'YES', 'NO', 'NO', null],
    ['j', 'bigint', null, 'YES', 'NO', 'NO', 0],
    ['k', 'array(array(text))', null, 'YES', 'NO', 'NO', null],
    ['select', 'date', "'2024-01-01'::date", 'NO', 'YES', 'YES', null],
    ['m', 'numeric(38, 9)', null, 'YES', 'NO', 'NO', 9],
  ]);
});

it('indexes, routines, databases', async () => {
  expect(
    await node.rows(
      'SELECT index_name, index_type, index_definition, number_of_rows FROM information_schema.indexes ORDER BY 1',
    ),
  ).toEqual([
    ['Odd "T', 'primary', '("select", a)', null],
    ['agg', 'aggregating', '(k, count(*))', '0'],
    ['filled', 'primary', '(k)', null],
    ['skip', 'skip', '(lower(v))', null],
  ]);
  expect(
    await node.rows(
      "SELECT count(*) > 0 FROM information_schema.routines WHERE routine_name = 'array_concat'",
    ),
  ).toEqual([[true]]);
  expect(
    await node.rows('SELECT catalog_name, description FROM information_schema.catalogs ORDER BY 1'),
  ).toEqual([
    ['elsewhere', 'another'],
    ['tessera', null],
  ]);
});

describe('queries', () => {
  it('are listed while they run and after they have finished', async () => {
    const text = "SELECT query_text, status FROM information_schema.engine_running_queries WHERE 'x' = 'x'";
    expect(await node.rows(text)).toEqual([[text, 'RUNNING']]);
    await expect(node.run("SELECT 'lost'::int")).rejects.toThrow();
    const history = `SELECT status, query_text_normalized, error_message IS NOT NULL, returned_rows, user_name
      FROM information_schema.engine_query_history WHERE query_text LIKE `;
    expect(await node.rows(`${history} '%= ''x%' ORDER BY end_time`)).toEqual([
      [
        'ENDED_SUCCESSFULLY',
        'select query_text, status from information_schema.engine_running_queries where ? = ?',
        false,
        '1',
        'tester',
      ],
    ]);
    expect(await node.rows(`${history} 'SELECT ''lost%'`)).toEqual([
      ['FAILED', 'select ?::int', true, '0', 'tester'],
    ]);
    expect(
      await node.rows(
        "SELECT inserted_rows FROM information_schema.engine_user_query_history WHERE query_text LIKE 'INSERT INTO other%'",
      ),
    ).toEqual([['100']]);
    const both = `SELECT status, percent, end_time IS NULL FROM information_schema.queries
      WHERE query_text LIKE '%= ''x''' OR query_text LIKE '%queries%' ORDER BY submitted_time DESC LIMIT 2`;
    const [now, before] = await node.rows(both);
    expect(now).toEqual(['RUNNING', null, true]);
    expect(before![2]).toBe(false);
  });

  it('SHOW lists those that run, the nodes and the functions', async () => {
    const [[, user, status, , , nodes, , text]] = (await node.rows("SHOW QUERIES LIKE 'SHOW%'")) as [
      unknown[],
    ];
    expect({ user, status, nodes, text }).toEqual({
      user: 'tester',
      status: 'RUNNING',
      nodes: 1,
      text: "SHOW QUERIES LIKE 'SHOW%'",
    });
    expect((await node.rows('SHOW NODES')).map((row) => row[2])).toEqual(['RUNNING']);
    const names = (await node.rows("SHOW FUNCTIONS LIKE 'date_tr%'")).map((row) => row[0]);
    expect(new Set(names)).toEqual(new Set(['date_trunc']));
  });
});

describe('SHOW and DESCRIBE', () => {
  it.each<[string, unknown[][]]>([
    ["SHOW TABLES LIKE 'p%'", [['public', 'plain', 'BASE TABLE', 'FACT', null, '0', '0', '0', null, '0']]],
    ['SHOW DATABASES', [['elsewhere'], ['tessera']]],
    [
      'SHOW SCHEMAS',
      ['information_schema', 'other', 'pg_catalog', 'public'].map((name) => ['tessera', name]),
    ],
    ['SHOW VIEWS', [['public', 'seen', 'SELECT k, v FROM other.filled WHERE k > 50']]],
    [
      'SHOW INDEXES IN other',
      [
        ['other', 'filled', 'agg'],
        ['other', 'filled', 'filled'],
        ['other', 'filled', 'skip'],
      ],
    ],
    [
      'SHOW COLUMNS IN other.filled',
      [
        ['k', 'integer', 'NO', null],
        ['v', 'text', 'YES', null],
      ],
    ],
    [
      'DESCRIBE other.filled',
      [
        ['k', 'integer', 'NO', null],
        ['v', 'text', 'YES', null],
      ],
    ],
    [
      'DESCRIBE seen',
      [
        ['K', 'integer', 'NO', null],
        ['v', 'text', 'YES', null],
      ],
    ],
    ['SHOW CREATE TABLE plain', [['plain', 'CREATE FACT TABLE public.plain (\n  a integer\n)']]],
    ['SHOW LOCATIONS', [['lake', 'AMAZON_S3', 's3://lake', 'tester', null]]],
    ['SHOW USERS', [['tessera', null, 'test', 'YES', 'NO', 'tessera']]],
    [
      'SHOW ROLES',
      [
        ['public', 'tessera'],
        ['system_admin', 'tessera'],
      ],
    ],
    ['SHOW TABLES IN elsewhere', []],
  ])('%s', async (sql, rows) => {
    const answer = await node.rows(sql);
    expect(answer.map((row, i) => row.slice(0, rows[i]?.length))).toEqual(rows);
  });

  it.each([
    ['DESCRIBE nosuch', 'UNDEFINED_TABLE', 10],
    ['SHOW CREATE TABLE plan', 'UNDEFINED_TABLE', 19],
    ['SHOW TABLES IN nosuch', 'UNDEFINED_SCHEMA', 16],
    ['SHOW TABLES IN nosuch.public', 'DATABASE_NOT_FOUND', 16],
  ])('%s', async (sql, name, startColumn) => {
    await expect(node.run(sql)).rejects.toMatchObject({ name, location: { startColumn } });
  });
});
