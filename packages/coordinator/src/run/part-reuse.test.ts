import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asked, TestNode } from '../testing/test-node.ts';

let node: TestNode;
const MEMORY = 1 << 20;
beforeAll(async () => {
  node = await TestNode.open({ subresultCacheBytes: MEMORY, checksPrivileges: true });
  await node.run('CREATE TABLE t (id BIGINT, a INT, s TEXT, d DATE) PRIMARY INDEX id', ADMIN);
  await node.run(FILL, ADMIN);
  await node.run('CREATE TABLE few AS SELECT n AS a, n * 10 AS b FROM generate_series(0, 9) g(n)', ADMIN);
});
afterAll(() => node[Symbol.asyncDispose]());

const ADMIN: Asked = { user: 'tessera', settings: { subresult_min_rows: '1000' } };
const FILL = `INSERT INTO t SELECT n, n % 7, 'v' || n % 5, DATE '2026-11-01' + (n % 30)::INT FROM generate_series(1, 12000) g(n)`;

interface Answer {
  readonly rows: unknown[][];
  /** The number of parts that were read from kept rows. */
  readonly parts: number;
}

async function ask(sql: string, asked: Asked = {}): Promise<Answer> {
  const { hits } = node.coordinator.keptParts;
  const rows = await node.rows(sql, { ...ADMIN, ...asked });
  return { rows, parts: node.coordinator.keptParts.hits - hits };
}

const computed = (sql: string) =>
  node.rows(sql, { ...ADMIN, settings: { ...ADMIN.settings, enable_subresult_cache: 'false' } });

/** A query of the part, which differs from earlier ones. */
let outer = 0;
const over = (part: string): string => `SELECT q.*, ${++outer} FROM (${part}) AS q ORDER BY ALL`;

/** Asks until the part is kept, and returns the answer from kept rows. */
async function kept(part: string): Promise<Answer> {
  await ask(over(part));
  await ask(over(part));
  const sql = over(part);
  const answer = await ask(sql);
  expect(answer.rows).toEqual(await computed(sql));
  return answer;
}

describe('a part that occurs again', () => {
  it.each([
    'SELECT a, count(*) AS n, sum(id) AS s, avg(id) AS m, max(d) AS d FROM t GROUP BY a',
    'SELECT DISTINCT s FROM t',
    "SELECT max(id) AS m FROM t WHERE s = 'v1'",
    'SELECT s AS "Strange ""name", min(id * 1.5) AS x, bool_or(a = 1) AS b FROM t GROUP BY 1',
    'SELECT f.b, count(*) AS n FROM t JOIN few f USING (a) GROUP BY f.b',
    'SELECT a, s, count(*) AS n FROM t GROUP BY ROLLUP (a, s)',
    'SELECT a, count(*) AS n FROM t GROUP BY a ORDER BY n DESC, a LIMIT 3',
    'SELECT a FROM t GROUP BY a UNION ALL SELECT NULL',
  ])('is read from memory: %s', async (part) => {
    expect((await kept(part)).parts).toBe(1);
  });

  it('serves CTEs, subqueries and sets of values, each for itself', async () => {
    const sql = (more: string) => `WITH x AS (SELECT a, count(*) AS n FROM t WHERE id > 1 GROUP BY a),
        y AS (SELECT a, n FROM x WHERE n > 10)
      SELECT y.a, n, (SELECT max(id) FROM t WHERE a < 3) AS m FROM y
      WHERE a IN (SELECT a FROM t WHERE s = 'v2' GROUP BY a) ${more} ORDER BY 1`;
    await ask(sql(''));
    await ask(sql('AND n > 1'));
    const last = sql('AND n > 2');
    expect(await ask(last)).toEqual({ rows: await computed(last), parts: 3 });
  });

  it('is kept only when it occurs for the second time', async () => {
    const part = 'SELECT s, count(*) AS n FROM t WHERE a = 1 GROUP BY s';
    expect((await ask(over(part))).parts).toBe(0);
    expect((await ask(over(part))).parts).toBe(1);
    expect((await ask(`SELECT n FROM (${part}) WHERE s = 'v1'`)).parts).toBe(1);
  });

  it('is shown by EXPLAIN (ANALYZE)', async () => {
    const part = 'SELECT s, count(*) AS n FROM t WHERE a = 2 GROUP BY s';
    await kept(part);
    const [[text]] = (await node.rows(`EXPLAIN (ANALYZE) ${over(part)}`, ADMIN)) as [[string]];
    expect(text).toContain('Parts of the query\n');
    expect(text).toContain('kept (rows 5');
  });
});

describe('a part is computed', () => {
  it.each([
    ['for a row around it', 'SELECT f.a, (SELECT count(*) FROM t WHERE t.a = f.a) AS n FROM few f'],
    ['with values that differ each time', 'SELECT * FROM (SELECT a, max(random()) AS r FROM t GROUP BY a) q'],
    ['with nearly as many rows as its table', 'SELECT count(*) FROM (SELECT id FROM t) q'],
    ['of nested values', 'SELECT * FROM (SELECT a, array_agg(DISTINCT s) AS l FROM t GROUP BY a) q'],
    ['that fails alone', 'SELECT * FROM (SELECT a, 1 / (a - 3) AS x FROM t GROUP BY a) q WHERE a < 3'],
    ['that names a CTE', 'WITH t AS (SELECT 1 AS a) SELECT * FROM (SELECT a, count(*) FROM t GROUP BY a) q'],
    ['that reads the clock', 'SELECT * FROM (SELECT a, max(current_date - d) AS x FROM t GROUP BY a) q'],
  ])('%s', async (_, sql) => {
    for (let run = 0; run < 3; run++) expect((await ask(sql)).parts).toBe(0);
  });

  it('with enable_subresult_cache = false, and for few rows', async () => {
    const part = 'SELECT a, sum(id) AS n FROM t WHERE id < 500 GROUP BY a';
    await kept(part);
    for (const settings of [
      { ...ADMIN.settings, enable_subresult_cache: 'false' },
      { subresult_min_rows: '100000' },
    ])
      expect((await ask(over(part), { settings })).parts).toBe(0);
    expect((await ask(over(part))).parts).toBe(1);
  });

  it('with parameters', async () => {
    const asked: Asked = { parameters: [{ name: '$1', value: 3 }] };
    for (let run = 0; run < 3; run++)
      expect((await ask(over('SELECT s, count(*) AS n FROM t WHERE a < $1 GROUP BY s'), asked)).parts).toBe(
        0,
      );
  });
});

describe('kept rows', () => {
  const part = 'SELECT a, count(*) AS n FROM changing GROUP BY a';

  it('are those of the snapshot: after each change, and in transactions', async () => {
    await node.run(
      'CREATE TABLE changing AS SELECT n % 3 AS a, n AS id FROM generate_series(1, 9000) g(n)',
      ADMIN,
    );
    expect((await kept(part)).parts).toBe(1);
    await node.run('INSERT INTO changing VALUES (0, 0)', ADMIN);
    const sql = over(part);
    expect(await ask(sql)).toEqual({ rows: await computed(sql), parts: 0 });
    await node.run('DROP TABLE changing', ADMIN);
    await node.run(
      'CREATE TABLE changing AS SELECT n % 2 AS a, n AS id FROM generate_series(1, 9000) g(n)',
      ADMIN,
    );
    const other = over(part);
    expect(await ask(other)).toEqual({ rows: await computed(other), parts: 0 });
  });

  it('are computed again after a change only if they were read often', async () => {
    await node.run('CREATE TABLE often AS SELECT n % 3 AS a FROM generate_series(1, 9000) g(n)', ADMIN);
    const rare = 'SELECT a, count(*) AS n FROM often GROUP BY a';
    const frequent = 'SELECT a, count(*) + 1 AS n FROM often GROUP BY a';
    expect((await kept(rare)).parts).toBe(1);
    for (let n = 0; n < 10; n++) expect((await kept(frequent)).parts).toBe(1);
    await node.run('INSERT INTO often VALUES (0)', ADMIN);
    expect((await kept(rare)).parts).toBe(0);
    expect((await kept(frequent)).parts).toBe(1);
  });

  it('stay for newer queries when a transaction with an older snapshot asks for the part', async () => {
    await node.run('CREATE TABLE older AS SELECT n % 3 AS a FROM generate_series(1, 9000) g(n)', ADMIN);
    const own = 'SELECT a, count(*) AS n FROM older GROUP BY a';
    const { session } = await node.run('BEGIN', ADMIN);
    if (session?.kind !== 'set') throw new Error('BEGIN began nothing');
    const inTransaction: Asked = { ...ADMIN, transactionId: session.value };
    const before = await node.rows(own, inTransaction);
    await node.run('INSERT INTO older VALUES (0)', ADMIN);
    // It is read so often that it would be computed again.
    for (let n = 0; n < 10; n++) expect((await kept(own)).parts).toBe(1);
    for (let n = 0; n < 3; n++) {
      const { rows, parts } = await ask(`SELECT a, n FROM (${own}) q`, inTransaction);
      expect({ rows: rows.toSorted(), parts }).toEqual({ rows: before.toSorted(), parts: 0 });
    }
    expect((await ask(over(own))).parts).toBe(1);
  });

  it('are not those of a temporary table with the same name', async () => {
    await node.run('CREATE TABLE hidden AS SELECT n % 3 AS a FROM generate_series(1, 9000) g(n)', ADMIN);
    const own = 'SELECT a, count(*) AS n FROM hidden GROUP BY a';
    expect((await kept(own)).parts).toBe(1);
    const inSession: Asked = { ...ADMIN, temporary: node.coordinator.openSession() };
    await node.run('CREATE TEMP TABLE hidden AS SELECT 7 AS a FROM generate_series(1, 9000)', inSession);
    const answer = await ask(`SELECT q.a, q.n FROM (${own}) q`, inSession);
    expect(answer).toEqual({ rows: [[7, '9000']], parts: 0 });
    expect((await ask(over(own))).parts).toBe(1);
    await node.coordinator.endSession(inSession.temporary!);
  });

  it('belong to a user', async () => {
    await node.run("CREATE USER reader WITH PASSWORD='Secret-1234'", ADMIN);
    await node.run('GRANT SELECT ON TABLE t TO reader', ADMIN);
    await node.run('GRANT USAGE ON SCHEMA public TO reader', ADMIN);
    const own = 'SELECT a, sum(id) AS n FROM t WHERE id > 7 GROUP BY a';
    expect((await kept(own)).parts).toBe(1);
    expect((await ask(over(own), { ...ADMIN, user: 'reader' })).parts).toBe(0);
    await expect(ask(over(part), { ...ADMIN, user: 'reader' })).rejects.toMatchObject({ name: 'FORBIDDEN' });
  });

  it('cannot be named by a statement', async () => {
    await kept('SELECT a, min(id) AS n FROM t GROUP BY a');
    await expect(ask('SELECT * FROM "$parts".part_1')).rejects.toMatchObject({
      name: expect.stringMatching(/UNDEFINED/),
    });
  });

  it('take limited memory: the least recently used go first', async () => {
    const large = (n: number) => `SELECT id % 2900 AS k, ${n} AS n, count(*) AS c FROM t GROUP BY 1`;
    for (let n = 0; n < 20; n++) {
      await ask(over(large(n)));
      expect((await ask(over(large(n)))).parts).toBe(1);
    }
    expect(node.coordinator.keptParts.bytes).toBeLessThanOrEqual(MEMORY);
    expect(node.coordinator.keptParts.size).toBeLessThan(20);
    const session = await node.kernel.session({});
    const tables = () =>
      session.scalar(
        "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'kept' AND table_name LIKE 'part_%'",
      );
    await expect.poll(async () => Number(await tables())).toBe(node.coordinator.keptParts.size);
    await session.close();
  });
});
