import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from '../testing/test-node.ts';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.open();
  await node.run('CREATE TABLE t (k INT PRIMARY KEY, n INT, s TEXT NOT NULL)');
  await node.run("INSERT INTO t VALUES (1, 10, 'a'), (2, 20, 'b')");
  await node.run('CREATE TABLE u (k INT, n INT)');
});

afterAll(() => node[Symbol.asyncDispose]());

const explained = async (sql: string, asked: Parameters<TestNode['rows']>[1] = {}): Promise<string> =>
  String((await node.rows(sql, asked))[0]![0]);

/** The first line of the plan, and a line below it. */
type Lines = readonly [root: string, below: string];
const SCAN = 'Scan table [table: t;';

const CHANGES: readonly (readonly [sql: string, lines: Lines])[] = [
  ["INSERT INTO t VALUES (3, 30, 'c')", ['Insert [table: t]', 'Values']],
  ["INSERT INTO t VALUES (3, 30, 'c') RETURNING k", ['Insert [table: t]', 'Values']],
  ["INSERT INTO t SELECT k + 10, n, 'c' FROM t", ['Insert [table: t]', SCAN]],
  [
    "INSERT INTO t VALUES (1, 1, 'x') ON CONFLICT (k) DO UPDATE SET n = excluded.n",
    ['Insert [table: t; on conflict: do update; keys: k]', SCAN],
  ],
  [
    "INSERT INTO t VALUES (1, 1, 'x') ON CONFLICT DO NOTHING",
    ['Insert [table: t; on conflict: do nothing; keys: k]', SCAN],
  ],
  ['UPDATE t SET n = n + 1 WHERE k = 1', ['Update [table: t]', SCAN]],
  ['UPDATE t SET n = u.n FROM u WHERE u.k = t.k RETURNING t.*', ['Update [table: t]', 'Hash join [']],
  ['DELETE FROM t WHERE k = 1', ['Delete [table: t]', SCAN]],
  ['DELETE FROM t', ['Delete [table: t; rows: all, without reading them]', 'No rows']],
  ['DELETE FROM t USING u WHERE u.k = t.k', ['Delete [table: t]', 'Scan table [table: u;']],
  [
    'MERGE INTO t USING u ON u.k = t.k WHEN MATCHED THEN DELETE',
    ['Merge [table: t]', 'Scan table [table: u;'],
  ],
  ['CREATE TABLE v AS SELECT k FROM t', ['Create table [table: v]', SCAN]],
  [
    'CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS x',
    ['Create table [table: t; exists: the table is left as it is]', 'One row'],
  ],
  ["WITH w AS (SELECT 7) INSERT INTO t SELECT *, 1, 'x' FROM w", ['Insert [table: t]', 'One row']],
];

describe('EXPLAIN of a statement that changes rows', () => {
  it.each(CHANGES)('%s', async (sql, [root, below]) => {
    const text = await explained(`EXPLAIN ${sql}`);
    expect(text.split('\n')[0]).toBe(root);
    expect(text).toContain(`  ${below}`);
    expect(text).not.toMatch(/managed|not available/);
    const { stages } = JSON.parse(await explained(`EXPLAIN (FORMAT JSON) ${sql}`));
    expect(stages.at(-1).operators.operator).toBe(text.slice(0, text.indexOf(' [')));
    expect(await explained(`EXPLAIN (LOGICAL) ${sql}`)).toContain(root);
    const { plan } = JSON.parse(await explained(`EXPLAIN (LOGICAL, FORMAT JSON) ${sql}`));
    expect(plan.operator).toBe(stages.at(-1).operators.operator);
    expect(await explained(`EXPLAIN (STATISTICS) ${sql}`)).toContain(root);
    expect(await node.describe(`EXPLAIN ${sql}`)).toMatchObject({ columns: [{ name: 'explain' }] });
  });

  it('changes nothing', async () => {
    for (const [sql] of CHANGES) await explained(`EXPLAIN ${sql}`);
    expect(await node.rows('SELECT * FROM t ORDER BY k')).toEqual([
      [1, 10, 'a'],
      [2, 20, 'b'],
    ]);
    await expect(node.rows('SELECT * FROM v')).rejects.toMatchObject({ name: 'UNDEFINED_TABLE' });
  });

  it('shows how many tablets the statement would read', async () => {
    expect(await explained('EXPLAIN UPDATE t SET n = 1 WHERE k = 99')).toMatch(
      /^ {2}t: tablets 0 of 1 \(0 pruned by partition, 1 by min\/max\)/m,
    );
  });

  it('takes parameters, and works in a transaction that only reads', async () => {
    const parameters = [{ name: '$1', value: '99' }];
    expect(await explained('EXPLAIN DELETE FROM t WHERE k = $1', { parameters })).toMatch(/tablets 0 of 1/);
    expect(await node.describe('EXPLAIN UPDATE t SET n = $2 WHERE k = $1')).toMatchObject({
      parameters: [{ name: '$1' }, { name: '$2' }],
    });
    const { session } = await node.run('BEGIN READ ONLY');
    const asked = { transactionId: (session as { readonly value: string }).value };
    expect(await explained('EXPLAIN DELETE FROM t', asked)).toMatch(/^Delete/);
    await node.run('ROLLBACK', asked);
  });

  it('reports the errors of the statement at their places', async () => {
    const failed = (sql: string, error: object) =>
      expect(node.rows(sql), sql).rejects.toMatchObject({ ...error });
    await failed('EXPLAIN UPDATE t SET nosuch = 1', {
      name: 'UNDEFINED_NAME',
      location: { startColumn: 22 },
    });
    await failed('EXPLAIN DELETE FROM t WHERE nosuch = 1', {
      name: 'UNDEFINED_NAME',
      location: { startColumn: 29 },
    });
    await failed('EXPLAIN INSERT INTO t SELECT nosuch FROM u', { location: { startColumn: 30 } });
    await failed('EXPLAIN INSERT INTO t SELECT 1, 2, 3, 4', { name: 'SYNTAX_ERROR' });
    await failed('EXPLAIN DELETE FROM nosuch', { name: 'UNDEFINED_TABLE' });
    await failed('EXPLAIN CREATE TABLE t AS SELECT 1 AS x', { name: 'DUPLICATE_OBJECT' });
    await failed('EXPLAIN CREATE TABLE w (x INT)', { name: 'SYNTAX_ERROR' });
  });

  it.each(['ANALYZE', '(ANALYZE, FORMAT JSON)', '(ALL)'])('refuses %s and runs nothing', async (option) => {
    await expect(node.rows(`EXPLAIN ${option} DELETE FROM t WHERE k = 1`)).rejects.toMatchObject({
      name: 'NOT_SUPPORTED',
      message: expect.stringMatching(/EXPLAIN \((?:ANALYZE|ALL)\) of a statement that changes rows/),
    });
    expect(await node.rows('SELECT count(*) FROM t')).toEqual([['2']]);
  });

  it('refuses changes in WITH by name', async () => {
    await expect(
      node.rows('EXPLAIN WITH d AS (DELETE FROM t RETURNING k) SELECT * FROM d'),
    ).rejects.toMatchObject({
      name: 'NOT_SUPPORTED',
      message: expect.stringContaining('EXPLAIN of changes in WITH'),
    });
  });
});
