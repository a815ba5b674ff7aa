import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DistributedPlan, Stage } from '../distributed-plan.ts';
import { differenceOf } from './testing/same-rows.ts';
import { SimulatedCluster, type SimulatedOptions } from './testing/simulated-cluster.ts';
import { filtersRows, wrongFacts } from './testing/wrong-facts.ts';

/** Statements that some distributed engine has answered wrongly. */
const TRAPS: readonly (readonly [what: string, sql: string])[] = [
  ['count of nothing', 'SELECT count(*), sum(v), min(s), avg(d) FROM a WHERE k > 1000000'],
  ['count of an empty table', 'SELECT count(*), count(v), max(v) FROM empty'],
  ['groups of nothing', 'SELECT k, count(*) FROM empty GROUP BY k'],
  ['rollup of nothing', 'SELECT k, s, count(*), sum(v) FROM a WHERE k > 1000000 GROUP BY ROLLUP (k, s)'],
  ['NULL groups', 'SELECT k, count(*), sum(v) FROM a GROUP BY k'],
  ['averages of decimals', 'SELECT g, avg(d), avg(v), avg(f), sum(d) FROM a GROUP BY g'],
  [
    'averages of numbers near 2^53, of long and of short decimals',
    'SELECT g, COLUMNS(* EXCLUDE g)::VARCHAR FROM (SELECT g, avg(9007199254740992 + v), avg(v * 1000003 * k), avg(-4611686018427387904 + id), avg(d), avg(d * 12345678.90123), avg(d::DECIMAL(38,10)), avg((d / 10)::DECIMAL(4,1)), avg(v::SMALLINT), avg(v::HUGEINT * 1000000000000000000000) FROM a GROUP BY g)',
  ],
  [
    'an average of many numbers beyond 2^53',
    'SELECT COLUMNS(*)::VARCHAR FROM (SELECT avg(9007199254740992 + x.id + y.id), avg(x.d * y.d), avg(x.id - 9007199254740993), avg(x.id) FILTER (WHERE x.id < 0) FROM a x, a y)',
  ],
  ['average of all', 'SELECT avg(d), avg(v), sum(v), count(d) FROM a'],
  [
    'variance far from zero',
    'SELECT g, var_samp(1e6 + v), stddev_pop(1e6 + v), var_pop(f) FROM a GROUP BY g',
  ],
  ['variance of one row', 'SELECT var_samp(v), var_pop(v), stddev(v) FROM a WHERE id = 1'],
  [
    'covariances',
    'SELECT covar_pop(v, d), covar_samp(v, d), regr_count(v, d), regr_sxx(v, d), regr_avgx(v, d) FROM a',
  ],
  ['correlation', 'SELECT g, corr(v, d), regr_slope(v, d) FROM a GROUP BY g'],
  ['distinct counts', 'SELECT count(DISTINCT k), sum(v), count(*) FROM a'],
  [
    'distinct counts by group',
    'SELECT g, count(DISTINCT k), sum(DISTINCT k), avg(v), count(*) FROM a GROUP BY g',
  ],
  ['several distinct columns', 'SELECT g, count(DISTINCT k), count(DISTINCT s) FROM a GROUP BY g'],
  ['several distinct columns of all', 'SELECT count(DISTINCT k), count(DISTINCT s), sum(v) FROM a'],
  [
    'distinct count with a filter',
    'SELECT g, count(DISTINCT k) FILTER (WHERE v > 5), count(*) FROM a GROUP BY g',
  ],
  ['distinct count of an expression', 'SELECT g, count(DISTINCT k % 3), max(s) FROM a GROUP BY g'],
  [
    'aggregates with filters',
    'SELECT g, sum(v) FILTER (WHERE k > 3), count(*) FILTER (WHERE k IS NULL) FROM a GROUP BY g',
  ],
  ['ordered aggregates', "SELECT g, string_agg(s, ',' ORDER BY id), list(v ORDER BY id) FROM a GROUP BY g"],
  ['median and mode of all', 'SELECT median(v), quantile_cont(f, 0.25) FROM a'],
  [
    'booleans and bits',
    'SELECT g, bool_and(v > 0), bool_or(v > 9), bit_or(v), bit_xor(v), bit_and(v) FROM a GROUP BY g',
  ],
  [
    'grouping sets with NULLs in the data',
    'SELECT k, g, grouping(k), grouping(k, g), count(*) FROM a GROUP BY GROUPING SETS ((k), (g), (k, g), ())',
  ],
  ['the same grouping set twice', 'SELECT k, count(*) FROM a GROUP BY GROUPING SETS ((k), (k))'],
  ['cube with a distinct count', 'SELECT g, k, count(DISTINCT s) FROM a GROUP BY CUBE (g, k)'],
  ['having', 'SELECT k, count(*) AS n FROM a GROUP BY k HAVING count(*) > 2 AND sum(v) > 10'],
  ['LEFT JOIN', 'SELECT a.id, b.id FROM a LEFT JOIN b ON a.k = b.k'],
  ['LEFT JOIN with a condition on the left', 'SELECT a.id, b.id FROM a LEFT JOIN b ON a.k = b.k AND a.v > 5'],
  ['LEFT JOIN without equality', 'SELECT a.id, b.id FROM a LEFT JOIN b ON a.v < b.v AND b.v < 3'],
  ['RIGHT JOIN', 'SELECT a.id, b.id FROM b RIGHT JOIN a ON a.k = b.k'],
  ['FULL JOIN', 'SELECT a.id, b.id, a.k, b.k FROM a FULL JOIN b ON a.k = b.k'],
  [
    'groups over the other side of a FULL JOIN',
    'SELECT b.k, count(*) FROM a FULL JOIN b ON a.k = b.k GROUP BY b.k',
  ],
  [
    'groups over the right of a LEFT JOIN',
    'SELECT b.k, count(*) FROM a LEFT JOIN b ON a.k = b.k GROUP BY b.k',
  ],
  ['FULL JOIN without equality', 'SELECT a.id, b.id FROM a FULL JOIN b ON a.v < b.v - 5'],
  ['keys of several types', 'SELECT a.id, b.id FROM a JOIN b ON a.k = b.f'],
  [
    'minus zero and NaN',
    "SELECT x.f, y.f FROM (VALUES (0.0::DOUBLE), ('nan'::DOUBLE)) x(f), (SELECT f FROM b UNION ALL SELECT -0.0 UNION ALL SELECT 'nan') y WHERE x.f = y.f",
  ],
  ['NULL-safe join', 'SELECT a.id, b.id FROM a JOIN b ON a.k IS NOT DISTINCT FROM b.k'],
  ['NOT IN with NULLs', 'SELECT id FROM a WHERE k NOT IN (SELECT k FROM b)'],
  ['NOT IN without NULLs', 'SELECT id FROM a WHERE k NOT IN (SELECT k FROM b WHERE k IS NOT NULL)'],
  ['NOT IN of nothing', 'SELECT id FROM a WHERE k NOT IN (SELECT k FROM b WHERE v > 1000000)'],
  ['IN under OR', 'SELECT id FROM a WHERE k IN (SELECT k FROM b WHERE v > 5) OR v = 3'],
  ['IN as a value', 'SELECT id, k IN (SELECT k FROM b WHERE v > 5) FROM a'],
  ['IN of pairs', 'SELECT id FROM a WHERE (k, g) IN (SELECT k, g FROM b)'],
  [
    'EXISTS with a residual',
    'SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.id <> a.id)',
  ],
  ['NOT EXISTS', 'SELECT id FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.v > a.v)'],
  ['correlated count', 'SELECT id, (SELECT count(*) FROM b WHERE b.k = a.k) FROM a'],
  ['correlated without equality', 'SELECT id, (SELECT max(v) FROM b WHERE b.v < a.v) FROM a'],
  ['scalar subquery', 'SELECT id FROM a WHERE v > (SELECT avg(v) FROM b)'],
  ['scalar subquery of nothing', 'SELECT id, (SELECT v FROM b WHERE id < 0) FROM a'],
  ['cross join with one row', 'SELECT a.id, m FROM a, (SELECT max(v) AS m FROM b)'],
  ['cross join', 'SELECT count(*), sum(a.v * b.v) FROM a, b'],
  ['lateral', 'SELECT a.id, x.v FROM a, LATERAL (SELECT v FROM b WHERE b.k = a.k ORDER BY v, id LIMIT 2) x'],
  ['unnest', 'SELECT id, unnest([k, v]) FROM a'],
  [
    'ASOF JOIN',
    'SELECT a.id, b.v FROM a ASOF JOIN (SELECT DISTINCT ON (k, v) k, v FROM b) b ON a.k = b.k AND a.v >= b.v',
  ],
  [
    'ASOF LEFT JOIN',
    'SELECT a.id, b.v FROM a ASOF LEFT JOIN (SELECT DISTINCT ON (k, v) k, v FROM b) b ON a.k = b.k AND a.v > b.v',
  ],
  ['limit with an offset', 'SELECT id FROM a ORDER BY id LIMIT 7 OFFSET 5'],
  ['limit of groups', 'SELECT k, sum(v) FROM a GROUP BY k ORDER BY 2 DESC, 1 LIMIT 3'],
  ['limit without an order', 'SELECT count(*) FROM (SELECT * FROM a LIMIT 7)'],
  [
    'limit before a broadcast',
    'SELECT count(*) FROM a JOIN (SELECT k FROM b ORDER BY id LIMIT 4) x USING (k)',
  ],
  ['a limit from a subquery', 'SELECT id FROM a ORDER BY id LIMIT (SELECT 4)'],
  [
    'an offset and a limit from subqueries',
    'SELECT s, id + 1 FROM a ORDER BY id LIMIT (SELECT max(g) FROM b) OFFSET (SELECT count(*) FROM b)',
  ],
  ['an offset from a subquery', 'SELECT k FROM a ORDER BY id OFFSET (SELECT count(*) - 1 FROM b)'],
  [
    'a limit from a subquery below a join',
    'SELECT count(*), sum(x.id) FROM b JOIN (SELECT k, id FROM a ORDER BY v, id LIMIT (SELECT 40)) x USING (k)',
  ],
  ['a limit that is NULL', 'SELECT id FROM a ORDER BY id LIMIT (SELECT v FROM b WHERE id < 0)'],
  ['a limit of nothing', 'SELECT id FROM a WHERE id < 0 LIMIT (SELECT 2)'],
  ['a limit from a subquery of groups', 'SELECT g, count(*) FROM a GROUP BY g ORDER BY 1 LIMIT (SELECT 2)'],
  ['a share of the rows', 'SELECT id FROM a ORDER BY id LIMIT 10%'],
  ['an offset only', 'SELECT id FROM a ORDER BY id OFFSET 20'],
  ['DISTINCT', 'SELECT DISTINCT k, g FROM a'],
  ['DISTINCT ON', 'SELECT DISTINCT ON (g) g, id FROM a ORDER BY g, v DESC, id'],
  ['INTERSECT with NULLs', 'SELECT k, g FROM a INTERSECT SELECT k, g FROM b'],
  ['INTERSECT ALL', 'SELECT k FROM a INTERSECT ALL SELECT k FROM b'],
  ['EXCEPT', 'SELECT k, g FROM a EXCEPT SELECT k, g FROM b'],
  ['EXCEPT ALL', 'SELECT g FROM a EXCEPT ALL SELECT g FROM b'],
  ['UNION of several types', 'SELECT k FROM a UNION SELECT f FROM b'],
  [
    'UNION ALL of one row and many',
    'SELECT 1 AS x UNION ALL SELECT v FROM a UNION ALL SELECT count(*) FROM b',
  ],
  [
    'UNION ALL below an aggregate',
    'SELECT k, count(*) FROM (SELECT k FROM a UNION ALL SELECT k FROM b UNION ALL SELECT 1) GROUP BY k',
  ],
  [
    'a window by partition',
    'SELECT id, row_number() OVER (PARTITION BY g ORDER BY v, id), sum(v) OVER (PARTITION BY g) FROM a',
  ],
  [
    'windows by several partitions',
    'SELECT id, rank() OVER (PARTITION BY g ORDER BY v), rank() OVER (PARTITION BY k ORDER BY v) FROM a',
  ],
  ['a window without partition', 'SELECT id, sum(v) OVER (ORDER BY id) FROM a'],
  ['a window over groups', 'SELECT g, sum(sum(v)) OVER (ORDER BY g) FROM a GROUP BY g'],
  [
    'a CTE read twice',
    'WITH c AS MATERIALIZED (SELECT k, sum(v) AS s FROM a GROUP BY k) SELECT x.k, y.s FROM c x JOIN c y ON x.k = y.k + 1',
  ],
  [
    'a CTE read by other keys',
    'WITH c AS MATERIALIZED (SELECT k, g, v FROM a) SELECT (SELECT count(*) FROM c JOIN b USING (k)), (SELECT count(*) FROM c JOIN b USING (g))',
  ],
  [
    'a hashed join read twice beside an aggregate of it',
    'SELECT v.* FROM (a x LEFT JOIN b y ON x.g = y.id), LATERAL (SELECT x.id UNION ALL SELECT x.g) v(c)',
  ],
  [
    'pairs with correlated values',
    'SELECT count(*) FROM a p, b q JOIN LATERAL (VALUES (p.id), (-1)) ss(x) ON q.k = ss.x',
  ],
  [
    'one CTE in three branches of UNION ALL, by different keys',
    'WITH c AS MATERIALIZED (SELECT a.k, a.g, b.v FROM a JOIN b USING (k)) SELECT k, count(*) FROM (SELECT k FROM c GROUP BY k UNION ALL SELECT g FROM c GROUP BY g UNION ALL SELECT v FROM c) GROUP BY k',
  ],
  [
    'a CTE joined with itself three times beside aggregates',
    'WITH c AS MATERIALIZED (SELECT a.k, a.g, b.v FROM a JOIN b USING (k)) SELECT x.k, count(*), (SELECT count(DISTINCT v) FROM c) FROM c x JOIN c y ON x.g = y.v JOIN (SELECT k, max(v) AS m FROM c GROUP BY k) z ON z.k = y.k GROUP BY x.k',
  ],
  [
    'a random CTE read twice',
    'WITH c AS MATERIALIZED (SELECT id, random() AS r FROM a) SELECT count(*) FROM c x JOIN c y ON x.id = y.id WHERE x.r <> y.r',
  ],
  [
    'random rows of a broadcast',
    'SELECT count(*) FROM (SELECT a.id, count(DISTINCT r) AS n FROM a, (SELECT random() AS r) GROUP BY a.id) WHERE n <> 1',
  ],
  [
    'a recursion over a table',
    'WITH RECURSIVE t(n, id) AS (SELECT 1, id FROM a WHERE id < 4 UNION ALL SELECT n + 1, b.id FROM t JOIN b ON b.k = t.n WHERE n < 4) SELECT n, id FROM t',
  ],
  [
    'a recursion that drops repetitions',
    'WITH RECURSIVE t(k) AS (SELECT min(k) FROM a UNION SELECT b.k FROM t JOIN b ON b.k > t.k) SELECT k FROM t',
  ],
  [
    'positional join',
    'SELECT x.id, y.k FROM (SELECT id FROM a ORDER BY id) x POSITIONAL JOIN (SELECT id, k FROM b ORDER BY id) y',
  ],
  ['values', 'SELECT x.n, a.id FROM (VALUES (1), (2), (NULL)) x(n) LEFT JOIN a ON a.k = x.n'],
  ['a series', 'SELECT i, count(a.id) FROM range(10) t(i) LEFT JOIN a ON a.k = i GROUP BY i'],
  [
    'a FULL join with rows of an empty table that match by two keys',
    'SELECT x.k, a.id FROM (SELECT k, count(*) AS n FROM empty SEMI JOIN (SELECT k, g FROM empty) AS y USING (k, g) GROUP BY k) AS x FULL JOIN a ON x.k = a.k AND x.n = a.v',
  ],
  [
    'a query that is inlined twice, once without any column, with a lateral subquery in one branch of UNION ALL',
    'WITH w AS NOT MATERIALIZED (SELECT sum(k) AS c, max(v) AS d FROM a GROUP BY g UNION ALL SELECT min(y.f) FILTER (WHERE nullif(x.v, x.id) > 3), max(y.v) FROM (SELECT *, [id, v] AS l FROM a) AS x CROSS JOIN LATERAL (SELECT z.n FROM UNNEST(x.l) AS z(n)) AS u(n) LEFT JOIN b AS y ON x.k = y.k AND x.id = y.id GROUP BY x.g, x.s) SELECT c FROM w UNION ALL SELECT 0 FROM w',
  ],
  [
    'a truncated time that is NULL differs from nothing',
    "SELECT id, m FROM (SELECT id, date_trunc('month', t) AS m, date_trunc('month', t::DATE) AS d FROM a) WHERE m <> '2024-02-15' OR NOT d = '2024-02-15'",
  ],
  [
    'truncated times before infinity',
    "SELECT id, m FROM (SELECT id, date_trunc('day', t) AS m FROM a) WHERE m < 'infinity' AND m >= '-infinity'",
  ],
  [
    'the mode of a constant',
    'SELECT g, mode() WITHIN GROUP (ORDER BY 3), mode() WITHIN GROUP (ORDER BY v + 1) FROM a GROUP BY g',
  ],
  [
    'a pattern of a whole text',
    "SELECT g, m FROM (SELECT g, max(s) AS m FROM a GROUP BY g) WHERE regexp_full_match(m, '(?s).*e.*')",
  ],
  [
    'counts and means of pairs with infinite numbers',
    "SELECT g, regr_count(i, v), regr_avgx(v, i), regr_avgy(v, i), regr_avgy(i, v), regr_syy(v, i), regr_sxx(i, v) FROM (SELECT g, v, CASE WHEN v < 3 THEN 'infinity'::DOUBLE WHEN v > 4 THEN f END AS i FROM a) GROUP BY g",
  ],
  ['rows without columns', 'SELECT count(*) FROM (SELECT DISTINCT g FROM a) CROSS JOIN b'],
];

const VARIANTS: readonly SimulatedOptions[] = [
  { nodes: 3 },
  { nodes: 3, broadcastLimitBytes: 0, gatherLimitRows: 10 },
  { nodes: 3, refines: false, broadcastLimitBytes: 2000 },
  { nodes: 3, wholeTableBytes: 4000 },
];

let cluster: SimulatedCluster;

beforeAll(async () => {
  cluster = await SimulatedCluster.open();
  for (const [name, rows] of [
    ['a', 300],
    ['b', 90],
    ['empty', 0],
  ] as const)
    await cluster.run(`CREATE TABLE managed.${name} AS SELECT
      i::INTEGER AS id,
      (CASE WHEN hash(i) % 9 = 0 THEN NULL ELSE hash(i + 7) % 40 END)::BIGINT AS k,
      (CASE WHEN hash(i + 1) % 11 = 0 THEN NULL ELSE hash(i + 3) % 5 END)::INTEGER AS g,
      (hash(i + 2) % 20)::INTEGER AS v,
      ((hash(i + 4) % 10000)::INTEGER / 100)::DECIMAL(10,2) AS d,
      ((hash(i + 5) % 100)::INTEGER / 4)::DOUBLE AS f,
      ['red', 'green', NULL, 'blue'][(1 + hash(i + 6) % 4)::BIGINT] AS s,
      [TIMESTAMP '2024-02-29 23:59:59', '2024-03-01', 'infinity', '-infinity', NULL][(1 + hash(i + 8) % 5)::BIGINT] AS t
      FROM range(1, ${rows + 1}) t(i)`);
  await cluster.shard(3);
});
afterAll(() => cluster.close());

describe('queries that other engines answered wrongly', () => {
  test.each(TRAPS)('%s', async (_, sql) => {
    const expected = await cluster.plain(sql);
    for (const variant of VARIANTS)
      expect([variant, differenceOf(expected, await cluster.distributed(sql, variant))]).toEqual([
        variant,
        undefined,
      ]);
  });
});

describe('whatever sizes the planner expects', () => {
  let reduced = 0;
  test.each(TRAPS)('%s', async (_, sql) => {
    const expected = await cluster.plain(sql);
    for (let seed = 1; seed <= 4; seed++) {
      const tables = wrongFacts(cluster.planFacts({ nodes: 3 }).tables, seed);
      const sizes = { nodes: 3, broadcastLimitBytes: 0, refines: seed % 2 === 0, tables };
      const variant: SimulatedOptions = seed < 3 ? { ...sizes, joinKeyFilters: 'always' } : sizes;
      const plan = await cluster.plan(sql, variant);
      if (filtersRows(plan)) reduced += 1;
      expect([seed, differenceOf(expected, await cluster.execute(plan, variant))]).toEqual([seed, undefined]);
    }
  });

  test('some of these plans filter rows by keys of other stages', () => expect(reduced).toBeGreaterThan(10));
});

describe('the proof finds rules that are broken', () => {
  const changed = (plan: DistributedPlan, change: (stage: Stage) => Stage): DistributedPlan => ({
    ...plan,
    stages: plan.stages.map(change),
  });
  const options: SimulatedOptions = { nodes: 3, broadcastLimitBytes: 0, refines: false };

  test('the left side of a LEFT JOIN in every task', async () => {
    const sql = 'SELECT a.id, b.id FROM a LEFT JOIN b ON a.k = b.k';
    const plan = await cluster.plan(sql, options);
    const broken = changed(plan, (stage) => {
      const left = stage.sources.findIndex((source) => source.kind === 'exchange' && source.mode === 'hash');
      const sources = stage.sources.map((source, i) =>
        i === left && source.kind === 'exchange' ? { ...source, mode: 'broadcast' as const } : source,
      );
      return { ...stage, sources };
    });
    expect(differenceOf(await cluster.plain(sql), await cluster.execute(broken, options))).toMatch(
      /rows in place of/,
    );
  });

  test('sides hashed by different keys', async () => {
    const sql = 'SELECT a.id, b.id FROM a FULL JOIN b ON a.k = b.k';
    const plan = await cluster.plan(sql, options);
    const broken = changed(plan, (stage) => ({
      ...stage,
      output: { ...stage.output, hashKeys: stage.id === 0 ? [1] : stage.output.hashKeys },
    }));
    expect(differenceOf(await cluster.plain(sql), await cluster.execute(broken, options))).toBeDefined();
  });
});
