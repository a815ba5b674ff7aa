import { SeededRandom } from '@tessera/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asked, TestNode } from '../testing/test-node.ts';

const MAX_KEYS = 10;
const ROWS = 24_000;
/** Frequent patterns, more than `MAX_KEYS`. */
const PATTERNS = [
  'a.c',
  '^n',
  '[0-9]+$',
  '(n)([0-9])',
  'A.C',
  '',
  '.',
  'é|ü',
  "it''s",
  'x{2,3}',
  '\\d\\d',
  '(?i)N1',
];

const ADMIN: Asked = { user: 'tessera' };

let node: TestNode;
const run = (sql: string) => node.run(sql, ADMIN);
const rows = (sql: string, asked: Asked = ADMIN) => node.rows(sql, asked);
beforeAll(async () => {
  node = await TestNode.open({ regexpCacheMaxKeys: MAX_KEYS, checksPrivileges: true });
  await run('CREATE TABLE logs (id INT, msg TEXT, p TEXT)');
  const list = PATTERNS.map((text) => `'${text}'`).join(', ');
  await run(`INSERT INTO logs SELECT i,
    CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN 'abc' WHEN 2 THEN 'a' || chr(10) || 'c' WHEN 3 THEN 'üxx' ELSE 'n' || i END,
    CASE WHEN i % 11 = 0 THEN NULL WHEN i % 50 = 1 THEN 'rare ' || i % 40 ELSE ARRAY[${list}][1 + i % ${PATTERNS.length}] END
    FROM generate_series(1, ${ROWS}) AS g(i)`);
  await run('CREATE TABLE rules AS SELECT DISTINCT p AS pattern, length(p) AS id FROM logs');
  await run("INSERT INTO rules VALUES ('(', -1)");
});
afterAll(() => node?.[Symbol.asyncDispose]());

/** The member `regular_expressions` of EXPLAIN. */
async function compiled(sql: string, asked?: Asked): Promise<unknown> {
  const [[text]] = (await rows(`EXPLAIN (FORMAT JSON) ${sql}`, asked)) as [[string]];
  return (JSON.parse(text) as { regular_expressions: unknown }).regular_expressions;
}

describe('execution.regexp_cache_max_keys', () => {
  it('is the number of patterns of a column that are compiled once, and EXPLAIN says so', async () => {
    const sql = 'SELECT count(*) FROM logs WHERE msg ~ p';
    expect(await compiled(sql)).toEqual([{ table: 'logs', column: 'p', compiled: MAX_KEYS }]);
    const [[text]] = (await rows(`EXPLAIN ${sql}`)) as [[string]];
    expect(text).toContain(`logs.p: ${MAX_KEYS} patterns are compiled once each`);
    expect(text.length).toBeLessThan(4_000);
  });

  it('an invalid pattern stays variable, and fails only where its row is evaluated', async () => {
    const join = 'SELECT count(*) FROM logs JOIN rules ON msg ~ pattern WHERE logs.id < 500 AND rules.id > 0';
    // `(` is among the first ones.
    expect(await compiled(join)).toEqual([{ table: 'rules', column: 'pattern', compiled: MAX_KEYS - 1 }]);
    expect(await rows(join)).toEqual(await rows(join.replace('~ pattern', "~ (pattern || '')")));
    await expect(rows(join.replace('rules.id > 0', 'rules.id < 0'))).rejects.toThrow(/missing \)/);
  });

  it.each([
    ['small tables', "SELECT count(*) FROM rules WHERE 'abc' ~ pattern AND id > 0"],
    ['literal patterns', "SELECT count(*) FROM logs WHERE msg ~ 'a'"],
    ['columns of other types', 'SELECT count(*) FROM logs WHERE msg = p'],
  ])('has no effect on %s', async (_, sql) => {
    expect(await compiled(sql)).toEqual([]);
  });

  it('patterns that are added later match, and are compiled once from then on', async () => {
    await run("CREATE TABLE few AS SELECT id, msg, 'abc'::TEXT AS p FROM logs");
    const sql = 'SELECT count(*) FROM few WHERE msg ~ p';
    const [[before]] = (await rows(sql)) as [[string]];
    await run("INSERT INTO few VALUES (0, 'new text', 'w t'), (0, 'new text', 'wt')");
    expect(await rows(sql)).toEqual([[String(Number(before) + 1)]]);
    expect(await compiled(sql)).toEqual([{ table: 'few', column: 'p', compiled: 3 }]);
  });

  it('reads the patterns with the privileges of the owner of a view', async () => {
    await run('CREATE VIEW hits AS SELECT id FROM logs WHERE msg ~ p');
    await run('CREATE USER reader');
    await run('GRANT USAGE ON DATABASE tessera TO reader');
    await run('GRANT USAGE ON SCHEMA public TO reader');
    await run('GRANT SELECT ON VIEW hits TO reader');
    const patterns = [{ table: 'logs', column: 'p', compiled: MAX_KEYS }];
    expect(await compiled('SELECT count(*) FROM hits', { user: 'reader' })).toEqual(patterns);
    await expect(rows('SELECT count(*) FROM logs WHERE msg ~ p', { user: 'reader' })).rejects.toThrow(/logs/);
  });

  it('reads the patterns of temporary tables, also for DELETE', async () => {
    const session = node.coordinator.openSession();
    const asked: Asked = { ...ADMIN, temporary: session };
    await node.run('CREATE TEMPORARY TABLE "odd ""name" AS SELECT id, msg, p AS "a p" FROM logs', asked);
    const sql = 'SELECT count(*) FROM "odd ""name" WHERE msg ~ "a p"';
    expect(await compiled(sql, asked)).toEqual([{ table: 'odd "name', column: 'a p', compiled: MAX_KEYS }]);
    const { affectedRows } = await node.run('DELETE FROM "odd ""name" WHERE msg ~ "a p"', asked);
    expect(await rows('SELECT count(*) FROM logs WHERE msg ~ p')).toEqual([[String(affectedRows)]]);
    expect(await rows(sql, asked)).toEqual([['0']]);
    await node.coordinator.endSession(session);
  });
});

const SEED = Number(process.env.TESSERA_PATTERN_SEED ?? 20261123);

/** An expression over `msg`, a pattern and a number. */
type Call = (pattern: string, id: string) => string;

const CALLS: readonly ((random: SeededRandom) => Call)[] = [
  () => (p) => `msg ~ ${p}`,
  () => (p) => `msg !~ ${p}`,
  () => (p) => `msg ~* ${p}`,
  () => (p) => `NOT (msg !~* ${p})`,
  () => (p) => `regexp_like(msg, ${p})`,
  (r) => {
    const flags = r.pick(['', 'i', '-s', 'ims']);
    return (p) => `regexp_like(msg || 'x', ${p}, '${flags}')`;
  },
  () => (p, id) => `regexp_like(msg, ${p}, CASE WHEN ${id} % 2 = 0 THEN 'i' ELSE '' END)`,
  () => (p) => `regexp_extract(msg, ${p})`,
  (r) => {
    const [flags, group] = [r.pick(['', 'i']), r.between(0, 2)];
    return (p) => `regexp_extract(msg, ${p}, '${flags}', ${group})`;
  },
  () => (p) => `regexp_extract_all(msg, ${p})::TEXT`,
  () => (p) => `regexp_replace(msg, ${p}, '<\\&>')`,
  (r) => {
    const [group, flags] = [r.between(0, 2), r.pick(['g', 'gi'])];
    return (p) => `regexp_replace(msg, ${p}, '<\\${group}>', '${flags}')`;
  },
  () => (p) => `regexp_replace_all(msg, ${p}, '')`,
  () => (p) => `regexp_replace(regexp_extract(msg, ${p}), ${p}, '-')`,
];

/** Queries with one result each; `of` writes a column of patterns. */
const QUERIES: readonly ((call: Call, of: (column: string) => string) => string)[] = [
  (call, of) => `SELECT id, ${call(of('p'), 'id')} AS x FROM logs WHERE id < 1000 ORDER BY id`,
  (
    call,
    of,
  ) => `SELECT x, count(*) FROM (SELECT (${call(of('p'), 'id')})::TEXT AS x FROM logs WHERE id < 1000) AS q
    GROUP BY x ORDER BY 2, 1 LIMIT 50`,
  (call, of) => `SELECT count(*), min(id) FROM logs WHERE id < 1000 AND (${call(of('p'), 'id')})::TEXT > 'b'`,
  (call, of) => `SELECT l.id, r.id, length(pattern) FROM logs l JOIN rules r
    ON r.id > 0 AND (${call(of('r.pattern'), 'l.id')})::TEXT > 'a' WHERE l.id < 100 ORDER BY 1, 2, 3`,
  (
    call,
    of,
  ) => `SELECT id, (SELECT count(*) FROM rules WHERE rules.id = length(p) AND (${call(of('p'), 'logs.id')}) IS NULL)
    FROM logs WHERE id < 500 ORDER BY id`,
];

it(`20 random queries return what they return with variable patterns (seed ${SEED})`, async () => {
  const random = new SeededRandom(SEED);
  const answer = (sql: string) => rows(sql).catch((error: unknown) => String(error));
  for (let step = 0; step < 20; step += 1) {
    const query = random.pick(QUERIES);
    const call = random.pick(CALLS)(random);
    const sql = query(call, (column) => column);
    expect(await answer(sql), sql).toEqual(await answer(query(call, (column) => `(${column} || '')`)));
  }
});
