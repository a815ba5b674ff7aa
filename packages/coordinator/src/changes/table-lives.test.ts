import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode } from '../testing/test-node.ts';

/** Tables that undergo several changes in sequence. */
let node: TestNode;

beforeAll(async () => {
  node = await TestNode.open();
});

afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

const all = async (...statements: string[]) => {
  for (const sql of statements) await node.run(sql);
};

it('UPDATE, VACUUM, CTAS and INSERT SELECT keep values of every type', async () => {
  await all(
    `CREATE TABLE ty (i INT, l BIGINT, f REAL, d DOUBLE, n NUMERIC(38, 9), t TEXT, b BOOLEAN, da DATE, ts TIMESTAMP,
      tz TIMESTAMPTZ, by BYTEA, j JSON, a INT[], s STRUCT(x INT, y TEXT), aa TEXT[][])`,
    `INSERT INTO ty VALUES (1, 2, 1.5, 2.5, 12345678901234567890.123456789, 'x''y', true, '2024-01-02',
      '2024-01-02 03:04:05.123456', '2024-01-02 03:04:05+02', '\\x6162', '{"a": [1, 2]}', ARRAY[1, 2, NULL],
      ROW(1, 'q'), ARRAY[ARRAY['a'], ARRAY['b', 'c']])`,
    'INSERT INTO ty (i) VALUES (2)',
  );
  const rows = await node.rows('SELECT * FROM ty ORDER BY i');
  expect(rows[0]).toEqual([
    ...[1, '2', 1.5, 2.5, '12345678901234567890.123456789', "x'y", true, '2024-01-02'],
    ...['2024-01-02 03:04:05.123456', '2024-01-02 01:04:05+00', '\\x6162', '{"a": [1, 2]}'],
    ...[[1, 2, null], { x: 1, y: 'q' }, [['a'], ['b', 'c']]],
  ]);
  await all('VACUUM ty', 'UPDATE ty SET i = i', 'CREATE TABLE ty2 AS SELECT * FROM ty');
  await all('CREATE TABLE ty3 CLONE ty2', 'DELETE FROM ty3', 'INSERT INTO ty3 SELECT * FROM ty');
  for (const table of ['ty', 'ty2', 'ty3']) {
    expect(await node.rows(`SELECT * FROM ${table} ORDER BY i`)).toEqual(rows);
  }
});

it('rows deleted in large numbers stay deleted, in clones and after VACUUM too', async () => {
  const count = async (table: string, where = 'true') =>
    Number((await node.rows(`SELECT count(*) FROM ${table} WHERE ${where}`))[0]![0]);
  await all(
    'CREATE TABLE big (a INT, b INT) PRIMARY INDEX a',
    'INSERT INTO big SELECT i::int, (i * 7919 % 1000)::int FROM generate_series(1, 300000) AS g(i)',
  );
  const [from300, from301] = [await count('big', 'b >= 300'), await count('big', 'b >= 301')];
  await all('DELETE FROM big WHERE b < 300', 'CREATE TABLE copy CLONE big', 'DELETE FROM big WHERE b = 300');
  expect([await count('big'), await count('copy')]).toEqual([from301, from300]);
  await all(
    'VACUUM big',
    'UPDATE copy SET b = b + 1 WHERE a % 100 = 0',
    'UPDATE copy SET b = b - 1 WHERE a % 100 = 0',
  );
  expect([await count('big'), await count('copy')]).toEqual([from301, from300]);
  await node.run('DROP TABLE big');
  expect(await count('copy', 'b >= 301')).toBe(from301);
});

it('a partitioned table in tiny tablets keeps its rows through changes of rows, partitions and columns', async () => {
  const settings = { tablet_max_size_bytes: '30000', tablet_min_size_bytes: '10000' };
  await node.run('CREATE TABLE pa (p TEXT, v INT) PRIMARY INDEX v PARTITION BY p');
  await node.run('INSERT INTO pa SELECT (i % 7)::text, i::int FROM generate_series(1, 50000) AS g(i)', {
    settings,
  });
  await all("UPDATE pa SET p = 'x' WHERE v <= 700", 'VACUUM pa');
  expect(await node.rows("SELECT count(*), sum(v), count(*) FILTER (WHERE p = 'x') FROM pa")).toEqual([
    ['50000', '1250025000', '700'],
  ]);
  await all(
    "ALTER TABLE pa DROP PARTITION 'x'",
    'ALTER TABLE pa ADD COLUMN w DOUBLE DEFAULT 1.5',
    'DELETE FROM pa WHERE w = 1.5 AND v > 25000',
    'VACUUM pa',
    "INSERT INTO pa VALUES ('z', -1, DEFAULT), (NULL, -2, 7)",
  );
  expect(await node.rows('SELECT count(*), min(w), max(v) FROM pa')).toEqual([['24302', 1.5, 25_000]]);
  await all(
    'ALTER TABLE pa DROP PARTITION NULL',
    'DELETE FROM pa WHERE v IN (SELECT v FROM pa WHERE v % 2 = 0)',
    'UPDATE pa SET w = (SELECT max(v) FROM pa) WHERE v = -1',
    'WITH k AS (SELECT 701 AS v) DELETE FROM pa USING k WHERE pa.v = k.v',
    "WITH k AS (SELECT 701 AS v) INSERT INTO pa SELECT 'w', v, 0 FROM k",
  );
  expect(await node.rows('SELECT * FROM pa WHERE v < 702')).toEqual(
    expect.arrayContaining([
      ['z', -1, 24_999],
      ['w', 701, 0],
    ]),
  );
});

it('a transaction defines, fills and changes a table that nobody else sees before it commits', async () => {
  const { session } = await node.run('BEGIN');
  if (session?.kind !== 'set') throw new Error('BEGIN sets the transaction');
  const inside = { transactionId: session.value };
  for (const sql of [
    'CREATE TABLE dd (a INT)',
    'ALTER TABLE dd ADD COLUMN b INT DEFAULT 3',
    'INSERT INTO dd (a) VALUES (1)',
    'ALTER TABLE dd RENAME TO de',
    'DELETE FROM de WHERE a = 1',
    'INSERT INTO de VALUES (4, 5)',
    'CREATE VIEW dv AS SELECT * FROM de',
  ]) {
    await node.run(sql, inside);
  }
  expect(await node.rows('SELECT * FROM dv', inside)).toEqual([[4, 5]]);
  await expect(node.rows('SELECT * FROM dv')).rejects.toMatchObject({ name: 'UNDEFINED_TABLE' });
  await node.run('COMMIT', inside);
  expect(await node.rows('SELECT * FROM dv')).toEqual([[4, 5]]);
});
