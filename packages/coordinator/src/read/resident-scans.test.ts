import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestNode } from '../testing/test-node.ts';

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.open();
  await node.run('CREATE TABLE t (k INT, s INT, v INT, unused TEXT)');
  await node.run("INSERT INTO t SELECT i % 10, i % 7, i, 'x' || i FROM generate_series(1, 1000) AS r(i)");
  await node.run('CREATE TABLE u (s INT, name TEXT, unused TEXT)');
  await node.run("INSERT INTO u SELECT i, 'n' || i, 'x' || i FROM generate_series(1, 5) AS r(i)");
});
afterAll(() => node[Symbol.asyncDispose]());

/** The rows of a query, which must be the same from files and from memory. */
async function answer(sql: string): Promise<unknown> {
  const answers = [];
  for (let run = 0; run < 3; run += 1) {
    answers.push(JSON.stringify(await node.rows(sql)));
    await node.tables.agent.settled();
  }
  expect(new Set(answers).size, sql).toBe(1);
  return JSON.parse(answers[0]!);
}

/*
 * before: Aggregate(Join(SELECT k, s, v FROM hot.t, …)) > Aggregate(Join(SELECT s, v FROM hot.t, …))
 * after:  WITH c AS (Join(hot.t, …)): Aggregate(c) > Aggregate(c)
 */
test('a join that a statement contains twice is computed once, although the two read other columns', async () => {
  const join = "FROM t, u WHERE t.s = u.s AND name <> 'n3'";
  const sql = `SELECT k, sum(v) AS total ${join} GROUP BY k
    HAVING sum(v) > (SELECT sum(v) / 10.1 ${join}) ORDER BY total DESC LIMIT 2`;
  expect(await answer(sql)).toEqual([
    [8, '29594'],
    [1, '29188'],
  ]);
  const plan = String(await node.rows(`EXPLAIN (ANALYZE) ${sql}`)).split('Tables')[0]!;
  expect(plan.match(/Scan table \[table: t;/g), plan).toHaveLength(1);
  expect(plan).toMatch(/Hash join .*\n.*Scan table \[table: t;/);
});

test('no other column of a table in memory is found by a name of the statement', async () => {
  await node.run('CREATE TABLE w (a INT, b INT, c INT, d TEXT)');
  await node.run("INSERT INTO w VALUES (1, 2, 3, 'x'), (4, 5, 6, 'y')");
  // All columns are in memory, under their first names.
  await answer('SELECT * FROM w');
  const named = 'SELECT (SELECT max(a + z.b) FROM w) AS m FROM (SELECT 10 AS b) AS z';
  expect(await answer(named)).toEqual([[14]]);
  await node.run('ALTER TABLE w RENAME COLUMN b TO e');
  expect(await answer('SELECT (SELECT max(a + b) FROM w) AS m FROM (SELECT 10 AS b) AS z')).toEqual([[14]]);
  await node.run('ALTER TABLE w DROP COLUMN c');
  expect(await answer('SELECT (SELECT max(a + c) FROM w) AS m FROM (SELECT 10 AS c) AS z')).toEqual([[14]]);
  const hidden = (name: string) =>
    `SELECT (SELECT max(s + "${name}") FROM u) AS m FROM (SELECT 10 AS "${name}") AS z`;
  for (const name of ['$position', '$part', 'rowid'])
    expect(await answer(hidden(name)), name).toEqual([[15]]);
});
