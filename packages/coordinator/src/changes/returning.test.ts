import type { Transaction } from '@tessera/catalog';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StatementRequest } from '../request/statement-request.ts';
import { TestNode } from '../testing/test-node.ts';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.open();
});

afterAll(() => node[Symbol.asyncDispose]());

const all = async (...statements: string[]) => {
  for (const sql of statements) await node.run(sql);
};

describe('INSERT … RETURNING', () => {
  it('returns the rows as they are stored: casts, defaults, expressions, stars', async () => {
    await all(
      "CREATE TABLE r1 (id BIGINT NOT NULL, name TEXT DEFAULT 'none', price NUMERIC(9, 2), tags INT[])",
      'CREATE TABLE r1b (x INT)',
      'INSERT INTO r1b VALUES (7)',
    );
    const sql = `INSERT INTO r1 VALUES (1, 'a', 1.239, [1, 2]), (2, DEFAULT, NULL, NULL)
      RETURNING *, id + 1 AS next, upper(name), (SELECT max(x) FROM r1b), r1.id, public.r1.id AS q, r1.*`;
    expect((await node.columns(sql)).map(({ name }) => name)).toEqual(
      'id name price tags next upper max id q id name price tags'.split(' '),
    );
    expect(await node.rows(sql)).toEqual([
      ['1', 'a', '1.24', [1, 2], '2', 'A', 7, '1', '1', '1', 'a', '1.24', [1, 2]],
      ['2', 'none', null, null, '3', 'NONE', 7, '2', '2', '2', 'none', null, null],
    ]);
    expect(await node.rows('SELECT count(*) FROM r1')).toEqual([['4']]);
  });

  it('returns the name of the table as a row of its columns alone, in every statement', async () => {
    await node.run('CREATE TABLE whole (a INT, "B b" TEXT)');
    const row = (a: number, b: string) => ({ a, 'B b': b });
    expect(
      await node.rows("INSERT INTO whole VALUES (1, 'x'), (2, 'y') RETURNING whole, to_json(whole), a whole"),
    ).toEqual([
      [row(1, 'x'), JSON.stringify(row(1, 'x')), 1],
      [row(2, 'y'), JSON.stringify(row(2, 'y')), 2],
    ]);
    const update = `UPDATE whole AS w SET "B b" = 'z' FROM (VALUES (1, 5)) s(x, y) WHERE x = a
      RETURNING w, CASE WHEN w IS NULL THEN NULL ELSE w END AS w, s, (SELECT w FROM (SELECT 7 AS w) q)`;
    expect(await node.rows(update)).toEqual([[row(1, 'z'), row(1, 'z'), { x: 1, y: 5 }, 7]]);
    expect(await node.rows('DELETE FROM whole WHERE a = 1 RETURNING (whole)')).toEqual([[row(1, 'z')]]);
    for (const sql of ['UPDATE whole SET a = 1 RETURNING sum(a)', 'UPDATE whole SET a = max(a)'])
      await expect(node.rows(sql)).rejects.toThrow(
        'Aggregate functions are not allowed in SET and RETURNING',
      );
    await node.run('CREATE TABLE named (a INT, named TEXT)');
    expect(await node.rows("INSERT INTO named VALUES (1, 'x') RETURNING named")).toEqual([['x']]);
  });

  it('accepts DEFAULT VALUES, queries with and without column names, WITH, an alias, parameters', async () => {
    await all("CREATE TABLE r2 (a INT DEFAULT 5, b TEXT DEFAULT 'd')");
    const rows = (sql: string, value?: string) =>
      node.rows(sql, value === undefined ? {} : { parameters: [{ name: '$1', value }] });
    expect(await rows('INSERT INTO r2 DEFAULT VALUES RETURNING a, b')).toEqual([[5, 'd']]);
    expect(await rows('INSERT INTO r2 SELECT 1 RETURNING *')).toEqual([[1, 'd']]);
    expect(await rows("INSERT INTO r2 SELECT 1, 'x' RETURNING *")).toEqual([[1, 'x']]);
    expect(await rows("INSERT INTO r2 (b) SELECT 'y' RETURNING b, a")).toEqual([['y', 5]]);
    expect(
      await rows(
        'WITH w AS (SELECT 8 AS v) INSERT INTO r2 (a) SELECT v FROM w RETURNING a, (SELECT v FROM w)',
      ),
    ).toEqual([[8, 8]]);
    expect(await rows('INSERT INTO r2 AS x (a) VALUES ($1) RETURNING x.a, x.*, $1', '3')).toEqual([
      [3, 3, 'd', '3'],
    ]);
    expect(await rows('INSERT INTO r2 SELECT a FROM r2 WHERE false RETURNING a')).toEqual([]);
    await expect(node.run('INSERT INTO r2 SELECT 1, 2, 3 RETURNING a')).rejects.toMatchObject({
      name: 'SYNTAX_ERROR',
      message: 'INSERT has 3 values, but table "r2" has 2 columns',
    });
  });

  it('computes each row once, in the order of VALUES', async () => {
    await all('CREATE TABLE r3 (id INT, r DOUBLE DEFAULT random())');
    const values = Array.from({ length: 500 }, (_, i) => `(${i})`).join(', ');
    const returned = await node.rows(`INSERT INTO r3 (id) VALUES ${values} RETURNING id, r, r AS again`);
    expect(returned.map(([id]) => id)).toEqual(Array.from({ length: 500 }, (_, i) => i));
    expect(returned.every(([, r, again]) => r === again)).toBe(true);
    expect(await node.rows('SELECT id, r, r FROM r3 ORDER BY id')).toEqual(returned);
  });

  it('streams many rows', async () => {
    await all('CREATE TABLE r4 (a BIGINT)');
    const rows = await node.rows('INSERT INTO r4 SELECT * FROM generate_series(1, 300000) RETURNING a');
    expect([rows.length, rows[0], rows.at(-1)]).toEqual([300_000, ['1'], ['300000']]);
    expect(await node.rows('SELECT count(*), max(a) FROM r4')).toEqual([['300000', '300000']]);
  });

  it('stores nothing when an expression of RETURNING fails, or the rows are too many', async () => {
    await all('CREATE TABLE r5 (a INT NOT NULL)');
    const fails = (sql: string, error: object, settings = {}) =>
      expect(node.finish(sql, { settings })).rejects.toMatchObject(error);
    await fails("INSERT INTO r5 VALUES (1) RETURNING\n  ('x' || a)::INT", { name: 'CAST_ERROR' });
    await fails('INSERT INTO r5 VALUES (1) RETURNING\n  nosuch', {
      name: 'UNDEFINED_NAME',
      location: { line: 2, startColumn: 3 },
    });
    await fails('INSERT INTO r5 VALUES (NULL) RETURNING a', {
      name: 'NOT_NULL_VIOLATION',
      message: expect.stringContaining('"a"'),
    });
    const limit = { max_result_rows: '2' };
    await fails('INSERT INTO r5 VALUES (1), (2), (3) RETURNING a', { name: 'RESULT_TOO_LARGE' }, limit);
    expect(await node.rows('SELECT count(*) FROM r5')).toEqual([['0']]);
  });

  it('is not run again with the same query id: its rows are gone', async () => {
    await all('CREATE TABLE r6 (a INT)');
    const again = () => node.rows('INSERT INTO r6 VALUES (1) RETURNING a', { queryId: 'returned-once' });
    expect(await again()).toEqual([[1]]);
    await expect(again()).rejects.toMatchObject({
      name: 'ALREADY_COMMITTED',
      message: expect.stringContaining('returned-once'),
    });
    expect(await node.rows('SELECT * FROM r6')).toEqual([[1]]);
  });
});

describe('UPDATE … RETURNING', () => {
  it('returns the new values and the rows of FROM', async () => {
    await all(
      'CREATE TABLE u1 (id INT, n INT, note TEXT)',
      "INSERT INTO u1 VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c')",
      'CREATE TABLE u1s (id INT, extra INT)',
      'INSERT INTO u1s VALUES (1, 100), (2, 200), (9, 900)',
    );
    expect(
      await node.rows('UPDATE u1 SET n = n + 1 WHERE id < 3 RETURNING id, n, u1.n * 2 AS double'),
    ).toEqual(
      expect.arrayContaining([
        [1, 11, 22],
        [2, 21, 42],
      ]),
    );
    expect(
      await node.rows(
        'UPDATE u1 AS t SET n = t.n + s.extra FROM u1s AS s WHERE t.id = s.id RETURNING t.id, t.n, s.extra, s.*, *',
      ),
    ).toEqual(
      expect.arrayContaining([
        [1, 111, 100, 1, 100, 1, 111, 'a', 1, 100],
        [2, 221, 200, 2, 200, 2, 221, 'b', 2, 200],
      ]),
    );
    expect(
      await node.rows(
        `UPDATE public.u1 SET note = x.note || q.note
         FROM (SELECT id, 'x' AS note FROM u1s) x JOIN (VALUES (1, 'q')) AS q(id, note) ON x.id = q.id
         WHERE u1.id = x.id RETURNING public.u1.note, x.note, q.id`,
      ),
    ).toEqual([['xq', 'x', 1]]);
    expect(await node.rows('SELECT * FROM u1 ORDER BY id')).toEqual([
      [1, 111, 'xq'],
      [2, 221, 'b'],
      [3, 30, 'c'],
    ]);
    expect(await node.rows('UPDATE u1 SET n = 0 WHERE false RETURNING *')).toEqual([]);
  });
});

describe('DELETE … RETURNING', () => {
  it('returns the deleted rows', async () => {
    await all(
      'CREATE TABLE d1 (id INT, n INT)',
      'INSERT INTO d1 SELECT i, i * 10 FROM generate_series(1, 5) AS g(i)',
      'CREATE TABLE d1s (id INT)',
      'INSERT INTO d1s VALUES (2), (2), (3)',
    );
    expect(await node.rows('DELETE FROM d1 WHERE id = 1 RETURNING *')).toEqual([[1, 10]]);
    const joined = await node.rows('DELETE FROM d1 USING d1s WHERE d1.id = d1s.id RETURNING n, d1s.id');
    expect(joined.toSorted()).toEqual([
      [20, 2],
      [30, 3],
    ]);
    expect((await node.rows('DELETE FROM d1 RETURNING id')).toSorted()).toEqual([[4], [5]]);
    expect(await node.rows('SELECT count(*) FROM d1')).toEqual([['0']]);
  });
});

it('rows of an attempt that met a conflict are never seen', async () => {
  await all('CREATE TABLE c1 (a INT)', 'INSERT INTO c1 VALUES (1)');
  const { id: transactionId } = await node.coordinator.transactions!.begin('tester');
  await node.run('UPDATE c1 SET a = a + 100', { transactionId });
  const { manager } = node.tables;
  const { commit } = manager;
  let attempts = 0;
  Object.assign(manager, {
    commit: async (transaction: Transaction) => {
      attempts += 1;
      if (attempts === 1) await node.run('COMMIT', { transactionId });
      return commit.call(manager, transaction);
    },
  });
  try {
    expect(await node.rows('UPDATE c1 SET a = a + 1 RETURNING a')).toEqual([[102]]);
  } finally {
    Object.assign(manager, { commit });
  }
  // The attempts are the other transaction, the one that met the conflict, and the successful one.
  expect(attempts).toBe(3);
  expect(await node.rows('SELECT a FROM c1')).toEqual([[102]]);
});

it('is a part of its transaction', async () => {
  await all('CREATE TABLE t1 (a INT)');
  const { id } = await node.coordinator.transactions!.begin('tester');
  const asked = { transactionId: id };
  expect(await node.rows('INSERT INTO t1 VALUES (1), (2) RETURNING a', asked)).toEqual([[1], [2]]);
  expect(await node.rows('UPDATE t1 SET a = a + 10 WHERE a = 1 RETURNING a', asked)).toEqual([[11]]);
  expect(await node.rows('DELETE FROM t1 WHERE a = 2 RETURNING a', asked)).toEqual([[2]]);
  expect(await node.rows('SELECT count(*) FROM t1')).toEqual([['0']]);
  await node.run('COMMIT', asked);
  expect(await node.rows('SELECT a FROM t1')).toEqual([[11]]);
});

it('is described without being run', async () => {
  await all('CREATE TABLE e1 (a INT NOT NULL, b TEXT)');
  const types = async (sql: string) => {
    const { parameters, columns } = await node.describe(sql);
    return [
      parameters.map(({ type }) => type.kind),
      columns?.map(({ name, type }) => `${name} ${type.kind}`),
    ];
  };
  expect(await types('INSERT INTO e1 VALUES ($1, $2) RETURNING a, b, length(b)')).toEqual([
    ['int', 'text'],
    ['a int', 'b text', 'length long'],
  ]);
  expect(await types('INSERT INTO e1 SELECT $1, $2 RETURNING *')).toEqual([
    ['int', 'text'],
    ['a int', 'b text'],
  ]);
  expect(await types('UPDATE e1 SET b = $1 WHERE a = $2 RETURNING a AS x, b')).toEqual([
    ['text', 'int'],
    ['x int', 'b text'],
  ]);
  expect(await types('DELETE FROM e1 WHERE a = $1 RETURNING b')).toEqual([['int'], ['b text']]);
  expect(await types('INSERT INTO e1 VALUES ($1, $2)')).toEqual([['int', 'text'], undefined]);
  expect(await node.rows('SELECT count(*) FROM e1')).toEqual([['0']]);
});

it('is available in every output format', async () => {
  await all('CREATE TABLE f1 (a INT, b TEXT)');
  const body = (encoding: StatementRequest['encoding']) =>
    node.body("INSERT INTO f1 VALUES (1, 'x') RETURNING b, a", { encoding });
  expect(await body({ kind: 'rows', format: 'tsv' })).toBe('x\t1\n');
  expect(await body({ kind: 'table' })).toMatch(/x \| +1/);
  expect(await body({ kind: 'parquet' })).toMatch(/^PAR1/);
  expect(await body({ kind: 'arrow' })).not.toBe('');
  expect(await node.rows('SELECT count(*) FROM f1')).toEqual([['4']]);
});
