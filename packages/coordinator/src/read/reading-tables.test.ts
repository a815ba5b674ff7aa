import {
  BOOTSTRAP_DATABASE,
  BOOTSTRAP_SCHEMA,
  type DatabaseObject,
  type SchemaObject,
  type ViewObject,
} from '@tessera/catalog';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { encodeResult } from '../run/result-encoding.ts';
import { objectBase, TableFixture } from '../testing/table-fixture.ts';

let fixture: TableFixture;

function view(name: string, sql: string, more: Partial<ViewObject> = {}): ViewObject {
  return {
    kind: 'view',
    ...objectBase(name),
    schemaId: BOOTSTRAP_SCHEMA.id,
    sql,
    database: 'tessera',
    ...more,
  };
}

beforeAll(async () => {
  fixture = await TableFixture.open();
  await fixture.table(
    't',
    "SELECT i::INTEGER AS a, 'x' || i AS b, DATE '2020-01-01' + i::INTEGER AS c FROM range(10) r(i)",
    { notNull: ['a'] },
  );
  await fixture.table('u', 'SELECT i::INTEGER AS a, i * 10 AS n FROM range(5) r(i)');
  await fixture.table('Mixed Case', 'SELECT 1 AS "Key"');
  await fixture.table('empty', 'SELECT 1::BIGINT AS x WHERE false');
  const schema: SchemaObject = { kind: 'schema', ...objectBase('s'), databaseId: BOOTSTRAP_DATABASE.id };
  fixture.create(schema);
  await fixture.table('t', "SELECT 'other' AS a", { schemaId: schema.id });
  const database: DatabaseObject = { kind: 'database', ...objectBase('d2') };
  fixture.create(database);
  const other: SchemaObject = { kind: 'schema', ...objectBase('public'), databaseId: database.id };
  fixture.create(other);
  await fixture.table('t', "SELECT 'of d2' AS a", { schemaId: other.id });
  fixture.create(view('v', 'SELECT a, b FROM t WHERE a < 3'));
  fixture.create(view('named', 'SELECT a, n FROM u', { columnNames: ['k', 'v'] }));
  fixture.create(view('nested', 'SELECT count(*) AS c FROM v JOIN named ON v.a = named.k'));
  fixture.create(view('elsewhere', 'SELECT * FROM t', { database: 'd2' }));
  fixture.create(view('broken', 'SELECT nothing FROM t'));
  fixture.create(view('lost', 'SELECT * FROM gone'));
  fixture.create(view('loop_a', 'SELECT * FROM loop_b'));
  fixture.create(view('loop_b', 'SELECT * FROM loop_a'));
});
afterAll(() => fixture[Symbol.asyncDispose]());

const ANSWERS: readonly (readonly [sql: string, rows: readonly (readonly (string | null)[])[]])[] = [
  ['SELECT count(*) FROM t', [['10']]],
  ['SELECT * FROM t WHERE a = 3', [['3', 'x3', '2020-01-04']]],
  ["SELECT T.A FROM T WHERE B = 'x4'", [['4']]],
  ['SELECT x.b FROM t AS x WHERE x.a = 1', [['x1']]],
  ['SELECT public.t.b FROM t WHERE public.t.a = 1', [['x1']]],
  ['SELECT tessera.public.t.b FROM public.t WHERE tessera.public.t.a = 1', [['x1']]],
  ['SELECT public.t.a, s.t.a FROM public.t, s.t WHERE public.t.a = 2', [['2', 'other']]],
  ['SELECT public.t.b FROM public.t JOIN d2.public.t AS o ON true WHERE public.t.a = 2', [['x2']]],
  ['SELECT public.v.b FROM v WHERE public.v.a = 1', [['x1']]],
  ['SELECT (SELECT max(t.a) FROM s.t), t.b FROM t WHERE t.a = 1', [['other', 'x1']]],
  ['SELECT q.z FROM t AS q(y, z) WHERE q.y = 2', [['x2']]],
  ['SELECT "Key" FROM "Mixed Case"', [['1']]],
  ['SELECT a FROM s.t', [['other']]],
  ['SELECT a FROM tessera.s.t', [['other']]],
  ['SELECT a FROM d2.public.t', [['of d2']]],
  ['SELECT * FROM t NATURAL JOIN u WHERE n >= 40', [['4', 'x4', '2020-01-05', '40']]],
  ['SELECT * FROM (SELECT b, a FROM t) AS s NATURAL JOIN u WHERE n >= 40', [['4', 'x4', '40']]],
  [
    'SELECT * FROM (SELECT n, a FROM u) AS x JOIN public.t USING (a), s.t AS y WHERE n = 40',
    [['4', '40', 'x4', '2020-01-05', 'other']],
  ],
  ['SELECT * FROM t JOIN u USING (a) WHERE a = 2', [['2', 'x2', '2020-01-03', '20']]],
  ['SELECT u.*, t.b FROM t JOIN u ON t.a = u.a WHERE t.a = 1', [['1', '10', 'x1']]],
  ['WITH t AS (SELECT 7 AS a) SELECT a FROM t', [['7']]],
  [
    'WITH x AS (SELECT * FROM t), t AS (SELECT 8 AS a) SELECT (SELECT count(*) FROM x), a FROM t',
    [['10', '8']],
  ],
  ['SELECT (SELECT max(n) FROM u), (SELECT a FROM s.t)', [['40', 'other']]],
  ['SELECT count(*) FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)', [['5']]],
  ['SELECT count(*) FROM t WHERE a NOT IN (SELECT a FROM u)', [['5']]],
  ['SELECT sum(x) FROM empty', [[null]]],
  ['SELECT count(*) FROM t x, t y WHERE x.a = y.a', [['10']]],
  ['SELECT b FROM t WHERE false', []],
  ['SELECT * FROM v ORDER BY a DESC LIMIT 1', [['2', 'x2']]],
  ['SELECT w.b FROM v w WHERE w.a = 0', [['x0']]],
  ['SELECT k, v FROM named WHERE k = 3', [['3', '30']]],
  ['SELECT p, v FROM named AS n(p) WHERE p = 3', [['3', '30']]],
  ['SELECT * FROM nested', [['3']]],
  ['SELECT * FROM elsewhere', [['of d2']]],
  ['SELECT v.a, t.a FROM v JOIN t USING (a) WHERE v.a = 1', [['1', '1']]],
  ["SELECT 'managed.t_1' || b FROM t WHERE a = 1", [['managed.t_1x1']]],
  ['SELECT a FROM t TABLESAMPLE 100 PERCENT WHERE a = 9', [['9']]],
  ['SELECT sum(a), avg(a) FROM t', [['45', '4.5']]],
  ['FROM u SELECT a ORDER BY a LIMIT 1', [['0']]],
  ['TABLE u ORDER BY a LIMIT 1', [['0', '0']]],
  ['SELECT a / 2 FROM t WHERE a = 7', [['3']]],
  ["SELECT a FROM t WHERE c = DATE '2020-01-05' OR (a = 1 AND b = 'x1') ORDER BY 1", [['1'], ['4']]],
  ["SELECT table_name, number_of_rows FROM information_schema.tables WHERE table_name = 'u'", [['u', '5']]],
  [
    "SELECT c.column_name FROM information_schema.columns AS c JOIN u ON c.ordinal_position = u.a WHERE table_name = 'u' ORDER BY 1",
    [['a'], ['n']],
  ],
  ['SELECT a FROM u UNION ALL SELECT a FROM v ORDER BY 1 LIMIT 2', [['0'], ['0']]],
  // A scan lacks the columns that are not named; these statements depend on such columns or on their places.
  ['SELECT q.z FROM t AS q(x, y, z) WHERE q.x = 2', [['2020-01-03']]],
  ['SELECT u FROM u WHERE a = 3', [["{'a': 3, 'n': 30}"]]],
  ['SELECT count(U), count(*) FROM u', [['5', '5']]],
  ['SELECT w.r.n FROM (SELECT u AS r FROM u) AS w WHERE w.r.a = 3', [['30']]],
  ['SELECT #3 FROM t WHERE a = 3', [['2020-01-04']]],
  ["SELECT COLUMNS('a|b') FROM t WHERE a = 3", [['3', 'x3']]],
  ['SELECT a FROM u WHERE COLUMNS(*) = 40 OR n = 40', [['4']]],
  ['SELECT a FROM u ORDER BY COLUMNS(*) DESC LIMIT 1', [['4']]],
  ['SELECT a FROM u ORDER BY ALL DESC LIMIT 1', [['4']]],
  ['SELECT t.b FROM t NATURAL JOIN u WHERE n = 20', [['x2']]],
  ['SELECT count(*) FROM t WHERE EXISTS (SELECT * FROM u WHERE u.a = t.a)', [['5']]],
  ['SELECT count(*) FROM (PIVOT t ON a IN (3) USING max(b))', [['10']]],
];

test.for(ANSWERS)('%s', async ([sql, rows]) => {
  expect(await fixture.rows(sql)).toEqual(rows);
  expect(await fixture.rows(sql), 'once more, from what is remembered').toEqual(rows);
});

test('tables in memory, which are read without a plan, give the same answers', async () => {
  const snapshot = fixture.committedSnapshot;
  for (const table of ['t', 'u', 's.t', 'd2.public.t'])
    await fixture.rows(`SELECT * FROM ${table}`, { snapshot });
  await fixture.agent.settled();
  const counted = await fixture.executable('/* in memory */ SELECT count(*) FROM t', { snapshot });
  await counted.release();
  expect(counted.tables).toMatchObject([{ use: { tabletsHot: 1 } }]);
  for (const [sql, rows] of ANSWERS)
    expect(await fixture.rows(`/* in memory */ ${sql}`, { snapshot }), sql).toEqual(rows);
});

test('filtered rows of a table in memory are perhaps few, unless they are wide', async () => {
  await fixture.table('narrow', 'SELECT i AS a FROM range(20000) r(i)');
  await fixture.table(
    'wide',
    "SELECT i AS a, (SELECT string_agg(md5(i || ' ' || j), '') FROM range(60) s(j)) AS b FROM range(10) r(i)",
  );
  const snapshot = fixture.committedSnapshot;
  const fewRows = async (sql: string) => {
    const executable = await fixture.executable(sql, { snapshot });
    await executable.release();
    return executable.fewRows;
  };
  expect(await fewRows('SELECT * FROM narrow WHERE a % 2 = 0'), 'in files').toBe(false);
  for (const table of ['narrow', 'wide', 'u']) await fixture.rows(`SELECT * FROM ${table}`, { snapshot });
  await fixture.agent.settled();
  for (const [sql, expected] of [
    ['SELECT a, a + 1 FROM narrow WHERE a % 2 = 0', 'perhaps'],
    ['SELECT * FROM wide WHERE a % 2 = 0', false],
    ['SELECT * FROM narrow', false],
    ['SELECT a FROM narrow WHERE a > 1 ORDER BY a', false],
    ['SELECT a FROM narrow WHERE a > 1 LIMIT 9000', false],
    ['SELECT DISTINCT a FROM narrow WHERE a > 1', false],
    ['SELECT a FROM narrow WHERE a > 1 GROUP BY a', false],
    ['SELECT a FROM narrow WHERE a > 1 GROUP BY ALL', false],
    ['SELECT a FROM narrow WHERE a IN (SELECT a FROM u)', false],
    ['SELECT row_number() OVER () FROM narrow WHERE a > 1', false],
    ['SELECT a FROM narrow WHERE a > 1 QUALIFY row_number() OVER () = 1', false],
    ['SELECT narrow.a FROM narrow, u WHERE narrow.a = 1', false],
    ['WITH x AS (SELECT 1) SELECT a FROM narrow WHERE a > 1', false],
  ] as const)
    expect(await fewRows(sql), sql).toBe(expected);
  const sql = 'SELECT a FROM narrow WHERE a % 2 = 0';
  for (const encoding of [
    { kind: 'rows', format: 'tsv' },
    { kind: 'rows', format: 'json_array', limit: 9_000 },
    { kind: 'arrow' },
    { kind: 'postgres', formats: ['text'] },
  ] as const)
    for (const max_result_rows of [0, 9_000]) {
      const executable = await fixture.executable(sql, { snapshot });
      const request = { ...fixture.context(sql).request, encoding };
      const settings = { ...request.settings, max_result_rows };
      let rows = 0;
      for await (const chunk of encodeResult(executable, { ...request, settings })) rows += chunk.rows;
      await executable.release();
      const isLimited = max_result_rows > 0 || 'limit' in encoding;
      expect(rows, `${JSON.stringify(encoding)}, ${max_result_rows}`).toBe(isLimited ? 9_000 : 10_000);
    }
  const rows = await fixture.rows(sql, { snapshot });
  expect(rows.map(([a]) => Number(a))).toEqual(Array.from({ length: 10_000 }, (_, i) => 2 * i));
});

test('SQL reads the same rows each time if it reads nothing but whole tables in memory', async () => {
  await fixture.table('stable', 'SELECT i AS a FROM range(100) r(i)');
  await fixture.table('cold', 'SELECT i AS a FROM range(100) r(i)');
  const snapshot = fixture.committedSnapshot;
  const isFixed = async (sql: string) => {
    const executable = await fixture.executable(sql, { snapshot });
    await executable.release();
    return executable.isFixed;
  };
  const count = 'SELECT count(*) FROM stable';
  expect(await isFixed(count), 'in files').toBe(false);
  await fixture.rows(count, { snapshot });
  await fixture.agent.settled();
  for (const [sql, expected] of [
    [count, true],
    [count, true],
    ['SELECT count(*) FROM stable AS x JOIN stable AS y USING (a)', true],
    ['SELECT count(*) FROM stable, cold', false],
    ['SELECT count(*) FROM stable, information_schema.tables', false],
    ['SELECT max(now()) FROM stable', false],
    ['SELECT 1', false],
  ] as const)
    expect(await isFixed(sql), sql).toBe(expected);
});

test('a repeated query reads the contents of its snapshot, also if the table in memory has the earlier ones', async () => {
  const table = await fixture.table('grown', 'SELECT i AS a FROM range(100) r(i)');
  const sql = 'SELECT count(*) FROM grown';
  const earlier = await fixture.committedSnapshot();
  const atEarlier = async () => earlier;
  await fixture.rows(sql, { snapshot: atEarlier });
  await fixture.agent.settled();
  for (const _ of [1, 2]) expect(await fixture.rows(sql, { snapshot: atEarlier })).toEqual([['100']]);
  await fixture.insert(table, 'SELECT i AS a FROM range(5) r(i)');
  expect(await fixture.rows(sql, { snapshot: fixture.committedSnapshot })).toEqual([['105']]);
  expect(await fixture.rows(sql, { snapshot: atEarlier })).toEqual([['100']]);
});

test('a repeated query over a table in memory stays prepared if its plan holds no rows', async () => {
  await fixture.table('k', 'SELECT i AS a, i % 3 AS b, chr(65 + i::INTEGER) AS c FROM range(20) r(i)');
  const snapshot = fixture.committedSnapshot;
  const isKept = async (sql: string) => {
    const executable = await fixture.executable(sql, { snapshot });
    await executable.release();
    return executable.isKept;
  };
  const count = 'SELECT count(*) FROM k';
  for (const _ of [1, 2]) expect(await isKept(count), 'in files').toBe(false);
  await fixture.rows('SELECT * FROM k', { snapshot });
  await fixture.agent.settled();
  for (const [sql, expected] of [
    [count, true],
    ["SELECT sum(a + 1), avg(a), min(c), max(c), count(b) FROM k WHERE a <> 3 AND c LIKE '%B%'", true],
    ['SELECT count(*) FILTER (WHERE a > 3) FROM k AS x', true],
    ['SELECT count(DISTINCT a) FROM k', false],
    ['SELECT mode(a) FROM k', false],
    ['SELECT count(*), median(a) FROM k', false],
    ['SELECT min(a, 3) FROM k', false],
    ['SELECT count(*) FROM k GROUP BY b', false],
    ['SELECT count(*) FROM k HAVING count(*) > 1', false],
    ['SELECT max(a) FROM k ORDER BY 1', false],
    ['SELECT max(a) FROM k LIMIT 1', false],
    ['SELECT DISTINCT max(a) FROM k', false],
    ['SELECT count(*) FROM k AS x, k AS y', false],
    ['SELECT count(*) FROM (SELECT DISTINCT b FROM k)', false],
    ['SELECT count(*) FROM k WHERE a IN (SELECT b FROM k)', false],
    ['SELECT sum((SELECT max(a) FROM k)) FROM k', false],
    ['SELECT max(a) OVER () FROM k', false],
    ['WITH x AS (SELECT a FROM k) SELECT count(*) FROM x', false],
    ['SELECT max(current_timestamp) FROM k', false],
    ['SELECT a FROM k WHERE a = 1', false],
  ] as const) {
    // The first of two statements is not known to be repeated.
    await isKept(sql);
    expect(await isKept(sql), sql).toBe(expected);
  }
});

const REFUSED: readonly (readonly [sql: string, error: object])[] = [
  [
    'SELECT * FROM tt',
    {
      name: 'UNDEFINED_TABLE',
      message: expect.stringMatching(/"tt" does not exist \(did you mean t\?\)/),
      location: { line: 1, startColumn: 15, endColumn: 16 },
    },
  ],
  ['SELECT * FROM nowhere.t', { name: 'UNDEFINED_TABLE' }],
  ['SELECT * FROM nodb.public.t', { name: 'DATABASE_NOT_FOUND' }],
  ['SELECT zz FROM t', { name: 'UNDEFINED_NAME', location: { line: 1, startColumn: 8, endColumn: 9 } }],
  ['SELECT * FROM lost', { name: 'UNDEFINED_TABLE', location: { line: 1, startColumn: 15 } }],
  [
    'SELECT * FROM loop_a',
    { name: 'STATEMENT_FAILED', message: expect.stringContaining('refers to itself') },
  ],
  ["SELECT * FROM 'file.parquet'", { name: 'FORBIDDEN' }],
  ['SELECT * FROM information_schema.nothing', { name: 'UNDEFINED_TABLE' }],
  ['SELECT * FROM managed.t', { name: 'UNDEFINED_TABLE' }],
  ['SELECT * FROM t AT (VERSION => 1)', { name: 'NOT_SUPPORTED' }],
  ['SELECT s.t.a FROM t', { name: expect.stringMatching(/UNDEFINED_/) }],
];

test.for(REFUSED)('%s is refused', async ([sql, error]) => {
  await expect(fixture.rows(sql)).rejects.toMatchObject(error);
});

describe('the time of the statement', () => {
  const ofQuery = async (sql: string) => {
    const executable = await fixture.executable(sql);
    await executable.release();
    return executable;
  };

  it('is the same where the statement is planned and where it runs', async () => {
    const { sql } = await ofQuery('SELECT a FROM t WHERE c < current_date AND now() > c');
    expect(sql).not.toMatch(/current_date|now\(/i);
    expect((await fixture.rows('SELECT count(*) FROM t WHERE c < now()'))[0]).toEqual(['10']);
  });

  it('belongs to this execution, not to an earlier one', async () => {
    const sql = "SELECT now() - INTERVAL '1 day' FROM u LIMIT 1";
    const [first] = await fixture.rows(sql);
    const [second] = await fixture.rows(sql);
    expect(first).not.toEqual(second);
  });

  it('does not prune tablets by the clock of the kernel', async () => {
    const { tables } = await ofQuery("SELECT a FROM t WHERE c > ago(INTERVAL '1 day')");
    expect(tables[0]?.tabletsPrunedByRange).toBe(0);
  });
});

describe('a bound query', () => {
  it('reads only the columns that the plan needs', async () => {
    const columns = async (sql: string, canRunAgain: boolean) => {
      const executable = await fixture.executable(sql, { canRunAgain });
      await executable.release();
      return executable.tables.map((table) => table.columns);
    };
    expect(await columns("SELECT a FROM t WHERE b > 'x'", false)).toEqual([['a', 'b']]);
    expect(await columns('SELECT a FROM (SELECT * FROM t)', true)).toEqual([['a']]);
    expect(await columns('SELECT a FROM (SELECT * FROM t)', false)).toEqual([['a', 'b', 'c']]);
  });

  it('names the relations that the text names', async () => {
    const executable = await fixture.executable('SELECT * FROM nested, u');
    expect(executable.relations.map(({ name }) => name).sort()).toEqual(['nested', 'u']);
    await executable.release();
  });

  it('gives positions of the first relation only', async () => {
    const executable = await fixture.executable(
      'SELECT "$tablet", "$row", t.a FROM t JOIN u USING (a) WHERE t.a = 3',
      {
        rowPositionsOf: 'first relation',
      },
    );
    expect(executable.target?.tablets).toHaveLength(1);
    await executable.release();
  });

  it('sees the database of the session', async () => {
    const sessionValues = { account: '', database: 'd2', engine: 'test', user: 'ada' };
    expect(await fixture.rows('SELECT a FROM t', { sessionValues })).toEqual([['of d2']]);
  });
});

const NOT_NULL: readonly (readonly [sql: string, notNull: readonly boolean[]])[] = [
  ['SELECT a, b FROM t', [true, false]],
  ['SELECT * FROM t', [true, false, false]],
  ['SELECT x.*, 1 FROM t AS x', [true, false, false, true]],
  ['SELECT y FROM t AS x(y)', [true]],
  ['SELECT t.a, u.n FROM t JOIN u ON t.a = u.a', [true, false]],
  ['SELECT t.a FROM u LEFT JOIN t ON t.a = u.a', [false]],
  ['SELECT t.a FROM t LEFT JOIN u ON t.a = u.a', [true]],
  ['SELECT a FROM t FULL JOIN u USING (a)', [false]],
  ['SELECT a + 1 FROM t', [true]],
  ['SELECT a FROM t GROUP BY a', [true]],
  ['SELECT a FROM t GROUP BY ROLLUP (a)', [false]],
  ['SELECT a FROM (SELECT a FROM t) s', [true]],
  ['SELECT a, b FROM v', [true, false]],
  ['SELECT a FROM t UNION ALL SELECT a FROM u', [false]],
  ['SELECT max(a) FROM t', [false]],
];

test.for(NOT_NULL)('columns without NULL: %s', async ([sql, notNull]) => {
  const executable = await fixture.executable(sql);
  expect(executable.columns.map(({ nullable }) => !nullable)).toEqual(notNull);
  await executable.release();
});
