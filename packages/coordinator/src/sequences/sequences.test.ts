import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from '../testing/test-node.ts';
import { SequenceValues } from './sequence-values.ts';
import { SessionValues } from './session-values.ts';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.open();
});

afterAll(() => node[Symbol.asyncDispose]());

const all = async (...statements: string[]) => {
  for (const sql of statements) await node.run(sql);
};
const one = async (sql: string, drawn?: SessionValues) => (await node.rows(sql, { drawn }))[0]![0];

describe('nextval', () => {
  it('counts up, down, to a limit, and in cycles', async () => {
    await all(
      'CREATE SEQUENCE n1',
      'CREATE SEQUENCE n2 INCREMENT BY -2 START 3 MINVALUE -1 MAXVALUE 3',
      'CREATE SEQUENCE n3 AS INTEGER MINVALUE 1 MAXVALUE 2 CYCLE',
    );
    const next = (name: string) => one(`SELECT nextval('${name}')`);
    expect([await next('n1'), await next('public.n1'), await next('tessera.public."n1"')]).toEqual([
      '1',
      '2',
      '3',
    ]);
    expect([await next('n2'), await next('n2'), await next('n2')]).toEqual(['3', '1', '-1']);
    await expect(next('n2')).rejects.toMatchObject({
      name: 'SEQUENCE_EXHAUSTED',
      message: expect.stringContaining('"n2" has no value left: it ends at -1'),
    });
    expect([await next('n3'), await next('n3'), await next('n3')]).toEqual(['1', '2', '1']);
    await expect(next('nosuch')).rejects.toMatchObject({ name: 'UNDEFINED_TABLE' });
    await expect(one('SELECT nextval(name) FROM (SELECT 1 AS name)')).rejects.toMatchObject({
      name: 'NOT_SUPPORTED',
    });
  });

  it('returns one value per row of the query', async () => {
    await all('CREATE SEQUENCE n4', 'CREATE TABLE n4t (a INT)', 'INSERT INTO n4t SELECT * FROM range(50)');
    const rows = await node.rows("SELECT nextval('n4') FROM generate_series(1, 5000)");
    expect(rows.map(([n]) => Number(n))).toEqual(
      Array.from({ length: 5000 }, (_, i) => Number(rows[0]![0]) + i),
    );
    const more = await node.rows("SELECT nextval('n4'), a FROM n4t");
    expect(new Set([...rows, ...more].map(([n]) => n)).size).toBe(5050);
    await expect(node.finish("SELECT nextval('n2') FROM range(100)")).rejects.toMatchObject({
      name: 'SEQUENCE_EXHAUSTED',
    });
  });

  it('goes on with the next cycle within a statement, as often as the rows need it', async () => {
    await all(
      'CREATE SEQUENCE cycle3 MAXVALUE 3 CYCLE',
      'CREATE SEQUENCE cycle5 START 10 INCREMENT 5 MINVALUE 1 MAXVALUE 20 CYCLE',
      'CREATE SEQUENCE down3 INCREMENT -1 MINVALUE -3 MAXVALUE -1 CYCLE',
      "CREATE TABLE cycled (id INT DEFAULT nextval('cycle3'), a INT)",
    );
    const next = async (name: string, rows: number) =>
      (await node.rows(`SELECT nextval('${name}') FROM generate_series(1, ${rows})`)).map(([n]) => Number(n));
    expect(await next('cycle3', 1)).toEqual([1]);
    expect(await next('cycle3', 7)).toEqual([2, 3, 1, 2, 3, 1, 2]);
    expect(await next('cycle3', 1)).toEqual([3]);
    expect(await next('cycle5', 1)).toEqual([10]);
    expect(await next('cycle5', 6)).toEqual([15, 20, 1, 6, 11, 16]);
    expect(await next('cycle5', 1)).toEqual([1]);
    expect(await next('down3', 2)).toEqual([-1, -2]);
    expect(await next('down3', 5)).toEqual([-3, -1, -2, -3, -1]);
    expect(
      await node.rows('INSERT INTO cycled (a) SELECT g FROM generate_series(1, 4) g RETURNING id'),
    ).toEqual([[1], [2], [3], [1]]);
    const many = await next('cycle3', 5000);
    expect(many).toEqual(many.map((_, i) => ((i + 1) % 3) + 1));
    expect(await next('cycle3', 1)).toEqual([((5000 + 1) % 3) + 1]);
  });

  it('never gives a value twice to statements at the same time, nor after a restart of the node', async () => {
    await all('CREATE SEQUENCE n5');
    const many = Array.from({ length: 20 }, () => node.rows("SELECT nextval('n5') FROM range(40)"));
    const values = (await Promise.all(many)).flat(2);
    expect(new Set(values).size).toBe(800);
    const other = new SequenceValues(node.tables.manager);
    const sequence = await sequenceNamed('n5');
    const { first } = await other.take(sequence, 1n, undefined);
    expect(values.map(Number)).not.toContain(Number(first));
  });
});

async function sequenceNamed(name: string) {
  const snapshot = await node.tables.manager.latest();
  const schema = snapshot.schema(snapshot.database('tessera')!.id, 'public')!;
  return snapshot.sequence(schema.id, name)!;
}

describe('currval, lastval, setval', () => {
  it('currval and lastval belong to a session, setval affects all', async () => {
    await all('CREATE SEQUENCE c1', 'CREATE SEQUENCE c2 START 100');
    const drawn = new SessionValues();
    await expect(one("SELECT currval('c1')", drawn)).rejects.toMatchObject({ name: 'NO_SEQUENCE_VALUE' });
    await expect(one("SELECT currval('c1')")).rejects.toMatchObject({
      message: expect.stringContaining('HTTP has no session'),
    });
    await one("SELECT nextval('c1')", drawn);
    await one("SELECT nextval('c2')", drawn);
    expect(await node.rows("SELECT currval('c1'), lastval()", { drawn })).toEqual([['1', '100']]);
    expect(await one("SELECT setval('c1', 10)", drawn)).toBe('10');
    expect(await one("SELECT currval('c1')", drawn)).toBe('10');
    expect(await one("SELECT nextval('c1')", drawn)).toBe('11');
    await one("SELECT setval('c1', 20, false)", drawn);
    expect(await one("SELECT nextval('c1')", drawn)).toBe('20');
    await expect(one("SELECT setval('c1', 0)", drawn)).rejects.toMatchObject({ name: 'OUT_OF_RANGE' });
    await all('CREATE TABLE c3 (a INT)', 'INSERT INTO c3 VALUES (70), (30)');
    const django = "SELECT setval('c1', coalesce(max(a), 1), max(a) IS NOT NULL) FROM c3";
    expect((await node.columns(django)).map(({ name, type }) => [name, type.kind])).toEqual([
      ['setval', 'long'],
    ]);
    expect(await one(django)).toBe('70');
    expect(await one("SELECT nextval('c1')")).toBe('71');
    // The value is set when the row has been computed, so a call after it would return the next value before the setting.
    for (const taken of ["nextval('c1')", "currval('c1')", 'lastval()']) {
      await expect(one(`SELECT setval('c1', 90), ${taken}`, drawn)).rejects.toMatchObject({
        name: 'NOT_SUPPORTED',
      });
    }
    expect(await one("SELECT nextval('c1')")).toBe('72');
    await all('ALTER SEQUENCE c1 RESTART WITH 5');
    expect(await one("SELECT nextval('c1')")).toBe('5');
  });
});

describe('SERIAL and IDENTITY', () => {
  it('count rows of INSERT, however they come', async () => {
    await all('CREATE TABLE s1 (id SERIAL, name TEXT)', "INSERT INTO s1 (name) VALUES ('a'), ('b')");
    expect(await node.rows("INSERT INTO s1 (name) VALUES ('c') RETURNING id")).toEqual([[3]]);
    await all("INSERT INTO s1 (name) SELECT 'd'", "INSERT INTO s1 VALUES (DEFAULT, 'e'), (50, 'f')");
    expect(await node.rows('SELECT id, name FROM s1 ORDER BY id')).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
      [4, 'd'],
      [5, 'e'],
      [50, 'f'],
    ]);
    await node.run("INSERT INTO s1 (name) SELECT 'm' FROM range(100000)");
    expect(await node.rows("SELECT count(DISTINCT id), max(id) FROM s1 WHERE name = 'm'")).toEqual([
      ['100000', 100_005],
    ]);
    await expect(node.run('INSERT INTO s1 (id) VALUES (NULL)')).rejects.toMatchObject({
      name: 'NOT_NULL_VIOLATION',
    });
    expect(await one("SELECT pg_get_serial_sequence('s1', 'id')")).toBe('public.s1_id_seq');
    expect(await one("SELECT pg_get_serial_sequence('s1', 'name')")).toBe(null);
    const ofColumns = `SELECT attname, pg_get_serial_sequence(attrelid::regclass::text, attname) FROM pg_attribute
      WHERE attrelid = 's1'::regclass AND attname IN ('id', 'name') ORDER BY attname`;
    expect(await node.rows(ofColumns)).toEqual([
      ['id', 'public.s1_id_seq'],
      ['name', null],
    ]);
    expect(await one("SELECT setval(pg_get_serial_sequence('s1', 'id'), 500000)")).toBe('500000');
    expect(await node.rows("INSERT INTO s1 (name) VALUES ('z') RETURNING id")).toEqual([[500_001]]);
  });

  it('GENERATED ALWAYS accepts values only with OVERRIDING', async () => {
    await all(
      'CREATE TABLE g1 (id BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 10 INCREMENT BY 5), a INT)',
      'CREATE TABLE g2 (id INT GENERATED BY DEFAULT AS IDENTITY, a INT)',
      'INSERT INTO g1 (a) VALUES (1)',
    );
    const refused = { name: 'GENERATED_ALWAYS' };
    await expect(node.run('INSERT INTO g1 VALUES (1, 2)')).rejects.toMatchObject(refused);
    await expect(node.run('INSERT INTO g1 (id) SELECT 1')).rejects.toMatchObject(refused);
    await expect(node.run('UPDATE g1 SET id = 1')).rejects.toMatchObject(refused);
    await all(
      'INSERT INTO g1 OVERRIDING SYSTEM VALUE VALUES (1, 2)',
      'INSERT INTO g1 OVERRIDING USER VALUE VALUES (99, 3)',
      'INSERT INTO g1 OVERRIDING USER VALUE SELECT 99, 4',
      'INSERT INTO g2 VALUES (7, 1)',
      'INSERT INTO g2 (a) VALUES (2)',
      'UPDATE g1 SET id = DEFAULT WHERE a = 4',
    );
    expect(await node.rows('SELECT id, a FROM g1 ORDER BY a')).toEqual([
      ['10', 1],
      ['1', 2],
      ['15', 3],
      ['25', 4],
    ]);
    expect(await node.rows('SELECT id FROM g2 ORDER BY a')).toEqual([[7], [1]]);
  });

  it('sequences are dropped with their tables and columns, and a default that uses one keeps it', async () => {
    await all('CREATE TABLE d1 (id SERIAL, a INT)', 'CREATE SEQUENCE d2');
    await all("CREATE TABLE d3 (a BIGINT DEFAULT nextval('d2'))", 'INSERT INTO d3 DEFAULT VALUES');
    const dependent = { name: 'DEPENDENT_OBJECTS' };
    await expect(node.run('DROP SEQUENCE d1_id_seq')).rejects.toMatchObject(dependent);
    await expect(node.run('DROP SEQUENCE d2')).rejects.toMatchObject(dependent);
    await expect(node.run('ALTER SEQUENCE d2 RENAME TO d4')).rejects.toMatchObject(dependent);
    await all('DROP SEQUENCE d2 CASCADE', 'INSERT INTO d3 DEFAULT VALUES', 'DROP TABLE d1');
    expect(await node.rows('SELECT a FROM d3 ORDER BY a')).toEqual([['1'], [null]]);
    expect(await sequenceNamed('d1_id_seq')).toBeUndefined();
    await all('CREATE TABLE d1 (a INT)', 'ALTER TABLE d1 ADD COLUMN id SERIAL', 'INSERT INTO d1 VALUES (1)');
    expect(await node.rows('SELECT * FROM d1')).toEqual([[1, 1]]);
    await all('ALTER TABLE d1 DROP COLUMN id', 'CREATE SCHEMA ds', 'CREATE TABLE ds.t (id SERIAL)');
    expect(await sequenceNamed('d1_id_seq')).toBeUndefined();
    await expect(node.run('CREATE TABLE d5 (id SERIAL DEFAULT 3)')).rejects.toMatchObject({
      name: 'SYNTAX_ERROR',
    });
    await expect(node.run('CREATE TABLE d2x (id TEXT GENERATED ALWAYS AS IDENTITY)')).rejects.toMatchObject({
      name: 'SYNTAX_ERROR',
    });
    await all('DROP SCHEMA ds CASCADE');
  });

  it('in the transaction that creates the table', async () => {
    const { id } = await node.coordinator.transactions!.begin('tester');
    const asked = { transactionId: id };
    await node.run('CREATE TABLE t1 (id SERIAL, a INT)', asked);
    expect(await node.rows('INSERT INTO t1 (a) VALUES (1), (2) RETURNING id', asked)).toEqual([[1], [2]]);
    await node.run('COMMIT', asked);
    const [[next]] = (await node.rows('INSERT INTO t1 (a) VALUES (3) RETURNING id')) as [[number]];
    expect(next).toBeGreaterThan(2);
    expect(await node.rows('SELECT count(DISTINCT id) FROM t1')).toEqual([['3']]);
  });

  it('and after ROLLBACK TO in it', async () => {
    const { id } = await node.coordinator.transactions!.begin('tester');
    const asked = { transactionId: id };
    await node.run('CREATE TABLE t2 (id SERIAL, a INT)', asked);
    await node.run('SAVEPOINT s', asked);
    await node.run('INSERT INTO t2 (a) VALUES (1)', asked);
    await node.run('ROLLBACK TO s', asked);
    await node.run('INSERT INTO t2 (a) SELECT * FROM range(500)', asked);
    await node.run('COMMIT', asked);
    const other = new SequenceValues(node.tables.manager);
    const { first } = await other.take(await sequenceNamed('t2_id_seq'), 1n, undefined);
    expect(await node.rows('SELECT count(DISTINCT id), count(*) FROM t2')).toEqual([['500', '500']]);
    expect(await node.rows(`SELECT count(*) FROM t2 WHERE id >= ${first}`)).toEqual([['0']]);
  });

  it('begin again after TRUNCATE … RESTART IDENTITY alone', async () => {
    await all(
      'CREATE TABLE u1 (id SERIAL, n INT GENERATED ALWAYS AS IDENTITY (START WITH 10 INCREMENT BY 5), a INT)',
      'INSERT INTO u1 (a) VALUES (1), (2)',
      'TRUNCATE u1',
    );
    const inserted = () => node.rows('INSERT INTO u1 (a) VALUES (3) RETURNING id, n');
    expect(await inserted()).toEqual([[3, 20]]);
    await node.run('TRUNCATE TABLE u1 RESTART IDENTITY');
    expect(await inserted()).toEqual([[1, 10]]);
    expect(await node.rows('SELECT count(*) FROM u1')).toEqual([['1']]);
  });

  it('is described without taking values', async () => {
    await all('CREATE TABLE e1 (id SERIAL, a INT)', 'CREATE SEQUENCE e2');
    expect((await node.describe('INSERT INTO e1 (a) VALUES ($1) RETURNING id')).columns).toMatchObject([
      { name: 'id', type: { kind: 'int' }, nullable: false },
    ]);
    expect((await node.describe("SELECT nextval('e2'), setval('e2', 5)")).columns).toMatchObject([
      { name: 'nextval', type: { kind: 'long' } },
      { name: 'setval', type: { kind: 'long' } },
    ]);
    expect(await node.rows('INSERT INTO e1 (a) VALUES (1) RETURNING id')).toEqual([[1]]);
    expect(await one("SELECT nextval('e2')")).toBe('1');
  });
});
