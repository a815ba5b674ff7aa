import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Asked, TestNode } from '../testing/test-node.ts';

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.open({ resultCacheBytes: 1 << 24, checksPrivileges: true });
  await node.run('CREATE TABLE t (id BIGINT, a INT, d DATE) PRIMARY INDEX id', ADMIN);
  await node.run(FILL, ADMIN);
  await node.run('CREATE TABLE few AS SELECT n FROM generate_series(1, 9) g(n)', ADMIN);
});
afterAll(() => node[Symbol.asyncDispose]());
afterEach(() => vi.useRealTimers());

const ADMIN: Asked = { user: 'tessera' };
const FILL = `INSERT INTO t SELECT n, n % 7, DATE '2026-11-01' + (n % 30)::INT FROM generate_series(1, 12000) g(n)`;
const SUM = 'SELECT a, count(*), sum(id) FROM t GROUP BY a ORDER BY a';

/** Runs a query and returns whether its result came from the cache. */
async function ask(sql: string, asked: Asked = {}): Promise<{ body: string; isReused: boolean }> {
  const { hits } = node.coordinator.resultCache;
  const body = await node.body(sql, { ...ADMIN, ...asked });
  return { body, isReused: node.coordinator.resultCache.hits > hits };
}

const explained = async (sql: string, asked: Asked = {}): Promise<string> =>
  String((await node.rows(`EXPLAIN (ANALYZE) ${sql}`, { ...ADMIN, ...asked }))[0]![0])
    .split('Result cache\n')[1]!
    .trim();

let salt = 0;
/** A query that no other test uses. */
let fresh: string;
beforeEach(() => {
  fresh = `SELECT a, count(*) FROM t WHERE id > ${++salt} GROUP BY a ORDER BY a`;
});

describe('an equal query', () => {
  it('gets the same result, whatever its text looks like', async () => {
    const first = await ask(SUM);
    expect(first.isReused).toBe(false);
    expect(await ask(SUM)).toEqual({ ...first, isReused: true });
    const other = '/* again */ select A, COUNT( * ), sum(id)  from public.T group by a order by A -- end';
    expect((await ask(other)).isReused).toBe(true);
  });

  it.each<[string, Asked, Asked]>([
    ['another time zone', { settings: { timezone: 'UTC' } }, { settings: { timezone: 'Asia/Tokyo' } }],
    ['another limit', { settings: { max_result_rows: '3' } }, { settings: { max_result_rows: '4' } }],
    ['another encoding', {}, { encoding: { kind: 'rows', format: 'tsv' } }],
    ['other settings of its execution', {}, { settings: { nodes_per_query: '1' } }],
  ])('with %s has a result of its own', async (_, one, other) => {
    const first = await ask(fresh, one);
    const second = await ask(fresh, other);
    expect([first.isReused, second.isReused]).toEqual([false, false]);
    expect(await ask(fresh, one)).toEqual({ ...first, isReused: true });
    expect(await ask(fresh, other)).toEqual({ ...second, isReused: true });
  });

  it('with other values of parameters has a result of its own', async () => {
    const sql = 'SELECT count(*) FROM t WHERE a < $1 AND id > 0';
    const withValue = (value: number): Asked => ({ parameters: [{ name: '$1', value }] });
    for (let run = 0; run < 3; run++) {
      for (const value of [2, 3, 4]) {
        const { body, isReused } = await ask(sql, withValue(value));
        expect(JSON.parse(body.slice(1))[0]).toBe(await counted(`a < ${value} AND id > 0`));
        expect(isReused).toBe(run > 0);
      }
    }
  });

  it('is not reused with enable_result_cache = false', async () => {
    await ask(fresh);
    expect((await ask(`${fresh} WITH (enable_result_cache = false)`)).isReused).toBe(false);
    expect((await ask(fresh)).isReused).toBe(true);
  });

  it('is marked in the history, and reads nothing', async () => {
    await ask(fresh);
    await ask(fresh, { queryId: `marked-${salt}` });
    const history = `SELECT from_result_cache, scanned_rows, returned_rows FROM information_schema.engine_query_history
      WHERE query_id = 'marked-${salt}'`;
    expect(await node.rows(history, ADMIN)).toEqual([[true, '0', '7']]);
  });
});

/** The number of rows that satisfy a condition, computed. */
const counted = async (condition: string): Promise<unknown> =>
  (
    await node.rows(`SELECT count(*) FROM t WHERE ${condition}`, {
      ...ADMIN,
      settings: { enable_result_cache: 'false' },
    })
  )[0]![0];

describe('after a change', () => {
  it.each([
    'INSERT INTO t VALUES (20000, 1, NULL)',
    'UPDATE t SET a = a + 1 WHERE id = 20000',
    'DELETE FROM t WHERE id = 20000',
  ])('%s: the result is computed again', async (change) => {
    const before = await ask(SUM);
    await node.run(change, ADMIN);
    const after = await ask(SUM);
    expect(after.isReused).toBe(false);
    expect(after.body).not.toBe(before.body);
    expect(await ask(SUM)).toEqual({ ...after, isReused: true });
  });

  it('to a definition, the result is computed again', async () => {
    await node.run('CREATE TABLE x AS SELECT n AS id, n AS v FROM generate_series(1, 12000) g(n)', ADMIN);
    await node.run('CREATE VIEW w AS SELECT count(*) AS n FROM x WHERE v > 10', ADMIN);
    const first = await ask('SELECT * FROM w');
    expect((await ask('SELECT * FROM w')).isReused).toBe(true);
    await node.run('CREATE OR REPLACE VIEW w AS SELECT count(*) AS n FROM x WHERE v > 20', ADMIN);
    const second = await ask('SELECT * FROM w');
    expect(second.isReused).toBe(false);
    expect(second.body).not.toBe(first.body);
    const sum = 'SELECT sum(v) FROM x';
    const before = await ask(sum);
    await node.run('DROP VIEW w', ADMIN);
    await node.run('DROP TABLE x', ADMIN);
    await node.run('CREATE TABLE x AS SELECT n AS id, 2 * n AS v FROM generate_series(1, 12000) g(n)', ADMIN);
    const after = await ask(sum);
    expect(after.isReused).toBe(false);
    expect(after.body).not.toBe(before.body);
    await node.run('ALTER TABLE x RENAME COLUMN v TO u', ADMIN);
    await node.run('ALTER TABLE x RENAME COLUMN id TO v', ADMIN);
    const renamed = await ask(sum);
    expect(renamed.isReused).toBe(false);
    expect(renamed.body).toBe(before.body);
  });
});

describe('in a transaction', () => {
  const begun = async (): Promise<Asked> => {
    const { session } = await node.run('BEGIN', ADMIN);
    if (session?.kind !== 'set') throw new Error('BEGIN began nothing');
    return { transactionId: session.value };
  };

  it('sees the changes of the transaction, and nobody else does', async () => {
    const outside = await ask(fresh);
    const inside = await begun();
    expect((await ask(fresh, inside)).isReused).toBe(true);
    await node.run('INSERT INTO t VALUES (30000, 3, NULL)', { ...ADMIN, ...inside });
    const changed = await ask(fresh, inside);
    expect(changed).toEqual({ body: expect.not.stringContaining(outside.body), isReused: false });
    expect(await ask(fresh, inside)).toEqual({ ...changed, isReused: false });
    expect(await explained(fresh, inside)).toBe('not kept: its transaction has changed a table');
    expect(await ask(fresh)).toEqual({ ...outside, isReused: true });
    await node.run('ROLLBACK', { ...ADMIN, ...inside });
    expect(await ask(fresh)).toEqual({ ...outside, isReused: true });
  });

  it('an older snapshot keeps its own result', async () => {
    const inside = await begun();
    const old = await ask(fresh, inside);
    await node.run('INSERT INTO t VALUES (30001, 3, NULL)', ADMIN);
    const now = await ask(fresh);
    expect(now.isReused).toBe(false);
    expect(now.body).not.toBe(old.body);
    expect((await ask(fresh, inside)).body).toBe(old.body);
    expect((await ask(fresh)).body).toBe(now.body);
    await node.run('ROLLBACK', { ...ADMIN, ...inside });
  });
});

describe('privileges', () => {
  const reader: Asked = { user: 'reader' };

  it('a result is only returned to users who may compute it', async () => {
    await node.run("CREATE USER reader WITH PASSWORD = 'a long password'", ADMIN);
    await node.run('GRANT USAGE ON DATABASE tessera TO reader', ADMIN);
    await node.run('GRANT USAGE ON SCHEMA public TO reader', ADMIN);
    await ask(fresh);
    await expect(ask(fresh, reader)).rejects.toMatchObject({ name: 'FORBIDDEN' });
    await node.run('GRANT SELECT ON TABLE t TO reader', ADMIN);
    const own = await ask(fresh, reader);
    expect(own.isReused).toBe(false);
    expect(await ask(fresh, reader)).toEqual({ ...own, isReused: true });
    await node.run('REVOKE SELECT ON TABLE t FROM reader', ADMIN);
    await expect(ask(fresh, reader)).rejects.toMatchObject({ name: 'FORBIDDEN' });
  });

  it("are those of the view's owner for the tables that a view reads", async () => {
    await node.run('CREATE VIEW totals AS SELECT count(*) AS n, current_user() AS me FROM t', ADMIN);
    await node.run('GRANT SELECT ON VIEW totals TO reader', ADMIN);
    const mine = await ask('SELECT * FROM totals');
    expect((await ask('SELECT * FROM totals')).isReused).toBe(true);
    const theirs = await ask('SELECT * FROM totals', reader);
    expect(theirs.isReused).toBe(false);
    expect(theirs.body).not.toBe(mine.body);
    await node.run('REVOKE SELECT ON VIEW totals FROM reader', ADMIN);
    await expect(ask('SELECT * FROM totals', reader)).rejects.toMatchObject({ name: 'FORBIDDEN' });
  });
});

describe('a statement that differs from earlier ones in literals only', () => {
  const reader: Asked = { ...ADMIN, user: 'reader', settings: { enable_result_cache: 'false' } };

  it('is not bound again, but its privileges are checked and its errors have a place', async () => {
    await node.run('GRANT SELECT ON TABLE t TO reader', ADMIN);
    const of = (literal: string) => node.rows(`SELECT id FROM t WHERE d = ${literal} AND id < 40`, reader);
    await node.rows('SELECT * FROM t', reader);
    await node.tables.agent.settled();
    await of("'2026-11-02'");
    await of("'2026-11-03'");
    const session = await node.kernel.session();
    using described = vi.spyOn(Object.getPrototypeOf(session), 'describe');
    await session.close();
    expect(await of("'2026-11-04'")).toEqual([['3'], ['33']]);
    expect(described).not.toHaveBeenCalled();
    await expect(of("'no date'")).rejects.toMatchObject({ location: { line: 1, startColumn: 28 } });
    await node.run('REVOKE SELECT ON TABLE t FROM reader', ADMIN);
    await expect(of("'2026-11-05'")).rejects.toMatchObject({ name: 'FORBIDDEN' });
  });
});

describe('results that may differ without a change of tables', () => {
  it.each([
    ['SELECT count(*), random() FROM t', 'not kept: random() may return something else each time'],
    [
      'SELECT count(*), gen_random_uuid_text() FROM t',
      expect.stringMatching(/^not kept: .*uuid.*\(\) may return/),
    ],
    ['SELECT count(*) FROM t WHERE now() > d', 'not kept: it reads the clock'],
    ['SELECT count(*), localtime FROM t', 'not kept: it reads the clock'],
    ['SELECT count(*) FROM t TABLESAMPLE 50%', 'not kept: TABLESAMPLE may return something else each time'],
    ['SELECT count(*) FROM generate_series(1, 20000)', 'not kept: it reads no table'],
    [
      'SELECT (SELECT count(*) FROM information_schema.tables), count(*) FROM t',
      'not kept: it reads files, external tables, sequences or relations of the system',
    ],
    ['SELECT count(*) FROM few', 'not kept: the query reads 9 rows, fewer than 10,000'],
  ])('%s is computed each time', async (sql, reason) => {
    expect((await ask(sql)).isReused).toBe(false);
    expect((await ask(sql)).isReused).toBe(false);
    expect(await explained(sql)).toEqual(reason);
  });

  it('nextval is computed each time', async () => {
    await node.run('CREATE SEQUENCE s', ADMIN);
    const sql = "SELECT nextval('s'), count(*) FROM t";
    const [one, two] = [await ask(sql), await ask(sql)];
    expect([one.isReused, two.isReused]).toEqual([false, false]);
    expect(two.body).not.toBe(one.body);
  });

  it('current_date is a value: the result is valid for one day', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-10T12:00:00Z') });
    const sql = 'SELECT count(*) FROM t WHERE d < current_date AND id > 0';
    const first = await ask(sql);
    expect(Number(JSON.parse(first.body.slice(1))[0])).toBe(
      Number(await counted("d < DATE '2026-11-10' AND id > 0")),
    );
    expect(await ask(sql)).toEqual({ ...first, isReused: true });
    expect((await ask(sql, { settings: { timezone: 'Pacific/Kiritimati' } })).body).not.toBe(first.body);
    vi.setSystemTime(new Date('2026-11-11T00:00:00Z'));
    const next = await ask(sql);
    expect(next.isReused).toBe(false);
    expect(next.body).not.toBe(first.body);
  });
});

describe('a result is not kept', () => {
  it('if it is not read to its end', async () => {
    await node.columns(fresh, ADMIN);
    expect((await ask(fresh)).isReused).toBe(false);
  });

  it('if it fails', async () => {
    const sql = 'SELECT sum(1 / (id - 5000)) FROM t';
    await expect(ask(sql)).rejects.toThrow(/zero/);
    await expect(ask(sql)).rejects.toThrow(/zero/);
  });

  it('if it is too large', async () => {
    const sql = "SELECT id, repeat('x', 200) FROM t";
    await ask(sql);
    expect((await ask(sql)).isReused).toBe(false);
  });
});

it('EXPLAIN (ANALYZE) runs the query and shows whether its result is kept', async () => {
  expect(await explained(fresh)).toBe('not kept yet: the query is computed the next time it runs');
  const { body } = await ask(fresh);
  expect(await explained(fresh)).toBe(
    `kept (rows 7, bytes ${body.length}): without EXPLAIN, the query is answered from memory`,
  );
  const [[json]] = (await node.rows(`EXPLAIN (ANALYZE, FORMAT JSON) ${fresh}`, ADMIN)) as [[string]];
  expect(JSON.parse(json).result_cache).toEqual({ reusable: true, kept: true, rows: 7, bytes: body.length });
});
