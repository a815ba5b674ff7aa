import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TableServices } from '../tables.ts';
import { runSequence } from '../testing/run-sequence.ts';
import { TestNode } from '../testing/test-node.ts';

/** Random changes of a table, after each of which its aggregating index answers what its rows answer. */
const RAW = { enable_aggregating_indexes: 'false' };
const EXACT = 'a, b, count(*), count(v), sum(v), avg(w)';
const QUERIES = [
  'SELECT count(*), count(v), sum(v), sum(w), avg(w) FROM r',
  'SELECT a, count(*), count(v), sum(v), sum(w), avg(v), avg(w) FROM r GROUP BY a ORDER BY a',
  'SELECT b, sum(v), avg(w), count(DISTINCT a) FROM r WHERE a > 3 OR a IS NULL GROUP BY b ORDER BY b',
];
const BOUNDS = 'SELECT a, min(v), max(w), bool_or(v > 400) FROM r GROUP BY a ORDER BY a';

const amount = fc.integer({ min: 1, max: 9 });
const rows = (from: number, n: number) =>
  `SELECT CASE WHEN i % 13 = 0 THEN NULL ELSE (i % 8)::int END, 'b' || i % 3, CASE WHEN i % 5 = 0 THEN NULL ELSE (hash(i) % 1000)::int END,
    (hash(i + 1) % 100000) / 100.0 FROM generate_series(${from}, ${from + n - 1}) AS g(i)`;

const statement = fc.oneof(
  { weight: 3, arbitrary: amount.map((n) => `INSERT INTO r ${rows(n * 1000, n * 150)}`) },
  { weight: 2, arbitrary: amount.map((n) => `DELETE FROM r WHERE v % 10 = ${n} AND a <> ${n % 8}`) },
  { weight: 1, arbitrary: amount.map((n) => `DELETE FROM r WHERE a = ${n}`) },
  { weight: 2, arbitrary: amount.map((n) => `UPDATE r SET v = v + ${n}, a = a + 1 WHERE v % 20 = ${n}`) },
  {
    weight: 1,
    arbitrary: amount.map(
      (n) => `MERGE INTO r USING (SELECT ${n} AS k) s ON r.v = s.k WHEN MATCHED THEN DELETE
        WHEN NOT MATCHED THEN INSERT (a, b, v) VALUES (s.k, 'm', s.k)`,
    ),
  },
  { weight: 1, arbitrary: fc.constant('VACUUM r') },
  { weight: 1, arbitrary: fc.constantFrom('BEGIN', 'COMMIT', 'ROLLBACK') },
  { weight: 1, arbitrary: fc.constant('TRUNCATE TABLE r') },
);

describe.each(['reevaluate', 'native_only', 'hybrid'] as const)('with ai_mutations_mode %s', (mode) => {
  let node: TestNode;
  let used = 0;

  beforeAll(async () => {
    node = await TestNode.open({ indexMutations: mode satisfies TableServices['indexMutations'] });
  });

  afterAll(async () => {
    await node[Symbol.asyncDispose]();
  });

  // Without aggregates other than counts and exact sums, `hybrid` does what `native_only` does.
  if (mode !== 'native_only') {
    it('random changes leave the answers of the index and of the rows equal', async () => {
      const list = mode === 'hybrid' ? EXACT : `${EXACT}, min(v), max(w), bool_or(v > 400)`;
      const queries = mode === 'hybrid' ? QUERIES : [...QUERIES, BOUNDS];
      const all = `SELECT ${queries.map((query) => `(SELECT list(q) FROM (${query}) AS q)`).join(', ')}`;
      await fc.assert(
        fc.asyncProperty(fc.array(statement, { minLength: 5, maxLength: 7 }), async (statements) => {
          await node.run('DROP TABLE IF EXISTS r');
          await node.run('CREATE TABLE r (a INT, b TEXT, v INT, w NUMERIC(12, 2)) PRIMARY INDEX a');
          await node.run(`INSERT INTO r ${rows(1, 1200)}`);
          await node.run(`CREATE AGGREGATING INDEX i ON r (${list})`);
          await runSequence(node, statements, async (sql, inside) => {
            const expected = await node.rows(all, { ...inside, settings: RAW });
            expect(await node.rows(all, inside), `${statements.join('; ')}: after ${sql}`).toEqual(expected);
            const plan = String((await node.rows(`EXPLAIN ${all}`, inside))[0]![0]);
            if (/partial rows.* are read instead/.test(plan)) used += 1;
          });
        }),
        { numRuns: 2, seed: 20_26 },
      );
      // An index that is never used would show nothing.
      expect(used).toBeGreaterThan(0);
    });
  }

  it('rows that an index cannot follow exactly are refused in native_only', async () => {
    await node.run(
      `CREATE TABLE n AS SELECT (i % 3)::int AS k, (i % 7)::int AS v FROM generate_series(1, 1000) AS g(i)`,
    );
    await node.run('CREATE AGGREGATING INDEX bounds ON n (k, min(v), sum(v))');
    const change = node.run('DELETE FROM n WHERE v = 3');
    if (mode === 'native_only') {
      await expect(change).rejects.toMatchObject({
        message: expect.stringContaining('"bounds" has min'),
        resolution: expect.stringContaining('reevaluate'),
      });
    } else {
      await change;
    }
    const query = 'SELECT k, min(v), sum(v) FROM n GROUP BY k ORDER BY k';
    expect(await node.rows(query)).toEqual(await node.rows(query, { settings: RAW }));
  });
});
