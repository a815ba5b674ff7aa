import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Asked, TestNode } from '../testing/test-node.ts';

const ADMIN: Asked = { user: 'tessera' };
let node: TestNode;
const run = (sql: string, asked: Asked = {}) => node.run(sql, { ...ADMIN, ...asked });
const rows = (sql: string, asked: Asked = {}) => node.rows(sql, { ...ADMIN, ...asked });

beforeAll(async () => {
  node = await TestNode.open({ checksPrivileges: true });
  await run('CREATE TABLE t (a BIGINT, b TEXT)');
  await run("INSERT INTO t SELECT i, 'b' || i FROM generate_series(1, 100) AS r(i)");
  await run('CREATE TABLE u (a BIGINT)');
  await run('INSERT INTO u SELECT i FROM generate_series(1, 10) AS r(i)');
  await run('CREATE VIEW v AS SELECT a FROM t WHERE a > 50');
  await run('CREATE USER alice');
});
afterAll(() => node[Symbol.asyncDispose]());

const COUNT = 'SELECT count(*) FROM t';

/** The answer when the tables are in memory, which must be the same each time. */
async function answer(sql: string, asked: Asked = {}): Promise<unknown> {
  const answers = [];
  for (let run = 0; run < 4; run += 1) {
    answers.push(JSON.stringify(await rows(sql, asked)));
    if (run < 2) await node.tables.agent.settled();
  }
  expect(new Set(answers).size, sql).toBe(1);
  return JSON.parse(answers[0]!);
}

test('repeated statements over tables in memory see every change of the tables', async () => {
  const joined = 'SELECT count(*) FROM v JOIN u ON v.a = u.a + 50';
  expect(await answer(COUNT)).toEqual([['100']]);
  expect(await answer(joined)).toEqual([['10']]);
  await run("INSERT INTO t VALUES (101, 'new')");
  expect(await rows(COUNT)).toEqual([['101']]);
  expect(await answer(COUNT)).toEqual([['101']]);
  await run('DELETE FROM u WHERE a > 4');
  expect(await rows(joined)).toEqual([['4']]);
  expect(await answer(joined)).toEqual([['4']]);
  await run('UPDATE t SET a = 1 WHERE a <= 50');
  expect(await rows('SELECT sum(a) FROM t WHERE a < 51')).toEqual([['50']]);
  const star = 'SELECT * FROM t WHERE a = 101';
  expect(await answer(star)).toEqual([['101', 'new']]);
  await run('ALTER TABLE t ADD COLUMN c INT DEFAULT 7');
  expect(await answer(star)).toEqual([['101', 'new', 7]]);
  await run('CREATE OR REPLACE VIEW v AS SELECT a FROM t WHERE a > 52');
  expect(await rows(joined)).toEqual([['2']]);
  await run('DROP TABLE u');
  await expect(rows(joined)).rejects.toMatchObject({ name: 'UNDEFINED_TABLE' });
  await run('TRUNCATE TABLE t');
  expect(await rows(COUNT)).toEqual([['0']]);
});

test('a repeated statement reads what its transaction has changed, and the others do not', async () => {
  await run('CREATE TABLE w (a BIGINT)');
  await run('INSERT INTO w VALUES (1), (2)');
  const sql = 'SELECT count(*) FROM w';
  expect(await answer(sql)).toEqual([['2']]);
  const begun = await run('BEGIN');
  const transactionId = begun.session?.kind === 'set' ? begun.session.value : '';
  expect(await rows(sql, { transactionId })).toEqual([['2']]);
  await run('INSERT INTO w VALUES (3)', { transactionId });
  expect(await rows(sql, { transactionId })).toEqual([['3']]);
  expect(await rows(sql)).toEqual([['2']]);
  await run('COMMIT', { transactionId });
  expect(await rows(sql)).toEqual([['3']]);
  expect(await answer(sql)).toEqual([['3']]);
});

test('a repeated statement is refused once its user may not read the table any more', async () => {
  await run('CREATE TABLE x (a BIGINT)');
  await run('INSERT INTO x VALUES (1)');
  await run('GRANT USAGE ON DATABASE tessera TO alice');
  await run('GRANT USAGE ON SCHEMA public TO alice');
  await run('GRANT SELECT ON TABLE x TO alice');
  const asked = { user: 'alice' };
  expect(await answer('SELECT a FROM x', asked)).toEqual([['1']]);
  await run('REVOKE SELECT ON TABLE x FROM alice');
  await expect(rows('SELECT a FROM x', asked)).rejects.toMatchObject({ name: 'FORBIDDEN' });
});

test('EXPLAIN ANALYZE shows the same reads for a repeated statement', async () => {
  await run('CREATE TABLE y (a BIGINT, b TEXT)');
  await run("INSERT INTO y SELECT i, 'b' || i FROM generate_series(1, 100) AS r(i)");
  const sql = 'SELECT max(a) FROM y';
  await answer(sql);
  const reads = async () => String(await rows(`EXPLAIN (ANALYZE) ${sql}`)).split('Tables')[1];
  const first = await reads();
  expect(first).toMatch(/columns a; in memory; .*tablets hot 1/);
  await rows(sql);
  expect(await reads()).toBe(first);
});
