import { formatTypeName, type QueryParameter, type SqlType } from '@tessera/sql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from '../testing/test-node.ts';

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.open();
  await node.run(
    'CREATE TABLE t (i INT, l BIGINT, n NUMERIC(10, 2), s TEXT, d DATE, tz TIMESTAMPTZ, b BOOLEAN, y BYTEA, a INT[])',
  );
});
afterAll(() => node[Symbol.asyncDispose]());

const nameOf = (type: SqlType): string => formatTypeName({ type, nullable: false });

/** The description as `types -> columns`. */
const described = async (sql: string, given: Readonly<Record<string, SqlType>> = {}) => {
  const parameters = Object.entries(given).map(([name, type]) => ({ name, type, value: null }));
  const { parameters: found, columns } = await node.describe(sql, { parameters });
  const types = found.map(({ name, type }) => `${name} ${nameOf(type)}`).join(', ');
  return `${types} -> ${columns?.map(({ type }) => nameOf(type)).join(', ') ?? 'nothing'}`;
};

describe('parameters have the type that their position requires', () => {
  it.each([
    [
      'SELECT * FROM t WHERE i = $1 AND n > $2 AND d BETWEEN $3 AND $4',
      '$1 int, $2 Decimal(10, 2), $3 date, $4 date',
    ],
    ['SELECT i FROM t WHERE tz < $1 OR s LIKE $2 OR b = $3', '$1 timestamptz, $2 text, $3 boolean'],
    ["SELECT i FROM t WHERE s LIKE '%' || $1 || '%' OR s NOT ILIKE $2", '$1 text, $2 text'],
    ['SELECT i FROM t WHERE i IN ($1, $2) LIMIT $3 OFFSET $4', '$1 int, $2 int, $3 long, $4 long'],
    ['SELECT i, (SELECT s FROM t u WHERE u.i = t.i LIMIT $1 OFFSET $2) FROM t', '$1 long, $2 long'],
    ['SELECT $1::int + 1, $2', '$1 int, $2 text'],
    ['SELECT i FROM t WHERE i = ANY($1)', '$1 array(int null)'],
    ['SELECT coalesce(n, $1) FROM t', '$1 Decimal(10, 2)'],
    [
      'SELECT i FROM t WHERE l <> ALL($1) AND coalesce($2, $3) = s AND i = $4',
      '$1 array(long null), $2 text, $3 text, $4 int',
    ],
    ['SELECT $1 + 1, l * $2, $3 / l FROM t', '$1 int, $2 long, $3 long'],
    [
      'INSERT INTO t VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)',
      '$1 int, $2 long, $3 Decimal(10, 2), $4 text, $5 date, $6 timestamptz, $7 boolean, $8 bytea, $9 array(int null)',
    ],
    ['INSERT INTO t (s, i) VALUES ($1, $2), ($3, $4)', '$1 text, $2 int, $3 text, $4 int'],
    [
      'INSERT INTO t (d, l) SELECT $1, $2 UNION ALL SELECT d, $3 FROM t WHERE i = $4',
      '$1 date, $2 long, $3 long, $4 int',
    ],
    ['UPDATE t SET n = $1, tz = $2 WHERE s = $3', '$1 Decimal(10, 2), $2 timestamptz, $3 text'],
    ['DELETE FROM t WHERE y = $1 AND i > $2', '$1 bytea, $2 int'],
    ['DELETE FROM t', ''],
    [
      'MERGE INTO t USING (SELECT $1::int AS k) AS q ON t.i = q.k WHEN MATCHED THEN UPDATE SET l = $2 WHEN NOT MATCHED THEN INSERT (i, d) VALUES (q.k, $3)',
      '$1 int, $2 long, $3 date',
    ],
    ['CREATE TABLE made AS SELECT i FROM t WHERE i > $1', '$1 int'],
    ['EXPLAIN SELECT i FROM t WHERE d = $1', '$1 date'],
  ])('%s', async (sql, types) => {
    expect((await described(sql)).split(' -> ')[0]).toBe(types);
  });
});

describe('results are described without running', () => {
  it.each([
    [
      'SELECT i, l, n, s, d, tz, b, y, a FROM t',
      'int, long, Decimal(10, 2), text, date, timestamptz, boolean, bytea, array(int null)',
    ],
    ['EXPLAIN SELECT i FROM t', 'text'],
    ['EXPLAIN (ALL) SELECT i FROM t', 'text, text, text'],
    ['SHOW TABLES', expect.stringContaining('text, text')],
    ['SHOW statement_timeout', 'text, text'],
    ['CALL collect_garbage()', 'long, long'],
    ['INSERT INTO t (i) VALUES (1)', 'nothing'],
    ['UPDATE t SET i = 1', 'nothing'],
    ['BEGIN', 'nothing'],
    ['CREATE TABLE x (a INT)', 'nothing'],
  ])('%s', async (sql, columns) => {
    expect((await described(sql)).split(' -> ')[1]).toEqual(columns);
    expect(await node.rows('SELECT count(*) FROM t')).toEqual([['0']]);
  });
});

it('types that the client gave are kept', async () => {
  expect(await described('SELECT $1, $2 + 1', { $1: { kind: 'date' }, $2: { kind: 'long' } })).toBe(
    '$1 date, $2 long -> date, long',
  );
  expect(await described('SELECT i FROM t WHERE i = $1', { $1: { kind: 'text' } })).toBe('$1 text -> int');
});

it('errors point into the statement', async () => {
  const sql = 'UPDATE t SET i = $1\n  WHERE nosuch = $2';
  await expect(node.describe(sql)).rejects.toMatchObject({ name: 'UNDEFINED_NAME', location: { line: 2 } });
  await expect(node.describe('INSERT INTO nosuch VALUES ($1)')).rejects.toMatchObject({
    name: 'UNDEFINED_TABLE',
  });
});

describe('statements run with the described parameter types and return the described result types', () => {
  const text = (name: string, value: string | null, type?: SqlType): QueryParameter => ({
    name,
    value,
    type,
  });

  it('INSERT, UPDATE, DELETE, MERGE', async () => {
    const sql = 'INSERT INTO t (i, n, s, d, b, y, a) VALUES ($1, $2, $3, $4, $5, $6, $7)';
    const { parameters } = await node.describe(sql);
    const values = ['7', '1.5', "it's", '0044-03-15 BC', 'yes', '\\x00ff', '{1,NULL}'];
    const typed = parameters.map(({ name, type }, i) => text(name, values[i]!, type));
    expect((await node.run(sql, { parameters: typed })).affectedRows).toBe(1);
    expect(await node.rows('SELECT i, n::text, s, d::text, b, y, a FROM t')).toEqual([
      [7, '1.50', "it's", '0044-03-15 BC', true, '\\x00ff', [1, null]],
    ]);
    const update = 'UPDATE t SET l = $1 WHERE i = $2';
    const given = [text('$1', '9', { kind: 'long' }), text('$2', '7', { kind: 'int' })];
    expect((await node.run(update, { parameters: given })).affectedRows).toBe(1);
    expect((await node.run('DELETE FROM t WHERE l = $1', { parameters: given })).affectedRows).toBe(1);
  });

  it.each([
    ['SELECT $1 + 1 AS v', ['41']],
    ['SELECT $1::numeric(10, 3) AS v', ['1.5']],
    ['SELECT $1 AS v', ['x']],
    ['SELECT sum($1::bigint) AS v', ['4']],
    ['SELECT i FROM t WHERE i = ANY($1)', ['{1,2}']],
    ['SELECT coalesce($1, $2) AS v', ['a', 'b']],
    ["SELECT $1 || '!' AS v", ['a']],
    ["SELECT date_trunc('day', $1::timestamptz) AS v", ['2024-01-01 12:00:00+00']],
    ['SELECT ARRAY[$1::int, 2] AS v', ['1']],
    ['SELECT CASE WHEN $1 THEN $2 ELSE 0 END AS v', ['t', '5']],
    ['SELECT abs($1::int) AS v', ['-5']],
    ['SELECT i / $1 FROM t WHERE l % $2 = 0 AND l <> ALL($3)', ['5', '7', '{1,2}']],
    ['SELECT i FROM t LIMIT $1', ['1']],
  ])('%s', async (sql, values) => {
    const described = await node.describe(sql);
    const parameters = described.parameters.map(({ name, type }, i) => text(name, values[i]!, type));
    const ran = await node.columns(sql, { parameters });
    expect(ran.map(({ type }) => nameOf(type))).toEqual(described.columns!.map(({ type }) => nameOf(type)));
  });

  it.each([
    ['1.5', { kind: 'int' }, 'CAST_ERROR'],
    ['2147483648', { kind: 'int' }, 'OUT_OF_RANGE'],
    ['perhaps', { kind: 'boolean' }, 'CAST_ERROR'],
    ['{1,x}', { kind: 'array', element: { kind: 'int' } }, 'CAST_ERROR'],
    ['{1', { kind: 'array', element: { kind: 'int' } }, 'CAST_ERROR'],
    ['2024-02-30', { kind: 'date' }, 'DATETIME_OUT_OF_RANGE'],
    ['{"a":', { kind: 'json' }, 'CAST_ERROR'],
  ] as const)('%s is not a valid %j', async (value, type, name) => {
    const parameters = [text('$1', value, type)];
    await expect(node.rows('SELECT $1', { parameters })).rejects.toMatchObject({ name });
  });
});
