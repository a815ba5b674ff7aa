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

describe('CREATE TABLE', () => {
  it.each<[string, string | undefined]>([
    ['CREATE TABLE x (a INT, A2 INT, a TEXT)', 'DUPLICATE_COLUMN'],
    ['CREATE TABLE x (a INT, "A" TEXT)', 'DUPLICATE_COLUMN'],
    ['CREATE TABLE x ("$row" INT)', 'INVALID_ARGUMENT'],
    ['CREATE TABLE x (a INT DEFAULT nosuch)', 'UNDEFINED_NAME'],
    ["CREATE TABLE x (a INT DEFAULT 'x')", 'CAST_ERROR'],
    ['CREATE TABLE x (a INT DEFAULT (SELECT 1))', 'NOT_SUPPORTED'],
    ['CREATE TABLE x (a INT DEFAULT max(1))', 'GROUPING_ERROR'],
    ["CREATE TABLE x (a INT DEFAULT READ_CSV('upload://x'))", undefined],
    ['CREATE TABLE x (a INT) PRIMARY INDEX b', 'UNDEFINED_NAME'],
    ['CREATE TABLE x (a INT) PARTITION BY b', 'UNDEFINED_NAME'],
    ['CREATE TABLE x (a INT) PARTITION BY 1', 'INVALID_ARGUMENT'],
    ['CREATE TABLE x (a INT) WITH (index_granularity = 1)', 'INVALID_ARGUMENT'],
    ['CREATE TABLE nosuch.x (a INT)', 'UNDEFINED_SCHEMA'],
    ['CREATE TABLE nosuch.public.x (a INT)', 'DATABASE_NOT_FOUND'],
    ['CREATE TABLE information_schema.x (a INT)', 'FORBIDDEN'],
    ["CREATE TABLE x (a INT) LOCATION = 's3://b/'", undefined],
  ])('%s: %s', async (sql, name) => {
    await expect(node.run(sql)).rejects.toMatchObject(name === undefined ? {} : { name });
  });

  it('does not touch a table of the same name', async () => {
    await all('CREATE TABLE same (a INT)', 'INSERT INTO same VALUES (1)');
    await expect(node.run('CREATE TABLE same (b INT)')).rejects.toMatchObject({ name: 'DUPLICATE_OBJECT' });
    await node.run('CREATE TABLE IF NOT EXISTS same (b INT)');
    expect(await node.rows('SELECT a FROM same')).toEqual([[1]]);
  });

  it('takes only credentials that a store knows', async () => {
    const credentials = "CREDENTIALS = (AWS_ACCESS_KEY_IDD = 'k' AWS_SECRET_ACCESS_KEY = 's')";
    const error = { name: 'INVALID_ARGUMENT', message: expect.stringContaining('AWS_ACCESS_KEY_ID?') };
    for (const create of [
      `CREATE LOCATION misspelt WITH SOURCE = AMAZON_S3 URL = 's3://b/' ${credentials}`,
      `CREATE EXTERNAL TABLE misspelt (a INT) URL = 's3://b/' OBJECT_PATTERN = '*' TYPE = (CSV) ${credentials}`,
    ])
      await expect(node.run(create)).rejects.toMatchObject(error);
  });

  it('has at most 4,096 columns', async () => {
    const columns = Array.from({ length: 4096 }, (_, i) => `c${i} INT`).join(', ');
    await node.run(`CREATE TABLE widest (${columns})`);
    for (const wider of [
      `CREATE TABLE wider (${columns}, more INT)`,
      'CREATE TABLE wider AS SELECT *, 1 AS more FROM widest',
      'ALTER TABLE widest ADD COLUMN more INT',
    ])
      await expect(node.run(wider)).rejects.toMatchObject({ name: 'TOO_MANY_COLUMNS' });
  });

  it('AS a query has the columns of the query and all its rows', async () => {
    await node.run(
      "CREATE TABLE made AS SELECT i, i * 2.5 AS x, 'v' || i AS s, [i] AS l FROM generate_series(1, 3) AS g(i)",
    );
    expect(await node.rows('SELECT * FROM made ORDER BY i')).toEqual([
      ['1', 2.5, 'v1', ['1']],
      ['2', 5, 'v2', ['2']],
      ['3', 7.5, 'v3', ['3']],
    ]);
    await expect(node.run('CREATE TABLE made2 AS SELECT 1 AS a, 2 AS a')).rejects.toMatchObject({
      name: 'DUPLICATE_COLUMN',
    });
  });
});

describe('ALTER TABLE', () => {
  it('columns are added, dropped and renamed without moving rows', async () => {
    await all(
      'CREATE TABLE a1 (a INT, b TEXT)',
      "INSERT INTO a1 VALUES (1, 'x')",
      'ALTER TABLE a1 ADD COLUMN c INT DEFAULT 6 + 1',
      "INSERT INTO a1 VALUES (2, 'y', 8)",
      'ALTER TABLE a1 RENAME COLUMN b TO d',
      'ALTER TABLE a1 ADD COLUMN b TEXT',
      "INSERT INTO a1 (a, b) VALUES (3, 'new b')",
    );
    expect(await node.rows('SELECT a, d, c, b FROM a1 ORDER BY a')).toEqual([
      [1, 'x', 7, null],
      [2, 'y', 8, null],
      [3, null, 7, 'new b'],
    ]);
    await all('ALTER TABLE a1 DROP COLUMN d', 'ALTER TABLE a1 ADD COLUMN d TEXT');
    expect(await node.rows('SELECT * FROM a1 ORDER BY a')).toEqual([
      [1, 7, null, null],
      [2, 8, null, null],
      [3, 7, 'new b', null],
    ]);
  });

  it('columns have the collation "C", which needs no other word', async () => {
    await all(
      `CREATE TABLE collated (a TEXT COLLATE "C" NOT NULL DEFAULT 'x' COLLATE "C", b VARCHAR(5) COLLATE pg_catalog."default")`,
      "INSERT INTO collated (b) VALUES ('z'), ('A')",
      `ALTER TABLE collated ALTER COLUMN a TYPE VARCHAR(9) COLLATE "POSIX" USING a || 'q'`,
      'ALTER TABLE collated ADD COLUMN c TEXT COLLATE ucs_basic',
    );
    expect(await node.rows('SELECT a, b, c FROM collated ORDER BY b')).toEqual([
      ['xq', 'A', null],
      ['xq', 'z', null],
    ]);
    for (const [column, name, message] of [
      ['TEXT COLLATE "en_US"', 'NOT_SUPPORTED', 'A column with the collation "en_US" is not supported'],
      ['INT COLLATE "C"', 'DATATYPE_MISMATCH', 'COLLATE can only be applied to text'],
    ])
      for (const sql of [
        `CREATE TABLE uncollated (a ${column})`,
        `ALTER TABLE collated ALTER COLUMN a TYPE ${column}`,
        `ALTER TABLE collated ADD COLUMN more ${column}`,
      ])
        await expect(node.run(sql)).rejects.toMatchObject({
          name,
          message: expect.stringContaining(message!),
          location: expect.anything(),
        });
  });

  it('an identity column keeps its sequence, its NOT NULL and a type of integers', async () => {
    await node.run('CREATE TABLE counted (id INT GENERATED ALWAYS AS IDENTITY, small SMALLSERIAL, x INT)');
    for (const change of ['TYPE TEXT', 'SET DEFAULT 1', 'DROP DEFAULT', 'DROP NOT NULL'])
      await expect(node.run(`ALTER TABLE counted ALTER COLUMN id ${change}`)).rejects.toMatchObject({
        name: 'SYNTAX_ERROR',
        message: expect.stringContaining('Column "id" of table "counted" is an identity column'),
      });
    await node.run('ALTER TABLE counted ALTER COLUMN id TYPE BIGINT');
    expect(await node.rows('INSERT INTO counted (x) VALUES (1) RETURNING id, small')).toEqual([['1', 1]]);
    await expect(node.run('INSERT INTO counted (small) VALUES (70000)')).rejects.toThrow(
      'smallint out of range',
    );
  });

  it('information_schema shows the digits of timestamps and the lengths of texts', async () => {
    await node.run(
      'CREATE TABLE measured (a TIMESTAMP(0), b TIMESTAMPTZ(3), c TIMESTAMP, d VARCHAR(7), e CHAR(2), f TEXT)',
    );
    const sql =
      "SELECT character_maximum_length, datetime_precision FROM information_schema.columns WHERE table_name = 'measured' ORDER BY ordinal_position";
    expect(await node.rows(sql)).toEqual([
      [null, 0],
      [null, 3],
      [null, 6],
      [7, null],
      [2, null],
      [null, null],
    ]);
  });

  it('aggregates and window functions are refused in definitions, by that name', async () => {
    for (const definition of [
      '(a INT CHECK (sum(a) > 1))',
      '(a INT DEFAULT max(1))',
      '(a INT) PARTITION BY sum(a)',
    ])
      await expect(node.run(`CREATE TABLE undefined_table ${definition}`)).rejects.toThrow(
        'Aggregate functions are not allowed in the definition of a table',
      );
    await expect(node.run('SELECT 1 INTO x')).rejects.toThrow(
      'SELECT … INTO is not supported: use CREATE TABLE … AS',
    );
  });

  it('rows that were there get the default of a new column as the column stores it', async () => {
    await all(
      'CREATE TABLE fitted (k INT)',
      'INSERT INTO fitted VALUES (1)',
      "ALTER TABLE fitted ADD COLUMN at TIMESTAMP(0) DEFAULT '2024-01-01 00:00:00.7'",
      "ALTER TABLE fitted ADD COLUMN c CHAR(4) DEFAULT 'ab '",
      "ALTER TABLE fitted ADD COLUMN n NUMERIC(4, 2) DEFAULT '1.555'",
      `ALTER TABLE fitted ADD COLUMN j JSONB DEFAULT '{"b":1.0, "a":2, "b":3}'`,
    );
    expect(await node.rows('SELECT at, length(c), n, j FROM fitted')).toEqual([
      ['2024-01-01 00:00:01', '2', '1.56', '{"a":2,"b":3}'],
    ]);
    const refused: readonly [string, string][] = [
      ["VARCHAR(2) DEFAULT 'abc'", 'value too long for type character varying(2), in column "more"'],
      ['SMALLINT DEFAULT 70000', 'smallint out of range, in column "more"'],
    ];
    for (const [column, message] of refused)
      await expect(node.run(`ALTER TABLE fitted ADD COLUMN more ${column}`)).rejects.toThrow(message);
  });

  it('refuses to drop or rename what the definition of the table or a view depends on', async () => {
    await all(
      "CREATE TABLE a2 (k INT, p DATE, v INT) PRIMARY INDEX k PARTITION BY date_trunc('month', p)",
      'CREATE VIEW a2v AS SELECT v FROM a2',
    );
    for (const sql of [
      'ALTER TABLE a2 DROP COLUMN k',
      'ALTER TABLE a2 DROP COLUMN p',
      'ALTER TABLE a2 RENAME COLUMN p TO q',
      'ALTER TABLE a2 DROP COLUMN v',
      'ALTER TABLE a2 RENAME TO a3',
    ]) {
      await expect(node.run(sql), sql).rejects.toMatchObject({ name: 'DEPENDENT_OBJECTS' });
    }
    await all('DROP VIEW a2v', 'ALTER TABLE a2 RENAME TO a3', 'ALTER TABLE IF EXISTS a2 RENAME TO a4');
    expect(await node.rows('SELECT * FROM a3')).toEqual([]);
  });
});

describe('views', () => {
  it('are bound when they are created, and read the current rows', async () => {
    await all(
      'CREATE TABLE v1 (a INT)',
      'CREATE VIEW v2 (b) AS SELECT a + 1 FROM v1',
      'INSERT INTO v1 VALUES (1)',
    );
    expect(await node.rows('SELECT b FROM v2')).toEqual([[2]]);
    await node.run('CREATE OR REPLACE VIEW v2 AS SELECT a * 10 AS c FROM v1');
    expect(await node.rows('SELECT c FROM v2')).toEqual([[10]]);
    for (const [sql, name] of [
      ['CREATE VIEW v3 AS SELECT nosuch FROM v1', 'UNDEFINED_NAME'],
      ['CREATE VIEW v3 AS SELECT * FROM nosuch', 'UNDEFINED_TABLE'],
      ['CREATE OR REPLACE VIEW v2 AS SELECT * FROM v2', 'INVALID_ARGUMENT'],
      ['CREATE VIEW v2 AS SELECT 1', 'DUPLICATE_OBJECT'],
      ['DROP TABLE v1', 'DEPENDENT_OBJECTS'],
      ['DROP TABLE v2', 'WRONG_OBJECT_TYPE'],
      ['INSERT INTO v2 VALUES (1)', 'WRONG_OBJECT_TYPE'],
    ] as const) {
      await expect(node.run(sql), sql).rejects.toMatchObject({ name });
    }
    await node.run('DROP TABLE v1 CASCADE');
    await expect(node.rows('SELECT * FROM v2')).rejects.toMatchObject({ name: 'UNDEFINED_TABLE' });
  });
});

describe('DROP of several tables or views', () => {
  it('drops all of them or none', async () => {
    await all(
      'CREATE TABLE many1 (a INT PRIMARY KEY)',
      'CREATE TABLE many2 (a INT REFERENCES many1 (a))',
      'CREATE VIEW many3 AS SELECT a FROM many1',
      'CREATE VIEW many4 AS SELECT a FROM many3',
    );
    for (const [sql, name] of [
      ['DROP TABLE many2, nosuch', 'UNDEFINED_TABLE'],
      ['DROP TABLE many2, many3', 'WRONG_OBJECT_TYPE'],
      ['DROP VIEW many3, many1', 'WRONG_OBJECT_TYPE'],
      ['DROP TABLE many1, many2', 'DEPENDENT_OBJECTS'],
    ] as const) {
      await expect(node.run(sql), sql).rejects.toMatchObject({ name });
    }
    await node.run('DROP VIEW many3, many4, many4');
    await node.run('DROP TABLE IF EXISTS nosuch, many1, nowhere.nosuch, many2');
    for (const name of ['many1', 'many2', 'many3', 'many4'])
      await expect(node.rows(`SELECT * FROM ${name}`)).rejects.toMatchObject({ name: 'UNDEFINED_TABLE' });
  });
});

describe('databases and schemas', () => {
  it('contain separate tables', async () => {
    await all(
      'CREATE DATABASE other',
      'CREATE SCHEMA s',
      'CREATE TABLE s.t (a INT)',
      'INSERT INTO s.t VALUES (1)',
    );
    await node.run('CREATE TABLE t (a INT)', { database: 'other' });
    await node.run('INSERT INTO t SELECT a + 1 FROM tessera.s.t', { database: 'other' });
    expect(await node.rows('SELECT a FROM other.public.t')).toEqual([[2]]);
    await expect(node.rows('SELECT 1', { database: 'nosuch' })).rejects.toMatchObject({
      name: 'DATABASE_NOT_FOUND',
    });
    await expect(node.run('DROP SCHEMA s')).rejects.toMatchObject({ name: 'DEPENDENT_OBJECTS' });
    await all('DROP SCHEMA s CASCADE', 'DROP DATABASE other', 'DROP DATABASE IF EXISTS other');
    await expect(node.rows('SELECT a FROM other.public.t')).rejects.toMatchObject({});
    await expect(node.run('DROP DATABASE tessera')).rejects.toMatchObject({ name: 'FORBIDDEN' });
  });
});

describe('CLONE', () => {
  it('shares tablets from before a column was added', async () => {
    await all(
      'CREATE TABLE older (a INT) PRIMARY INDEX a',
      'INSERT INTO older VALUES (1), (2)',
      'ALTER TABLE older ADD COLUMN b INT DEFAULT 5',
      'INSERT INTO older VALUES (3, 6)',
      'CREATE TABLE older_clone CLONE older',
    );
    expect(await node.rows('SELECT * FROM older_clone ORDER BY a')).toEqual([
      [1, 5],
      [2, 5],
      [3, 6],
    ]);
  });

  it('has the rows of the source, and later changes of either do not affect the other', async () => {
    await all(
      'CREATE TABLE c1 (a INT)',
      'INSERT INTO c1 SELECT * FROM generate_series(1, 100000)',
      'CREATE TABLE c2 CLONE c1',
      'INSERT INTO c1 VALUES (0)',
      'DROP TABLE c1',
    );
    expect(await node.rows('SELECT count(*), sum(a) FROM c2')).toEqual([['100000', '5000050000']]);
  });
});

describe('LOCATION', () => {
  it('puts the objects of a table below a prefix of the managed storage (enable_managed_location)', async () => {
    const { store, storage } = node.tables;
    const create = (url: string) => node.run(`CREATE TABLE placed (a TEXT) LOCATION = '${url}'`);
    await expect(create(`${store.url}/mine`)).rejects.toMatchObject({ name: 'FORBIDDEN' });
    Object.assign(storage, { enableManagedLocation: true });
    await expect(create('file:///elsewhere/mine')).rejects.toMatchObject({ name: 'NOT_SUPPORTED' });
    await create(`${store.url}/mine`);
    await all(
      'INSERT INTO placed SELECT hash(i)::text FROM generate_series(1, 20000) AS g(i)',
      'CREATE TABLE placed_too CLONE placed',
      "INSERT INTO placed_too VALUES ('one more')",
      'VACUUM placed_too',
    );
    const keys: string[] = [];
    for await (const { key } of store.list('mine/')) keys.push(key);
    expect(keys).toHaveLength(2);
    expect(await node.rows('SELECT count(*) FROM placed_too')).toEqual([['20001']]);
  });

  it('may be the name of a LOCATION object, whose URL the table keeps', async () => {
    const { store, storage } = node.tables;
    Object.assign(storage, { enableManagedLocation: true });
    await all(
      `CREATE LOCATION lake WITH SOURCE = LOCAL URL = '${store.url}/named'`,
      'CREATE TABLE named (a TEXT) LOCATION = lake',
      "CREATE TABLE named_as LOCATION = 'lake' AS SELECT hash(i)::text AS a FROM generate_series(1, 20000) AS g(i)",
      'DROP LOCATION lake',
      'INSERT INTO named SELECT * FROM named_as',
    );
    const keys: string[] = [];
    for await (const { key } of store.list('named/')) keys.push(key);
    expect(keys).toHaveLength(2);
    expect(await node.rows('SELECT count(DISTINCT a) FROM named')).toEqual([['20000']]);
    await expect(node.run('CREATE TABLE x (a INT) LOCATION = lakes')).rejects.toMatchObject({
      name: 'UNDEFINED_OBJECT',
    });
  });
});

describe('indexes', () => {
  it.each([
    ['CREATE AGGREGATING INDEX x ON ix (a, sum(nosuch))', 'UNDEFINED_NAME', 'nosuch'],
    ['CREATE AGGREGATING INDEX x ON ix (a,\n  sun(b))', 'UNDEFINED_FUNCTION', 'sun'],
    ['CREATE INDEX x ON ix USING SKIP_INDEX(nosuch) WITH (TYPE = minmax)', 'UNDEFINED_NAME', 'nosuch'],
  ])('%s: %s', async (sql, name, at) => {
    await node.run('CREATE TABLE IF NOT EXISTS ix (a INT, b INT)');
    const line = sql.split('\n').findIndex((text) => text.includes(at));
    await expect(node.run(sql)).rejects.toMatchObject({
      name,
      location: { line: line + 1, startColumn: sql.split('\n')[line]!.indexOf(at) + 1 },
    });
    await node.run('CREATE AGGREGATING INDEX IF NOT EXISTS good ON ix (a % 2, sum(b), count(*))');
  });
});
