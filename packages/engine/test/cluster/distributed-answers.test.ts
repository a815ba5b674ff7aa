import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ExplainedOperator, ExplainedQuery } from '@tessera/coordinator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { query, rows } from '../http.ts';
import { MISTAKE_TABLES, MISTAKES, mistakeOf } from '../mistakes.ts';
import { expectTpchAnswer, TPCH_DATA, TPCH_QUERIES, tpchQuery } from '../tpch-answers.ts';
import { EngineCluster } from './engine-cluster.ts';
import { loadTpcTables } from './tpc-tables.ts';

type Settings = Readonly<Record<string, string>>;

/** Settings with which every exchange is a hash exchange and all nodes read every table. */
const SPREAD: Settings = { min_distributed_bytes: '0', whole_table_bytes: '0', broadcast_limit_bytes: '0' };
const ON_ONE_NODE: Settings = { enable_distributed_execution: 'false' };
/** A query that takes longer waits for something that never happens. */
const QUERY_TIMEOUT_MS = 60_000;

let cluster: EngineCluster;
beforeAll(async () => {
  cluster = await EngineCluster.start({ nodes: 3 });
  await answerOf('CREATE TABLE t (a INT, b INT)', {});
  for (const first of [0, 10, 20])
    await answerOf(`INSERT INTO t SELECT i, i % 7 FROM generate_series(${first}, ${first + 9}) AS g(i)`, {});
}, 180_000);
afterAll(() => cluster?.[Symbol.asyncDispose]());

/** The columns and rows; their order matters only if `isOrdered`. */
async function answerOf(sql: string, settings: Settings, isOrdered = true, node = 0): Promise<string> {
  const text = await textOf(sql, { ...settings, output_format: 'JSON_Compact' }, node);
  if (text === '') return '';
  const { meta, data } = JSON.parse(text) as { meta: unknown; data: unknown[][] };
  const lines = data.map((row) => JSON.stringify(row));
  return [JSON.stringify(meta), ...(isOrdered ? lines : lines.sort())].join('\n');
}

async function textOf(sql: string, settings: Settings, node: number): Promise<string> {
  const limits = { statement_timeout: String(QUERY_TIMEOUT_MS) };
  const answer = await query(cluster.node(node), sql, { ...limits, ...settings });
  expect(answer.status, `${sql}\n${answer.text}`).toBe(200);
  return answer.text;
}

const isDistributed = async (sql: string): Promise<boolean> =>
  /stage \d/.test(await answerOf(`EXPLAIN ${sql}`, SPREAD));

const STATEMENTS: readonly (readonly [what: string, statements: readonly string[]])[] = [
  [
    'one stage is read several times, beside an aggregate of it',
    [
      'SELECT v.* FROM (t x LEFT JOIN t y ON x.b = y.a), LATERAL (SELECT x.a UNION ALL SELECT x.b) v(c)',
      'SELECT count(*) FROM t p, t q JOIN LATERAL (VALUES (p.a), (-1)) ss(x) ON q.b = ss.x',
      'WITH c AS MATERIALIZED (SELECT x.a, y.b FROM t x JOIN t y ON x.b = y.a) SELECT a, count(*) FROM (SELECT a FROM c GROUP BY a UNION ALL SELECT b FROM c GROUP BY b UNION ALL SELECT a FROM c) GROUP BY a',
      'WITH c AS MATERIALIZED (SELECT x.a, y.b FROM t x JOIN t y ON x.b = y.a) SELECT p.a, (SELECT max(b) FROM c WHERE c.a < p.b), count(*) FROM c p JOIN c q ON p.a = q.b JOIN (SELECT b, min(a) AS m FROM c GROUP BY b) r ON r.b = q.a GROUP BY ALL',
      'SELECT a, (SELECT count(*) FROM t y WHERE y.b = x.a), (SELECT sum(y.a) FROM t y WHERE y.b = x.b) FROM t x',
      'WITH RECURSIVE r(n, a) AS (SELECT 1, a FROM t WHERE a < 3 UNION ALL SELECT n + 1, t.a FROM r JOIN t ON t.b = r.a WHERE n < 4) SELECT n, count(*), sum(a) FROM r GROUP BY n',
    ],
  ],
  [
    'numbers of LIMIT and OFFSET are subqueries',
    [
      'SELECT a FROM t ORDER BY a LIMIT (SELECT 2)',
      'SELECT a + b FROM t ORDER BY a LIMIT 3 OFFSET (SELECT 2)',
      'SELECT b FROM t ORDER BY a LIMIT (SELECT min(a) + 2 FROM t) OFFSET (SELECT count(*) FROM t) - 5',
    ],
  ],
  [
    'numbers become texts, and texts numbers',
    [
      "SELECT b, (sum(a) / 2.0)::TEXT, max(a * 1.5)::TEXT || 'x', (avg(a) + 1)::TEXT FROM t GROUP BY b",
      'WITH c AS MATERIALIZED (SELECT a * 0.5 AS d, a::TEXT AS s FROM t) SELECT d::TEXT, s::INT, (sum(d) OVER (ORDER BY s::INT))::TEXT FROM c',
      'SELECT x.a, ([x.a, y.a])[y.b - 3] FROM t x JOIN t y ON x.a::TEXT::INT = y.b',
    ],
  ],
  [
    'averages are the same to the last bit',
    [
      'SELECT b, avg(9007199254740992 + a)::TEXT, avg(a::BIGINT * 1000003 * 1000003 * b)::TEXT FROM t GROUP BY b',
      'SELECT avg(9007199254740993 + x.a + y.a)::TEXT, avg((x.a / 7.0)::NUMERIC(38, 9))::TEXT, avg(x.a) FILTER (WHERE x.a < 0) FROM t x, t y',
    ],
  ],
  [
    'a row is compared with the rows of a subquery',
    [
      'SELECT x.a, (x.n, x.b) NOT IN (SELECT nullif(b, 3), a FROM t) FROM (SELECT a, b, nullif(a % 5, 1) AS n FROM t) x',
      'SELECT x.a FROM (SELECT a, b, nullif(a % 5, 1) AS n FROM t) x WHERE (x.n, x.a) NOT IN (SELECT nullif(y.b, 3), y.b FROM t y WHERE y.a <> x.a)',
    ],
  ],
  [
    'EXISTS by an inequality, with NULL outside',
    [
      'SELECT x.a, EXISTS (SELECT 1 FROM t y WHERE y.b = x.b AND y.a <> x.n) FROM (SELECT a, b, nullif(a % 5, 1) AS n FROM t) x',
      'SELECT x.a, NOT EXISTS (SELECT 1 FROM t y WHERE y.b = x.b AND y.a IS DISTINCT FROM x.n) FROM (SELECT a, b, nullif(a % 5, 1) AS n FROM t) x',
      'SELECT x.a FROM (SELECT a, b, nullif(a % 5, 1) AS n FROM t) x WHERE EXISTS (SELECT 1 FROM t y WHERE y.b < x.b AND y.a <> x.n)',
    ],
  ],
  [
    'empty grouping sets',
    [
      'SELECT count(*), sum(a) FROM t GROUP BY GROUPING SETS ((), ())',
      'SELECT count(*) FROM t WHERE a < 0 GROUP BY GROUPING SETS ((), ())',
      'SELECT b, count(DISTINCT a) FROM t GROUP BY GROUPING SETS ((), (b), (), (b))',
    ],
  ],
  [
    'forms of PostgreSQL',
    [
      'SELECT a, b FROM t ORDER BY b FETCH FIRST 3 ROWS WITH TIES',
      "SELECT b, sum(a * INTERVAL '1 hour')::TEXT, sum(INTERVAL '1 month 90 minutes' / (a + 1))::TEXT, avg(b * INTERVAL '1 day')::TEXT FROM t GROUP BY b",
      `SELECT d, count(*) FROM (SELECT (CASE WHEN a % 2 = 0 THEN '{"k":' || b || ',"l":{"x":1,"aa":"{,"}}' ELSE '{"l":{"aa":"{,","x":1},"k":' || b || '}' END)::JSONB AS d FROM t) GROUP BY d`,
      `SELECT t.a, r.x FROM t, jsonb_to_recordset(('[{"x":' || a || '},{"x":' || b || '}]')::JSONB) AS r(x INT)`,
      "SELECT b, sum(list_sum(string_to_array(a || ',' || b, ',')::INT[])), sum((a * 1.005)::NUMERIC(10, 2)) FROM t GROUP BY b",
      'SELECT b, count(*) FROM t WHERE a IN (SELECT unnest([a, b]) WHERE b > 3) GROUP BY b',
      "SELECT extract(year FROM DATE '0003-01-01' - a % 9 * 365), count(*) FROM t GROUP BY 1",
      `SELECT b, jsonb_path_query_first(('{"a":[{"c":' || a || '}]}')::JSONB, '$.a[0].c') FROM t`,
    ],
  ],
  [
    'a BETWEEN of an expression below the first row of each group',
    [
      'SELECT a, b FROM t WHERE a + b BETWEEN 3 AND 20 QUALIFY row_number() OVER (PARTITION BY b ORDER BY a) = 1',
    ],
  ],
];

const isOrdered = (sql: string): boolean => / ORDER BY a LIMIT /.test(sql);

describe.each(STATEMENTS)('%s', (_, statements) => {
  test.each(statements)('%s', { timeout: 2 * QUERY_TIMEOUT_MS }, async (sql) => {
    expect(await isDistributed(sql)).toBe(true);
    expect(await answerOf(sql, SPREAD, isOrdered(sql))).toBe(
      await answerOf(sql, ON_ONE_NODE, isOrdered(sql)),
    );
  });
});

test('mistakes are reported as on one node', async () => {
  await answerOf('CREATE DATABASE mistaken', {});
  const settings = { ...SPREAD, database: 'mistaken' };
  for (const sql of MISTAKE_TABLES) await answerOf(sql, settings);
  expect(await answerOf('EXPLAIN SELECT name, count(*) FROM people GROUP BY name', settings)).toMatch(
    /stage/,
  );
  const different: Record<string, unknown> = {};
  const compare = async ([sql, ...expected]: (typeof MISTAKES)[number], node: number) => {
    const { told } = await mistakeOf(cluster.node(node), sql, settings);
    if (JSON.stringify(told) !== JSON.stringify(expected)) different[sql] = told;
  };
  for (let i = 0; i < MISTAKES.length; i += 3) await Promise.all(MISTAKES.slice(i, i + 3).map(compare));
  expect(different).toEqual({});
});

test('changes in WITH see one snapshot, and all nodes read the rows that they return', async () => {
  await answerOf('CREATE TABLE moved AS SELECT a, b FROM t', SPREAD);
  await answerOf('CREATE TABLE kept (b INT, n BIGINT)', SPREAD);
  const answer = await answerOf(
    'WITH d AS (DELETE FROM moved WHERE a % 2 = 0 RETURNING *), g AS (SELECT b, count(*) AS n FROM d GROUP BY b), k AS (INSERT INTO kept SELECT * FROM g RETURNING *) SELECT k.b, k.n, (SELECT count(*) FROM moved) AS before FROM k ORDER BY b',
    SPREAD,
    true,
    1,
  );
  const even = [3, 2, 2, 2, 2, 2, 2];
  expect(answer.split('\n').slice(1)).toEqual(even.map((n, b) => JSON.stringify([b, String(n), '30'])));
  const counts = await answerOf('SELECT count(*), (SELECT sum(n) FROM kept)::BIGINT FROM moved', SPREAD);
  expect(counts.split('\n').slice(1)).toEqual(['["15","15"]']);
});

test.each(['alias(a)', 'stats(a)', 'vector_type(a)'])(
  '%s would tell how a query is run: it is refused',
  async (call) => {
    const answer = await query(cluster.node(0), `SELECT ${call} FROM t`, SPREAD);
    expect(answer.text).toContain('is not available in this engine');
  },
);

test('nodes compile each pattern of a column once, and match as without compiled patterns', async () => {
  await answerOf(
    "CREATE TABLE lines AS SELECT i, 'line ' || i AS line FROM generate_series(1, 24000) AS g(i)",
    {},
  );
  await answerOf(
    "CREATE TABLE rules AS SELECT '[' || i || ']$' AS pattern FROM generate_series(0, 9) AS g(i)",
    {},
  );
  const sql =
    'SELECT pattern, count(*) FROM lines JOIN rules ON i < 2000 AND line ~ pattern GROUP BY pattern';
  expect(await isDistributed(sql)).toBe(true);
  expect(await answerOf(`EXPLAIN ${sql}`, SPREAD)).toContain('rules.pattern: 10 patterns are compiled once');
  const variable = sql.replace('~ pattern', "~ (pattern || '')");
  const expected = await answerOf(variable, ON_ONE_NODE, false);
  // The values of the column are read on the nodes first, with the same query id: what that leaves on them must not be
  // taken for what the query itself leaves. Each new text reads the values again.
  for (const alias of ['u', 'v', 'w', 'x', 'y', 'z'])
    expect(await answerOf(sql.replace('lines', `lines AS ${alias}`), SPREAD, false)).toBe(expected);
});

describe('the number of nodes of a query', () => {
  beforeAll(async () => {
    for (const [name, count] of [
      ['few', 20_000],
      ['many', 300_000],
    ])
      await answerOf(
        `CREATE TABLE ${name} AS SELECT i AS k, i % 10 AS v FROM generate_series(1, ${count}) AS g(i)`,
        {},
      );
  }, 180_000);

  const QUERY = 'SELECT sum(a.v + b.v)::bigint FROM many a JOIN few b ON a.k = b.k';

  async function explained(settings: string): Promise<ExplainedQuery> {
    const [[text]] = (await rows(
      cluster.node(0),
      `EXPLAIN (PHYSICAL, FORMAT JSON) ${QUERY} WITH (${settings})`,
    )) as [[string]];
    return JSON.parse(text) as ExplainedQuery;
  }

  const allOf = (operator: ExplainedOperator): readonly ExplainedOperator[] => [
    operator,
    ...operator.inputs.flatMap(allOf),
  ];

  test('small queries run on the node that received them, and EXPLAIN says why', async () => {
    const { nodes, stages } = await explained('min_distributed_bytes = 1');
    expect(nodes).toMatchObject({
      chosen: 1,
      available: 3,
      reason: expect.stringMatching(/CPU time on one node; on 3 nodes/),
    });
    expect(stages).toHaveLength(1);
  });

  test.each([
    ['nodes_per_query = 3', 3],
    ['nodes_per_query = 2', 2],
    ['nodes_per_query = 99', 3],
    ['min_distributed_bytes = 0', 3],
  ])('%s makes %i nodes run the query', async (settings, expected) => {
    const { nodes, stages } = await explained(settings);
    expect(nodes).toMatchObject({ chosen: expected });
    expect(stages.length).toBeGreaterThan(1);
  });

  test('EXPLAIN shows the strategies of a join that were weighed, with their costs', async () => {
    const { stages } = await explained('nodes_per_query = 3, whole_table_bytes = 0');
    const join = stages
      .flatMap(({ operators }) => allOf(operators))
      .find(({ operator }) => operator === 'Hash join');
    expect(join?.details.strategies).toMatch(/^(?:\S+(?: left| right)? [\d.]+ m?s(?:, )?)+$/);
  });

  test('EXPLAIN (ANALYZE) shows the cost of each stage, node and operator, without internal names', async () => {
    const sql = `${QUERY} WITH (nodes_per_query = 3, whole_table_bytes = 0)`;
    const [[json]] = (await rows(cluster.node(0), `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`)) as [[string]];
    const { analyzed, elapsed_ms, stages } = JSON.parse(json) as ExplainedQuery;
    expect(analyzed).toBe(true);
    expect(elapsed_ms).toBeGreaterThan(0);
    const nodes = new Set(stages.flatMap((stage) => (stage.nodes ?? []).map(({ node }) => node)));
    expect(nodes.size).toBe(3);
    for (const { stage, inputs, rows: count, elapsed_ms: ms, operators } of stages) {
      expect({ stage, count, ms }).toEqual({ stage, count: expect.any(Number), ms: expect.any(Number) });
      const exchanges = allOf(operators).filter(({ operator }) => operator === 'Exchange');
      expect(exchanges.map((one) => one.stage)).toEqual(expect.arrayContaining([...inputs]));
      expect(operators.rows).toBe(count);
      const figure = expect.any(Number);
      for (const { operator, rows, time_ms, bytes } of allOf(operators))
        expect({ stage, operator, figures: [rows, time_ms, bytes] }).toEqual({
          ...{ stage, operator },
          figures: [figure, figure, figure],
        });
    }
    const scans = stages
      .flatMap((stage) => allOf(stage.operators))
      .filter(({ inputs }) => inputs.length === 0);
    const scanOf = (table: string) => scans.find(({ details }) => details.table === table);
    expect(scanOf('few')).toMatchObject({ rows: 20_000, rows_scanned: 20_000 });
    expect(scanOf('many')?.rows_scanned).toBeGreaterThanOrEqual(20_000);
    const spread = stages.filter((stage) => (stage.nodes?.length ?? 0) > 1);
    expect(spread.length).toBeGreaterThan(0);
    for (const { operators, nodes: ofStage, peak_memory_bytes } of spread) {
      expect(peak_memory_bytes).toBeGreaterThan(0);
      expect(operators.skew).toBeGreaterThanOrEqual(1);
      expect(operators.nodes?.map(({ node }) => node)).toEqual(ofStage?.map(({ node }) => node));
    }
    expect(stages.at(-1)).toMatchObject({ partitioning: 'coordinator', rows: 1 });
    expect(json).not.toMatch(/t_[0-9a-z]{26}|TESSERA_|\bc\d\b/i);
  });

  test('EXPLAIN (ANALYZE) names the table of each of several scans, and no cross join where a side has one row', async () => {
    const values = ['avg(v) FROM many WHERE k < 10', 'count(*) FROM many WHERE k > 50', 'max(k) FROM many'];
    const sql = `SELECT ${values.map((value) => `(SELECT ${value})`).join(', ')} WITH (nodes_per_query = 3, whole_table_bytes = 0)`;
    const [[json]] = (await rows(cluster.node(0), `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`)) as [[string]];
    const { stages } = JSON.parse(json) as ExplainedQuery;
    const operators = stages.flatMap((stage) => allOf(stage.operators));
    const scans = operators.filter(({ details }) => details.table === 'many');
    expect(scans.length).toBeGreaterThanOrEqual(3);
    const names = new Set(operators.map(({ operator }) => operator));
    expect([...names].sort()).toEqual(expect.arrayContaining(['Join with one row', 'Scan table']));
    expect([...names].filter((name) => /cross|seq|parquet/i.test(name))).toEqual([]);
  });

  test('the answer is the same on any number of nodes', async () => {
    for (const settings of ['1', '2', '3', '0, min_distributed_bytes = 0'])
      expect(await rows(cluster.node(1), `${QUERY} WITH (nodes_per_query = ${settings})`)).toEqual([
        ['180000'],
      ]);
  });
});

const CLIENTS = 8;
const SCALE = 'sf0.01';
const MIX_TIMEOUT_MS = 600_000;

test.skipIf(!existsSync(TPCH_DATA))(
  `${CLIENTS} clients at a time: TPC-H and the statements above end, with the right rows (skipped where the test data is absent)`,
  { timeout: MIX_TIMEOUT_MS },
  async () => {
    const tablets = { tablet_min_size_bytes: '20000', tablet_max_size_bytes: '100000' };
    const directory = join(TPCH_DATA, SCALE);
    await loadTpcTables(cluster.node(0), { directory, settings: tablets, clauses: () => '' });
    const limit = { ...SPREAD, statement_timeout: String(MIX_TIMEOUT_MS / 2) };
    const work: ((node: number) => Promise<void>)[] = [];
    for (const name of TPCH_QUERIES) {
      const sql = await tpchQuery(name);
      const settings = { ...limit, output_format: 'TabSeparatedWithNames' };
      work.push(async (node) => expectTpchAnswer(name, SCALE, await textOf(sql, settings, node)));
    }
    for (const sql of STATEMENTS.flatMap(([, statements]) => statements)) {
      const expected = await answerOf(sql, ON_ONE_NODE, isOrdered(sql));
      work.push(async (node) => expect(await answerOf(sql, limit, isOrdered(sql), node)).toBe(expected));
    }
    const client = async () => {
      for (let next = work.shift(); next !== undefined; next = work.shift())
        await next(work.length % cluster.size);
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    await cluster.untilWhole();
    expect(cluster.logs('warn')).not.toMatch(/INTERNAL|NO_PROGRESS/);
  },
);
