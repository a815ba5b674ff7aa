import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from '../testing/test-node.ts';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.open();
});

afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

const all = async (...statements: string[]) => {
  for (const sql of statements) await node.run(sql);
};
const affected = async (sql: string) => (await node.run(sql)).affectedRows;

describe('INSERT', () => {
  it.each([
    ['INSERT INTO i1 VALUES (NULL, 1)', 'NOT_NULL_VIOLATION'],
    ['INSERT INTO i1 (b) VALUES (1)', 'NOT_NULL_VIOLATION'],
    ['INSERT INTO i1 VALUES (1, 2, 3)', 'SYNTAX_ERROR'],
    ['INSERT INTO i1 VALUES (1, 2), (3)', 'SYNTAX_ERROR'],
    ['INSERT INTO i1 (a, nosuch) VALUES (1, 2)', 'UNDEFINED_NAME'],
    ["INSERT INTO i1 VALUES ('x', 2)", 'CAST_ERROR'],
    [
      'INSERT INTO i1 SELECT i, i FROM generate_series(1, 10) AS g(i) UNION ALL SELECT NULL, 1',
      'NOT_NULL_VIOLATION',
    ],
    ['INSERT INTO nosuch VALUES (1)', 'UNDEFINED_TABLE'],
  ])('%s: %s, and nothing is there', async (sql, name) => {
    await node.run('CREATE TABLE IF NOT EXISTS i1 (a INT NOT NULL, b INT)');
    await expect(node.run(sql)).rejects.toMatchObject({ name });
    expect(await node.rows('SELECT count(*) FROM i1')).toEqual([['0']]);
  });

  it('accepts DEFAULT, and errors point at the mistake', async () => {
    await all(
      "CREATE TABLE i2 (a INT, b TEXT DEFAULT 'd', c INT DEFAULT 1 + 1)",
      "INSERT INTO i2 VALUES (1, DEFAULT, 9), (2, 'x', DEFAULT)",
      'INSERT INTO i2 DEFAULT VALUES',
    );
    expect(await node.rows('SELECT * FROM i2 ORDER BY a')).toEqual([
      [1, 'd', 9],
      [2, 'x', 2],
      [null, 'd', 2],
    ]);
    await expect(node.run('INSERT INTO i2 (a)\n  SELECT nosuch FROM i2')).rejects.toMatchObject({
      name: 'UNDEFINED_NAME',
      location: { line: 2, startColumn: 10 },
    });
  });

  it('binds many rows of expressions in parts, as one statement', async () => {
    await node.run(
      'CREATE TABLE i10 (a INT NOT NULL, b TEXT, c INT DEFAULT 1 + 1, made TIMESTAMPTZ DEFAULT now())',
    );
    const long = 'x'.repeat(200);
    const rows = Array.from({ length: 400 }, (_, i) => `(abs(-${i} - 1), '${i}' || '${long}')`).join(',\n');
    const insert = (last: string) => `INSERT INTO i10 (a, b) VALUES ${rows}, ${last}`;
    const parameters = [{ name: '$1', value: 'x' }];
    expect((await node.run(insert('(0, $1)'), { parameters })).affectedRows).toBe(401);
    const values = 'count(*), sum(a), count(DISTINCT b), min(c), count(DISTINCT made)';
    expect(await node.rows(`SELECT ${values} FROM i10`)).toEqual([['401', '80200', '401', 2, '1']]);
    await expect(node.run(insert("(NULL, 'x')"))).rejects.toMatchObject({ name: 'NOT_NULL_VIOLATION' });
    await expect(node.run(insert("('y', 'x')"))).rejects.toMatchObject({ name: 'CAST_ERROR' });
    await expect(node.run(insert('(1, nosuch)'))).rejects.toMatchObject({
      name: 'UNDEFINED_NAME',
      location: { line: 400, startColumn: expect.any(Number) },
    });
    expect(await affected(insert('((SELECT max(a) FROM i10) + 1, NULL)'))).toBe(401);
    expect(await node.rows('SELECT count(*), max(a) FROM i10')).toEqual([['802', 401]]);
  });

  it('accepts defaults that read the clock', async () => {
    await all(
      'CREATE TABLE i9 (a INT, day DATE DEFAULT current_date, made TIMESTAMPTZ DEFAULT CURRENT_TIMESTAMP)',
      'INSERT INTO i9 (a) VALUES (1), (2)',
      'INSERT INTO i9 (a) SELECT 3',
    );
    expect(await node.rows('SELECT a FROM i9 WHERE day = made::date AND made <= now() ORDER BY a')).toEqual([
      [1],
      [2],
      [3],
    ]);
  });

  it('reads the table that it writes to as it was before', async () => {
    await all('CREATE TABLE i3 (a INT)', 'INSERT INTO i3 VALUES (1), (2)');
    expect(await affected('INSERT INTO i3 SELECT a + 10 FROM i3')).toBe(2);
    expect(await node.rows('SELECT count(*), sum(a) FROM i3')).toEqual([['4', '26']]);
  });

  it('a repeated one is not executed again', async () => {
    await node.run('CREATE TABLE i4 (a INT)');
    const first = await node.run('INSERT INTO i4 VALUES (1)', { queryId: 'once' });
    expect(await node.run('INSERT INTO i4 VALUES (1)', { queryId: 'once' })).toEqual(first);
    expect(await node.rows('SELECT count(*) FROM i4')).toEqual([['1']]);
    await node.run('INSERT INTO i4 VALUES (2)', { queryId: 'once' });
    expect(await node.rows('SELECT a FROM i4 ORDER BY a')).toEqual([[1], [2]]);
  });
});

describe('DELETE', () => {
  it('deletes rows, tablet by tablet', async () => {
    await all(
      'CREATE TABLE d1 (a INT, b INT)',
      'INSERT INTO d1 SELECT i, i % 10 FROM generate_series(1, 1000) AS g(i)',
      'INSERT INTO d1 SELECT i, i % 10 FROM generate_series(1001, 2000) AS g(i)',
    );
    expect(await affected('DELETE FROM d1 WHERE b = 3')).toBe(200);
    expect(await affected('DELETE FROM d1 WHERE b = 3')).toBe(0);
    expect(
      await affected('DELETE FROM d1 AS d USING (SELECT 4 AS v) AS s WHERE d.b = s.v AND d.a > 1000'),
    ).toBe(100);
    expect(await node.rows('SELECT count(*), sum(a), min(b) FROM d1')).toEqual([['1700', '1651500', 0]]);
    expect(await affected('DELETE FROM d1 WHERE a <= 1000')).toBe(900);
    expect(await affected('DELETE FROM d1')).toBe(800);
    expect(await node.rows('SELECT count(*) FROM d1')).toEqual([['0']]);
  });
});

describe('UPDATE', () => {
  it('changes rows and keeps the others', async () => {
    await all(
      'CREATE TABLE u1 (a INT, b TEXT NOT NULL, c INT DEFAULT 5)',
      "INSERT INTO u1 SELECT i, 'v' || i, 0 FROM generate_series(1, 5) AS g(i)",
    );
    expect(await affected("UPDATE u1 SET b = b || '!', c = DEFAULT WHERE a >= 4")).toBe(2);
    expect(
      await affected(
        'UPDATE u1 SET c = s.n FROM (VALUES (1, 11), (1, 11), (2, 12)) AS s(k, n) WHERE u1.a = s.k',
      ),
    ).toBe(2);
    expect(await node.rows('SELECT * FROM u1 ORDER BY a')).toEqual([
      [1, 'v1', 11],
      [2, 'v2', 12],
      [3, 'v3', 0],
      [4, 'v4!', 5],
      [5, 'v5!', 5],
    ]);
    await expect(node.run('UPDATE u1 SET b = NULL WHERE a = 1')).rejects.toMatchObject({
      name: 'NOT_NULL_VIOLATION',
    });
    expect(await affected('UPDATE u1 SET a = a + 1')).toBe(5);
    expect(await node.rows('SELECT sum(a) FROM u1')).toEqual([['20']]);
  });
});

describe('statements that differ in literals only', () => {
  it('change the rows that each of them names', async () => {
    await all(
      'CREATE TABLE keyed (id INT NOT NULL, n INT NOT NULL, t TEXT) PRIMARY INDEX id',
      "INSERT INTO keyed SELECT i, 0, 't' || i FROM generate_series(1, 50) AS g(i)",
      'INSERT INTO keyed SELECT i, 0, i::TEXT FROM generate_series(51, 100) AS g(i)',
    );
    for (const [id, rows] of [
      [1, 1],
      [2, 1],
      [60, 1],
      [500, 0],
      [3, 1],
      [2, 1],
    ])
      expect(await affected(`UPDATE keyed SET n = n + 1 WHERE id = ${id}`), String(id)).toBe(rows);
    for (const id of [3, 61, 61, 4]) await node.run(`DELETE FROM keyed WHERE id = ${id}`);
    expect(await affected('UPDATE keyed SET n = n + 5 WHERE id = 100 OR id = 99')).toBe(2);
    expect(await node.rows('SELECT count(*), sum(n), sum(id) FROM keyed')).toEqual([['97', '14', '4982']]);
    expect(await node.rows('SELECT id, n FROM keyed WHERE n BETWEEN 1 AND 4 ORDER BY id')).toEqual([
      [1, 1],
      [2, 2],
      [60, 1],
    ]);
  });

  it('compare JSON documents of any kind', async () => {
    await all(
      'CREATE TABLE docs (id INT, d JSONB, j JSON)',
      `INSERT INTO docs VALUES (1, '5.0', '{"k": 5.0}'), (2, '"a"', '{"k": "a"}'),
        (3, '12345678901234567890', '{"k": 12345678901234567890}'), (4, 'null', '{"k": null}')`,
    );
    // In memory, it is read without a plan.
    await node.rows("SELECT id FROM docs WHERE d = '1' OR j -> 'k' = '1'");
    await node.tables.agent.settled();
    const found: unknown[] = [];
    const literals = ['"a"', '"b"', '5', '6', 'null', '12345678901234567891', '12345678901234567890'];
    for (const document of ['d', "j -> 'k'"])
      for (const literal of literals)
        found.push((await node.rows(`SELECT id FROM docs WHERE ${document} = '${literal}'`)).flat());
    const expected = [[2], [], [1], [], [4], [], [3]];
    expect(found).toEqual([...expected, ...expected]);
  });

  it('point at the mistake, whether they are bound or not', async () => {
    const failure = (id: number) =>
      node.run(`UPDATE keyed SET n = t::INT WHERE id = ${id}`).then(
        () => undefined,
        ({ name, location }) => ({ name, location }),
      );
    const bound = await failure(10);
    expect(bound).toMatchObject({ name: 'CAST_ERROR' });
    expect(await failure(70)).toBeUndefined();
    expect(await failure(71)).toBeUndefined();
    expect(await failure(11)).toEqual(bound);
    const missing = (id: number) => node.run(`UPDATE keyed SET n = nullif(n, n) WHERE id = ${id}`);
    for (const id of [20, 21, 22])
      await expect(missing(id)).rejects.toMatchObject({ name: 'NOT_NULL_VIOLATION' });
  });
});

describe('a single row', () => {
  const COLUMNS =
    'b BOOLEAN, i INT, l BIGINT, f REAL, d DOUBLE PRECISION, t TEXT, day DATE, ts TIMESTAMP, tz TIMESTAMPTZ, small NUMERIC(4, 1), large NUMERIC(38, 9)';
  const SOURCES: Readonly<Record<string, string>> = {
    values:
      "true, -7, 1234567890123456789, 0.1::REAL, -1e300, 'it''s \"zażółć\" \\ 🎉', DATE '2024-02-29', TIMESTAMP '1969-12-31 23:59:59.999999', TIMESTAMPTZ '2024-02-29 10:11:12.5+02', -0.5, 12345678901234567890123456789.123456789",
    NULL: 'NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL',
    infinities:
      "false, 0, 0, 'inf', 'nan', '', DATE 'infinity', TIMESTAMP '-infinity', TIMESTAMPTZ 'infinity', 0, 0",
    'far dates':
      "false, 0, 0, 0, 0, '', DATE '0001-01-01', TIMESTAMP '0001-01-01 00:00:00', TIMESTAMPTZ '9999-12-31 23:59:59.999999+00', 0, 0",
  };

  it.each(Object.keys(SOURCES))('is updated as rows are: %s', async (name) => {
    const table = `single_${name.replace(' ', '_').toLowerCase()}`;
    const names = COLUMNS.split(/, (?=[a-z])/).map((column) => column.split(' ')[0]!);
    await all(
      `CREATE TABLE ${table} (id INT NOT NULL, ${COLUMNS}) PRIMARY INDEX id, ts, t`,
      `INSERT INTO ${table} (id) VALUES (1)`,
      `INSERT INTO ${table} (id) SELECT i FROM generate_series(2, 3) AS g(i)`,
    );
    const set = names.map((column) => `${column} = s.${column}`).join(', ');
    const update = (ids: string) =>
      `UPDATE ${table} SET ${set} FROM (SELECT ${SOURCES[name]}) AS s(${names.join(', ')}) WHERE id IN (${ids})`;
    expect(await affected(update('1'))).toBe(1);
    expect(await affected(update('2, 3'))).toBe(2);
    expect(await affected(update('4'))).toBe(0);
    const [one, two, three] = await node.rows(`SELECT ${names.join(', ')} FROM ${table} ORDER BY id`);
    expect(one).toEqual(two);
    expect(one).toEqual(three);
    expect(one).not.toEqual(name === 'NULL' ? [] : names.map(() => null));
    expect(
      await node.rows(
        `SELECT count(*) FROM ${table} WHERE id = 1 AND t IS NOT DISTINCT FROM (SELECT t FROM ${table} WHERE id = 2)`,
      ),
    ).toEqual([['1']]);
  });

  it('that violates a constraint is refused, whether it is updated alone or not', async () => {
    await all(
      'CREATE TABLE single_checked (id INT NOT NULL, n INT NOT NULL, CHECK (n > 0))',
      'INSERT INTO single_checked VALUES (1, 1)',
    );
    for (const sql of [
      'UPDATE single_checked SET n = -1 WHERE id = 1',
      'INSERT INTO single_checked VALUES (2, -1)',
    ])
      await expect(node.run(sql)).rejects.toMatchObject({ name: 'CHECK_VIOLATION' });
    await expect(node.run('UPDATE single_checked SET n = NULL')).rejects.toMatchObject({
      name: 'NOT_NULL_VIOLATION',
    });
    expect(await node.rows('SELECT * FROM single_checked')).toEqual([[1, 1]]);
  });
});

describe('MERGE', () => {
  const TARGET = "CREATE TABLE m1 AS SELECT * FROM (VALUES (1, 'one'), (2, 'two'), (3, 'three')) AS v(k, t)";

  it('updates, deletes and inserts', async () => {
    await node.run(TARGET);
    const sql = `MERGE INTO m1 USING (VALUES (1, 'eins'), (2, NULL), (4, 'vier')) AS s(k, t) ON m1.k = s.k
      WHEN MATCHED AND s.t IS NULL THEN DELETE
      WHEN MATCHED THEN UPDATE SET t = s.t
      WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.t)
      WHEN NOT MATCHED BY SOURCE THEN UPDATE SET t = 'gone'`;
    expect(await affected(sql)).toBe(4);
    expect(await node.rows('SELECT * FROM m1 ORDER BY k')).toEqual([
      [1, 'eins'],
      [3, 'gone'],
      [4, 'vier'],
    ]);
    // The source has the name of a column of the table.
    const hidden =
      "MERGE INTO m1 USING (VALUES (1, 'eins')) AS t(k, text) ON m1.k = t.k WHEN NOT MATCHED BY SOURCE AND t.text IS NULL THEN DELETE";
    await expect(node.run(hidden)).rejects.toMatchObject({ name: 'UNDEFINED_NAME' });
    const source = "MERGE INTO m1 USING (VALUES (1, 'eins')) AS s(k, text) ON m1.k = s.k WHEN ";
    for (const [clauses, name, place] of [
      ['NOT MATCHED BY SOURCE THEN UPDATE SET t = s.text', 'UNDEFINED_TABLE', 's.text'],
      ['NOT MATCHED BY SOURCE AND s.text IS NULL THEN DELETE', 'UNDEFINED_TABLE', 's.text'],
      ['NOT MATCHED BY SOURCE THEN UPDATE SET t = upper(text)', 'UNDEFINED_NAME', 'text)'],
      ['NOT MATCHED THEN INSERT VALUES (s.k, m1.t)', 'UNDEFINED_TABLE', 'm1.t)'],
      ['NOT MATCHED AND m1.k > 0 THEN INSERT VALUES (s.k)', 'UNDEFINED_TABLE', 'm1.k >'],
      ['NOT MATCHED THEN INSERT (k) VALUES (k + (SELECT m1.k LIMIT 1))', 'UNDEFINED_TABLE', 'm1.k LIMIT'],
    ] as const) {
      const startColumn = (source + clauses).lastIndexOf(place) + 1;
      await expect(node.run(source + clauses), clauses).rejects.toMatchObject({
        name,
        location: { startColumn },
      });
    }
    expect(await node.rows('SELECT count(*) FROM m1')).toEqual([['3']]);
    const seen = `NOT MATCHED BY SOURCE AND m1.k < 2 THEN UPDATE SET t = (SELECT max(m.t) FROM m1 m WHERE m.k >= m1.k) || t
      WHEN NOT MATCHED THEN INSERT VALUES (s.k + (SELECT max(k) FROM m1), lower(text))`;
    expect(
      await affected(`MERGE INTO m1 USING (VALUES (7, 'X')) AS s(k, text) ON m1.k = s.k WHEN ${seen}`),
    ).toBe(2);
    expect(await node.rows('SELECT * FROM m1 WHERE k IN (1, 11) ORDER BY k')).toEqual([
      [1, 'viereins'],
      [11, 'x'],
    ]);
    await affected('MERGE INTO m1 USING (SELECT 11) AS s(k) ON m1.k = s.k WHEN MATCHED THEN DELETE');
    const twice = 'MERGE INTO m1 USING (VALUES (1), (1)) AS s(k) ON m1.k = s.k WHEN MATCHED THEN DELETE';
    await expect(node.run(twice)).rejects.toMatchObject({ name: 'CARDINALITY_VIOLATION' });
    expect(await node.rows('SELECT count(*) FROM m1')).toEqual([['3']]);
  });
});

describe('partitions', () => {
  it('are separate tablets, which can be dropped', async () => {
    await all(
      "CREATE TABLE p1 (d DATE, v INT) PARTITION BY date_trunc('month', d)",
      "INSERT INTO p1 SELECT DATE '2024-01-15' + (i * 10)::int, i FROM generate_series(0, 10) AS g(i)",
      'INSERT INTO p1 VALUES (NULL, 100)',
    );
    const before = Number((await node.rows('SELECT count(*) FROM p1'))[0]![0]);
    expect(before).toBe(12);
    expect(await affected("ALTER TABLE p1 DROP PARTITION '2024-02-01'")).toBe(3);
    expect(await affected('ALTER TABLE p1 DROP PARTITION NULL')).toBe(1);
    expect(await node.rows('SELECT count(*) FROM p1')).toEqual([['8']]);
    await node.run('TRUNCATE TABLE p1');
    expect(await node.rows('SELECT count(*) FROM p1')).toEqual([['0']]);
  });
});

describe('decimal literals', () => {
  it('keep their digits in partitions and in defaults of older rows', async () => {
    const long = '1234567890123456789012345678901.12345';
    await all(
      'CREATE TABLE dl (n NUMERIC(38, 5)) PARTITION BY n',
      `INSERT INTO dl VALUES (${long}), (-${long})`,
      'ALTER TABLE dl ADD COLUMN z NUMERIC(38, 38) DEFAULT 0.1',
      `ALTER TABLE dl ADD COLUMN m NUMERIC(38, 5) DEFAULT -${long}`,
      `ALTER TABLE dl DROP PARTITION ${long}`,
    );
    expect(await node.rows('SELECT n = m, z = 0.1::NUMERIC(38, 38) FROM dl')).toEqual([[true, true]]);
    await node.run(`ALTER TABLE dl DROP PARTITION -${long}`);
    expect(await node.rows('SELECT count(*) FROM dl')).toEqual([['0']]);
  });
});

describe('a transaction', () => {
  const begin = async () => (await node.run('BEGIN')).session!;

  it('sees its own changes, others see them when it commits', async () => {
    await all('CREATE TABLE t1 (a INT)', 'INSERT INTO t1 VALUES (1)');
    const session = await begin();
    if (session.kind !== 'set') throw new Error('BEGIN sets the transaction');
    const inside = { transactionId: session.value };
    await node.run('INSERT INTO t1 VALUES (2)', inside);
    await node.run('UPDATE t1 SET a = a * 10', inside);
    await node.run('CREATE TABLE t2 AS SELECT * FROM t1', inside);
    await node.run('DELETE FROM t1 WHERE a = 10', inside);
    expect(await node.rows('SELECT a FROM t1', inside)).toEqual([[20]]);
    expect(await node.rows('SELECT sum(a) FROM t2', inside)).toEqual([['30']]);
    expect(await node.rows('SELECT a FROM t1')).toEqual([[1]]);
    await expect(node.rows('SELECT a FROM t2')).rejects.toMatchObject({ name: 'UNDEFINED_TABLE' });
    expect(await node.run('COMMIT', inside)).toMatchObject({
      session: { kind: 'remove', name: 'transaction_id' },
    });
    expect(await node.rows('SELECT a FROM t1')).toEqual([[20]]);
    expect(await node.rows('SELECT sum(a) FROM t2')).toEqual([['30']]);
    await node.run('COMMIT', inside);
    await expect(node.rows('SELECT 1', inside)).rejects.toMatchObject({ name: 'NO_TRANSACTION' });
  });

  it('leaves nothing after ROLLBACK or after a failed statement', async () => {
    await all('CREATE TABLE t3 (a INT)', 'INSERT INTO t3 VALUES (1)');
    const { value } = (await begin()) as { value: string };
    const inside = { transactionId: value };
    await node.run('DELETE FROM t3', inside);
    await expect(node.rows('SELECT nosuch FROM t3', inside)).rejects.toMatchObject({
      name: 'UNDEFINED_NAME',
    });
    await expect(node.rows('SELECT a FROM t3', inside)).rejects.toMatchObject({
      name: 'TRANSACTION_ABORTED',
    });
    await expect(node.run('COMMIT', inside)).rejects.toMatchObject({ name: 'TRANSACTION_ABORTED' });
    await node.run('ROLLBACK', inside);
    expect(await node.rows('SELECT a FROM t3')).toEqual([[1]]);
  });

  it('rolls back to a savepoint, even after a failed statement', async () => {
    await all('CREATE TABLE saved (a INT)', 'INSERT INTO saved VALUES (1)');
    const { value } = (await begin()) as { value: string };
    const inside = { transactionId: value };
    const contents = () => node.rows('SELECT a FROM saved ORDER BY a', inside);
    await node.run('SAVEPOINT one', inside);
    await node.run('INSERT INTO saved VALUES (2)', inside);
    await node.run('SAVEPOINT two', inside);
    await node.run('CREATE TABLE undone (b INT)', inside);
    await node.run('DELETE FROM saved WHERE a = 1', inside);
    expect(await contents()).toEqual([[2]]);
    await expect(node.rows('SELECT nosuch FROM saved', inside)).rejects.toThrow();
    await expect(node.run('SAVEPOINT three', inside)).rejects.toMatchObject({ name: 'TRANSACTION_ABORTED' });
    await node.run('ROLLBACK TO two', inside);
    expect(await contents()).toEqual([[1], [2]]);
    await expect(node.rows('SELECT b FROM undone', inside)).rejects.toMatchObject({
      name: 'UNDEFINED_TABLE',
    });
    await node.run('ROLLBACK TO SAVEPOINT one', inside);
    await node.run('INSERT INTO saved VALUES (3)', inside);
    expect(await contents()).toEqual([[1], [3]]);
    await expect(node.run('RELEASE two', inside)).rejects.toMatchObject({ name: 'UNDEFINED_SAVEPOINT' });
    await node.run('ROLLBACK TO one', inside);
    expect(await contents()).toEqual([[1]]);
    await node.run('UPDATE saved SET a = 4', inside);
    await node.run('RELEASE SAVEPOINT one', inside);
    await node.run('COMMIT', inside);
    expect(await node.rows('SELECT a FROM saved')).toEqual([[4]]);
  });

  it('rolls back to the newest savepoint of a name', async () => {
    await all('CREATE TABLE nested (a INT)');
    const { value } = (await begin()) as { value: string };
    const inside = { transactionId: value };
    const count = async () => (await node.rows('SELECT count(*)::INT FROM nested', inside))[0]![0];
    await node.run('SAVEPOINT s', inside);
    await node.run('INSERT INTO nested VALUES (1)', inside);
    await node.run('SAVEPOINT s', inside);
    await node.run('INSERT INTO nested VALUES (2)', inside);
    await node.run('ROLLBACK TO s', inside);
    expect(await count()).toBe(1);
    await node.run('RELEASE s', inside);
    await node.run('ROLLBACK TO s', inside);
    expect(await count()).toBe(0);
    await node.run('ROLLBACK', inside);
  });

  it('that is read only refuses changes, and no transaction begins inside another', async () => {
    const { session } = await node.run('BEGIN READ ONLY');
    const inside = { transactionId: (session as { value: string }).value };
    expect(await node.rows('SELECT 1', inside)).toEqual([[1]]);
    await expect(node.run('CREATE TABLE never (a INT)', inside)).rejects.toMatchObject({ sqlState: '25006' });
    await node.run('ROLLBACK', inside);
    const { value } = (await begin()) as { value: string };
    await expect(node.run('BEGIN', { transactionId: value })).rejects.toMatchObject({ sqlState: '25001' });
    await node.run('ROLLBACK', { transactionId: value });
  });

  it('does not commit a change to rows that another transaction changed first', async () => {
    await all('CREATE TABLE t4 (a INT)', 'INSERT INTO t4 VALUES (1), (2)');
    const { value } = (await begin()) as { value: string };
    await node.run('UPDATE t4 SET a = 5 WHERE a = 1', { transactionId: value });
    await node.run('UPDATE t4 SET a = 6 WHERE a = 2');
    await expect(node.run('COMMIT', { transactionId: value })).rejects.toMatchObject({
      name: 'TRANSACTION_CONFLICT',
    });
    expect(await node.rows('SELECT a FROM t4 ORDER BY a')).toEqual([[1], [6]]);
    const { value: late } = (await begin()) as { value: string };
    await node.run('INSERT INTO t4 VALUES (7)', { transactionId: late });
    await node.run('DROP TABLE t4');
    await expect(node.run('COMMIT', { transactionId: late })).rejects.toMatchObject({
      name: 'TRANSACTION_CONFLICT',
      message: expect.stringContaining('Table "t4" was dropped'),
    });
  });

  it('may span several statements of one request', async () => {
    const settings = { enable_multi_query_requests: 'true' };
    await node.run('CREATE TABLE t5 (a INT)');
    await node.run('BEGIN; INSERT INTO t5 VALUES (1); INSERT INTO t5 VALUES (2); COMMIT', { settings });
    await node.rows('BEGIN; INSERT INTO t5 VALUES (3); SELECT 1', { settings });
    const [left] = node.coordinator.transactions!.list();
    await node.run('ROLLBACK', { transactionId: left!.id });
    expect(await node.rows('SELECT a FROM t5 ORDER BY a')).toEqual([[1], [2]]);
    expect(node.coordinator.transactions!.list()).toHaveLength(0);
  });
});

describe('statements at the same time', () => {
  it('all take effect', async () => {
    await all(
      'CREATE TABLE s1 (k INT, v INT)',
      'INSERT INTO s1 SELECT i, 0 FROM generate_series(1, 4) AS g(i)',
    );
    await Promise.all([
      ...[1, 2, 3, 4].flatMap((k) => [1, 2].map(() => node.run(`UPDATE s1 SET v = v + 1 WHERE k = ${k}`))),
      ...[5, 6, 7, 8].map((k) => node.run(`INSERT INTO s1 VALUES (${k}, 2)`)),
    ]);
    expect(await node.rows('SELECT count(*), min(v), max(v) FROM s1')).toEqual([['8', 2, 2]]);
  });
});

describe('a kernel that is lost', () => {
  it('during a statement that writes: the statement runs again, and its rows exist once', async () => {
    await node.run('CREATE TABLE k1 (a BIGINT) PRIMARY INDEX a');
    const insert = node.run(
      'INSERT INTO k1 SELECT hash(i) % 1000000 FROM generate_series(1, 3000000) AS g(i)',
    );
    const { pid } = node.kernel.status();
    await expect.poll(() => node.kernel.status().sessions, { interval: 1 }).toBeGreaterThan(0);
    process.kill(pid!, 'SIGKILL');
    expect((await insert).affectedRows).toBe(3_000_000);
    await expect.poll(() => node.kernel.ready).toBe(true);
    expect(await node.rows('SELECT count(*) FROM k1')).toEqual([['3000000']]);
    expect(await affected('UPDATE k1 SET a = -1 WHERE a < 10')).toBeGreaterThan(0);
  });
});
