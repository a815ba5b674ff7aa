import { afterAll, beforeAll, expect, it } from 'vitest';
import { query, upload } from './http.ts';
import { type SharedNode, takeSharedNode } from './shared-node.ts';

/** Texts of this length are split in several turns of the event loop and prepared in another thread. */
const PADDING = `/* ${'long '.repeat(5_000)} */`;

const JSON_OUTPUT = { output_format: 'JSON_Compact' };

const SCHEMA = [
  'CREATE TABLE t (a BIGINT NOT NULL, b TEXT, n NUMERIC(12, 3), at TIMESTAMPTZ, PRIMARY KEY (a)) PRIMARY INDEX a',
  "INSERT INTO t SELECT i, 'b' || (i % 7), i * 1.25, TIMESTAMPTZ '2026-01-01 00:00:00+00' + INTERVAL '1 hour' * i FROM generate_series(1, 5000) AS g(i)",
  'CREATE AGGREGATING INDEX t_sums ON t (b, sum(n), count(*))',
  'CREATE VIEW v AS SELECT b, count(*) AS rows FROM t GROUP BY b',
  'CREATE TABLE patterns (p TEXT)',
  "INSERT INTO patterns VALUES ('^b[12]$'), ('5'), ('x')",
  'CREATE SEQUENCE s',
  'CREATE TABLE target (x INT, y TEXT)',
];

/** Each with everything that the thread asks the node for: tables, views, indexes, sequences, files, system relations, constants. */
const STATEMENTS = [
  'SELECT a, b, n, at FROM t WHERE a < 4 ORDER BY a',
  'SELECT b, sum(n), count(*) FROM t GROUP BY b ORDER BY b',
  'EXPLAIN SELECT b, sum(n) FROM t GROUP BY b',
  'SELECT * FROM v ORDER BY b',
  'SELECT count(*) FROM t, patterns WHERE b ~ p',
  "SELECT currval('s')",
  "SELECT nextval('s') > 0, nextval('s') > 1",
  "SELECT table_name FROM information_schema.tables WHERE table_name = 't'",
  "SELECT relname, 't'::regclass FROM pg_class WHERE relname = 'v'",
  'SELECT * FROM t ORDER BY n DESC LIMIT 3',
  'SELECT sum(x) FROM (VALUES (1), (2.5), (NULL)) AS q(x)',
  "SELECT 1 AS x UNION ALL SELECT '2' ORDER BY x",
  'SELECT t.*, v.rows FROM t JOIN v USING (b) WHERE t.a = 17',
  "SELECT * FROM READ_CSV(URL => 'upload://f', HEADER => true)",
  "SELECT * FROM 'upload://f'",
  'INSERT INTO target SELECT a, b FROM t WHERE a < 10',
  "INSERT INTO target VALUES (1, 'one'), (2, 'two'), (DEFAULT, NULL)",
  "INSERT INTO target VALUES (1 + 1, lower('X'))",
  'UPDATE target SET y = upper(y) WHERE x = 1',
  'DELETE FROM target WHERE x > 5',
  'SELECT x, y FROM target ORDER BY x, y',
  'SELECT missing FROM t',
  'SELECT a FROM missing',
  'SELECT a FROM t WHERE',
  "SELECT 'x'::int FROM t",
  'SELECT 1; ',
  "SELECT nextval('missing')",
  "SELECT * FROM READ_CSV(URL => 'upload://missing')",
  'SELECT $1',
];

let server: SharedNode;
beforeAll(async () => {
  server = await takeSharedNode();
});
afterAll(() => server[Symbol.asyncDispose]());

/** The answers to the statements on new tables. */
async function answers(padding: string): Promise<readonly unknown[]> {
  for (const sql of [
    'DROP TABLE IF EXISTS t CASCADE',
    'DROP TABLE IF EXISTS patterns',
    'DROP TABLE IF EXISTS target',
    'DROP SEQUENCE IF EXISTS s',
    ...SCHEMA,
  ])
    expect(await query(server, sql)).toMatchObject({ status: 200 });
  const all: unknown[] = [];
  for (const statement of STATEMENTS) {
    const file = new Blob(['x,y\n1,a\n2,b\n']);
    const answer = await upload(server, `${statement} ${padding}`, { f: file }, JSON_OUTPUT);
    const { meta, data, rows, errors } = answer.text === '' ? {} : answer.json();
    all.push([statement, answer.status, meta, data, rows, errors]);
  }
  return all;
}

it('long statements have the answers of short ones', async () => {
  const short = await answers('');
  expect(await answers(PADDING)).toEqual(short);
  expect(short.filter((answer) => (answer as unknown[])[1] === 200).length).toBeGreaterThan(18);
});

it('long statements run at the same time, and one that fails leaves the others alone', async () => {
  const asked = Array.from({ length: 6 }, (_, i) =>
    i % 3 === 2 ? `SELECT missing${i}` : `SELECT ${i} AS i`,
  );
  const given = await Promise.all(asked.map((sql) => query(server, `${sql} ${PADDING}`, JSON_OUTPUT)));
  expect(given.map(({ status, json }) => (status === 200 ? json().data : status))).toEqual([
    [[0]],
    [[1]],
    400,
    [[3]],
    [[4]],
    400,
  ]);
});
