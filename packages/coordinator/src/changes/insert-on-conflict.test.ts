import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { QueryBinder } from '../binder/query-binder.ts';
import { TestNode } from '../testing/test-node.ts';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.open();
});

afterAll(() => node[Symbol.asyncDispose]());

const all = async (...statements: string[]) => {
  for (const sql of statements) await node.run(sql);
};
const begin = async (): Promise<{ transactionId: string }> => {
  const { session } = await node.run('BEGIN');
  if (session?.kind !== 'set') throw new Error('BEGIN sets the transaction');
  return { transactionId: session.value };
};
const upsert = (table: string, key: number) =>
  `INSERT INTO ${table} VALUES (${key}, 1) ON CONFLICT (k) DO UPDATE SET n = ${table}.n + 1`;

describe('transactions', () => {
  it.each([
    ['upserts of one new key', upsert('c1', 1), upsert('c1', 1)],
    ['an upsert after an insert', 'INSERT INTO c1 VALUES (1, 5)', upsert('c1', 1)],
    [
      'DO NOTHING after an insert',
      'INSERT INTO c1 VALUES (1, 5)',
      'INSERT INTO c1 VALUES (1, 1) ON CONFLICT DO NOTHING',
    ],
    [
      'DO NOTHING after an update',
      'UPDATE c1 SET k = 1 WHERE k = 0',
      'INSERT INTO c1 VALUES (1, 1) ON CONFLICT (k) DO NOTHING',
    ],
    ['an upsert of a row that was deleted', 'DELETE FROM c1 WHERE k = 0', upsert('c1', 0)],
    ['updates of one row', upsert('c1', 0), upsert('c1', 0)],
  ])('%s do not both commit', async (_, first, second) => {
    await all('CREATE OR REPLACE TABLE c1 (k INT PRIMARY KEY, n INT)', 'INSERT INTO c1 VALUES (0, 0)');
    const transaction = await begin();
    await node.run(second, transaction);
    await node.run(first);
    await expect(node.run('COMMIT', transaction)).rejects.toMatchObject({ name: 'TRANSACTION_CONFLICT' });
    expect(await node.rows('SELECT k FROM c1 GROUP BY k HAVING count(*) > 1')).toEqual([]);
  });

  it('commits where nothing that it read is different: updates of other rows, rows that conflict anyway', async () => {
    await all('CREATE TABLE c2 (k INT PRIMARY KEY, n INT)', 'INSERT INTO c2 VALUES (0, 0)');
    await all('INSERT INTO c2 VALUES (1, 0)');
    const transaction = await begin();
    await node.run(upsert('c2', 0), transaction);
    await node.run('INSERT INTO c2 VALUES (1, 9) ON CONFLICT DO NOTHING', transaction);
    await all('INSERT INTO c2 VALUES (2, 0)', upsert('c2', 1));
    await node.run('COMMIT', transaction);
    expect(await node.rows('SELECT * FROM c2 ORDER BY k')).toEqual([
      [0, 1],
      [1, 1],
      [2, 0],
    ]);
  });

  it('repeats statements outside transactions: none is lost and no key occurs twice', async () => {
    await all('CREATE TABLE c3 (k INT PRIMARY KEY, n INT)');
    const results = await Promise.all(
      Array.from({ length: 24 }, (_, i) => [
        node.run(upsert('c3', i % 3)),
        i % 6 === 0 && node.run(`INSERT INTO c3 VALUES (${100 + i}, 0)`),
      ]).flat(),
    );
    expect(results.filter((done) => done !== false)).toHaveLength(28);
    expect(await node.rows('SELECT * FROM c3 WHERE k < 100 ORDER BY k')).toEqual([
      [0, 8],
      [1, 8],
      [2, 8],
    ]);
  });
});

describe('a constraint that is not enforced', () => {
  it('DO UPDATE changes every row that has the key', async () => {
    await all('CREATE TABLE d1 (k INT UNIQUE, n INT)', 'INSERT INTO d1 VALUES (1, 1), (1, 2)');
    expect(
      await node.rows('INSERT INTO d1 VALUES (1, 9) ON CONFLICT (k) DO UPDATE SET n = d1.n + 10 RETURNING n'),
    ).toHaveLength(2);
    expect(await node.rows('SELECT n FROM d1 ORDER BY n')).toEqual([[11], [12]]);
    await expect(
      node.run('INSERT INTO d1 VALUES (1, 9), (1, 8) ON CONFLICT (k) DO UPDATE SET n = 0'),
    ).rejects.toMatchObject({ name: 'CARDINALITY_VIOLATION', message: expect.stringContaining('"d1"') });
  });

  it('refuses rows whose conflicts with one another form a chain over several constraints', async () => {
    await node.run('CREATE TABLE d2 (a INT UNIQUE, b INT UNIQUE)');
    const rows = 'INSERT INTO d2 VALUES (1, 1), (1, 2), (3, 2) ON CONFLICT';
    await expect(node.run(`${rows} DO NOTHING`)).rejects.toMatchObject({
      name: 'NOT_SUPPORTED',
      message: expect.stringContaining('name one constraint'),
    });
    expect(await node.run(`${rows} (a) DO NOTHING`)).toMatchObject({ affectedRows: 2 });
  });
});

it('takes parameters, and tells their types and its columns before it runs', async () => {
  await node.run('CREATE TABLE p1 (k INT PRIMARY KEY, v NUMERIC(8, 2), t TEXT)');
  const sql =
    'INSERT INTO p1 (k, v) VALUES ($1, $2) ON CONFLICT (k) DO UPDATE SET v = $3, t = p1.t || $4 WHERE p1.k < $5 RETURNING v, t, $6::date AS d';
  const { parameters, columns } = await node.describe(sql);
  expect(parameters.map(({ name, type }) => [name, type?.kind])).toEqual([
    ['$1', 'int'],
    ['$2', 'decimal'],
    ['$3', 'decimal'],
    ['$4', 'text'],
    ['$5', 'int'],
    ['$6', 'date'],
  ]);
  expect(columns?.map(({ name, type }) => [name, type.kind])).toEqual([
    ['v', 'decimal'],
    ['t', 'text'],
    ['d', 'date'],
  ]);
  const nothing = await node.describe('INSERT INTO p1 (k) VALUES ($1) ON CONFLICT DO NOTHING');
  expect(nothing).toMatchObject({ parameters: [{ type: { kind: 'int' } }], columns: undefined });
  const values = ['1', '1.5', '2.5', 'x', '5', '2024-01-01'];
  const asked = { parameters: values.map((value, i) => ({ name: `$${i + 1}`, value })) };
  expect(await node.rows(sql, asked)).toEqual([['1.50', null, '2024-01-01']]);
  expect(await node.rows(sql, asked)).toEqual([['2.50', null, '2024-01-01']]);
});

it('stores one row of literals or parameters without a table of changed rows', async () => {
  await all('CREATE TABLE f1 (k INT PRIMARY KEY, n INT)');
  const session = await node.kernel.session();
  const createTable = vi.spyOn(Object.getPrototypeOf(session) as typeof session, 'createTable');
  await session.close();
  const upsert = 'VALUES ($1, $2) ON CONFLICT (k) DO UPDATE SET n = f1.n + excluded.n * $2';
  const parameters = [
    { name: '$1', value: 1n },
    { name: '$2', value: 3n },
  ];
  for (const [statement, affectedRows] of [
    [upsert, 1],
    [upsert, 1],
    ['VALUES ($1, $2) ON CONFLICT (k) DO NOTHING', 0],
  ] as const)
    expect(await node.run(`INSERT INTO f1 ${statement}`, { parameters })).toMatchObject({ affectedRows });
  await node.run('INSERT INTO f1 VALUES (2, 5) ON CONFLICT DO NOTHING');
  expect(await node.rows('SELECT * FROM f1 ORDER BY k')).toEqual([
    [1, 12],
    [2, 5],
  ]);
  expect(createTable).not.toHaveBeenCalled();
  await node.run('INSERT INTO f1 VALUES (3, 1), (4, 2) ON CONFLICT DO NOTHING');
  expect(createTable).toHaveBeenCalled();
});

describe('one row of literals or parameters with RETURNING', () => {
  // A CTE leads to the query that compares many rows.
  const many = (insert: string) => `WITH w AS (SELECT 1) ${insert}`;
  const parameters = ['1', '2', '7'].map((value, i) => ({ name: `$${i + 1}`, value }));
  const CLAUSES = [
    'ON CONFLICT (k) DO UPDATE SET n = excluded.n RETURNING k, n',
    "ON CONFLICT (k) DO UPDATE SET n = TABLE.n + excluded.n, s = 'y' RETURNING *, n + 1 AS next, TABLE.*, upper(s)",
    'ON CONFLICT (k) DO UPDATE SET n = excluded.n WHERE TABLE.n < excluded.n RETURNING k, n, s',
    'ON CONFLICT (k) DO UPDATE SET n = excluded.n WHERE TABLE.n > 1000 RETURNING k',
    'ON CONFLICT (k) DO NOTHING RETURNING k, n * 2',
    'ON CONFLICT DO NOTHING RETURNING *',
    'ON CONFLICT (k) DO UPDATE SET n = 5 WHERE TABLE.n < excluded.n',
  ];

  it.each(CLAUSES)('%s', async (clause) => {
    const create = (name: string) =>
      `CREATE OR REPLACE TABLE ${name} (k INT PRIMARY KEY, n BIGINT, s VARCHAR(5))`;
    for (const name of ['r1', 'r2']) await all(create(name), `INSERT INTO ${name} VALUES (0, 0, 'z')`);
    for (const values of [
      "(1, 10, 'a')",
      "(1, '11', 'b')",
      "('1', 5, 'c')",
      "(0, 3, 'd  ')",
      "(2, 1, 'e')",
    ]) {
      const outcome = async (name: string, around: (sql: string) => string) => {
        const sql = around(`INSERT INTO ${name} VALUES ${values} ${clause.replaceAll('TABLE', name)}`);
        const isReturning = clause.includes('RETURNING');
        const columns = isReturning
          ? (await node.describe(sql)).columns?.map(({ name, type }) => [name, type])
          : [];
        return { result: isReturning ? await node.rows(sql) : await node.run(sql), columns };
      };
      expect(await outcome('r1', (sql) => sql)).toEqual(await outcome('r2', many));
      expect(await node.rows('SELECT * FROM r1 ORDER BY k')).toEqual(
        await node.rows('SELECT * FROM r2 ORDER BY k'),
      );
    }
  });

  it('takes parameters that stand only after the row', async () => {
    await all('CREATE TABLE r3 (k INT PRIMARY KEY, n INT)');
    const sql =
      'INSERT INTO r3 VALUES ($1, $2) ON CONFLICT (k) DO UPDATE SET n = r3.n + $3 RETURNING k, n, $3::int';
    expect(await node.rows(sql, { parameters })).toEqual([[1, 2, 7]]);
    expect(await node.rows(sql, { parameters })).toEqual([[1, 9, 7]]);
  });

  it('does not compare many rows, and is shown so by EXPLAIN', async () => {
    await all('CREATE TABLE r4 (k INT PRIMARY KEY, n INT)', 'INSERT INTO r4 VALUES (1, 1)');
    const insert = 'INSERT INTO r4 VALUES (1, 2) ON CONFLICT (k) DO UPDATE SET n = excluded.n RETURNING k';
    const executable = vi.spyOn(QueryBinder.prototype, 'executable');
    expect(await node.rows(insert)).toEqual([[1]]);
    expect(executable.mock.calls.map(([{ text }]) => text)).toEqual([
      expect.stringMatching(/ FROM "r4" WHERE/),
    ]);
    executable.mockRestore();
    const [[plan]] = (await node.rows(`EXPLAIN ${insert}`)) as [[string]];
    expect(plan).toMatch(/^Insert \[table: r4; on conflict: do update; keys: k\]\n(?!.*join)/is);
  });

  it('changes nothing if an item of RETURNING fails', async () => {
    await all('CREATE TABLE r5 (k INT PRIMARY KEY, s TEXT)', "INSERT INTO r5 VALUES (1, 'x')");
    for (const key of [1, 2])
      await expect(
        node.rows(
          `INSERT INTO r5 VALUES (${key}, 'y') ON CONFLICT (k) DO UPDATE SET s = 'y'\nRETURNING s::int`,
        ),
      ).rejects.toMatchObject({ name: 'CAST_ERROR' });
    expect(await node.rows('SELECT * FROM r5')).toEqual([[1, 'x']]);
    await expect(
      node.rows("INSERT INTO r5 VALUES (3, 'y') ON CONFLICT (k) DO UPDATE SET s = 'y'\nRETURNING excluded.s"),
    ).rejects.toMatchObject({ location: { line: 2 } });
  });
});

it('points at the mistake', async () => {
  await node.run('CREATE TABLE e1 (k INT PRIMARY KEY, n INT)');
  await expect(
    node.run('INSERT INTO e1 VALUES (1, 1)\nON CONFLICT (k) DO UPDATE\n  SET n = excluded.nosuch'),
  ).rejects.toMatchObject({ name: 'UNDEFINED_NAME', location: { line: 3, startColumn: 11 } });
  await expect(node.run('INSERT INTO e1 VALUES (1, 1)\nON CONFLICT (n) DO NOTHING')).rejects.toMatchObject({
    name: 'BINDING_ERROR',
    location: { line: 2, startColumn: 1 },
  });
});

it('refuses a statement whose parts insert into the table that it compares with', async () => {
  await node.run('CREATE TABLE w1 (k INT PRIMARY KEY)');
  const insert = 'INSERT INTO w1 VALUES (1)';
  for (const [first, second] of [
    [insert, `${insert} ON CONFLICT DO NOTHING`],
    [`${insert} ON CONFLICT DO NOTHING`, insert],
  ])
    await expect(node.run(`WITH a AS (${first} RETURNING k) ${second}`)).rejects.toMatchObject({
      name: 'NOT_SUPPORTED',
    });
  await node.run(`WITH a AS (${insert} RETURNING k) ${insert}`);
});
