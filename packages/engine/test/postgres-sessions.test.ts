import { afterAll, beforeAll, expect, describe as group, it } from 'vitest';
import { query as queryOverHttp, rows as rowsOverHttp } from './http.ts';
import { bind, describe, execute, parse, query, RawClient, sync } from './postgres-client.ts';
import { type SharedNode, takeSharedNode } from './shared-node.ts';

let node: SharedNode;
beforeAll(async () => {
  node = await takeSharedNode();
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

const open = (parameters?: Readonly<Record<string, string>>) => RawClient.open(node.postgres, parameters);

const script = (client: RawClient) => ({ ask: (sql: string) => client.ask(query(sql)) });

/** The answer to a simple query, without its RowDescription and ReadyForQuery messages. */
async function answer(client: RawClient, sql: string): Promise<readonly string[]> {
  return (await client.ask(query(sql))).filter((line) => line !== 'T' && !line.startsWith('Z '));
}

group('what clients ask when they connect', () => {
  it('version() is a version of PostgreSQL on this endpoint only', async () => {
    using client = await open();
    expect(await answer(client, 'SELECT version(), pg_catalog.version()')).toEqual([
      expect.stringMatching(/^D PostgreSQL 15\.\d+ \(Tessera \S+\)\|PostgreSQL 15\.\d+ \(Tessera \S+\)$/),
      'C SELECT 1',
    ]);
    expect(await rowsOverHttp(node, 'SELECT version()')).toEqual([[expect.stringMatching(/^Tessera /)]]);
  });

  it.each([
    ["INTERVAL '+00:00' HOUR TO MINUTE", 'D UTC'],
    ["INTERVAL '+02:00' HOUR TO MINUTE", 'D Etc/GMT-2'],
    ["INTERVAL '-11:00'", 'D Etc/GMT+11'],
    ['-8', 'D Etc/GMT+8'],
    ["'Europe/Berlin'", 'D Europe/Berlin'],
  ])('SET TIME ZONE %s', async (zone, shown) => {
    using client = await open();
    await answer(client, `SET TIME ZONE ${zone}`);
    expect(await answer(client, 'SHOW TIME ZONE')).toEqual([shown, 'C SHOW']);
  });

  it('SET standard_conforming_strings decides what a backslash means, and is reported', async () => {
    using client = await open();
    expect(await answer(client, 'SET standard_conforming_strings = off')).toEqual(['C SET', 'S']);
    const text = String.raw`SELECT 'it\'s; \x41', E'\t' = '\t'; SELECT 'a\\'`;
    expect(await answer(client, text)).toEqual(["D it's; A|t", 'C SELECT 1', 'D a\\', 'C SELECT 1']);
    await answer(client, 'RESET standard_conforming_strings');
    expect(await answer(client, String.raw`SELECT 'a\\'`)).toEqual(['D a\\\\', 'C SELECT 1']);
  });

  it.each([
    ["INTERVAL '+05:30' HOUR TO MINUTE", '2024-01-01 05:30:00+05:30'],
    ["'-05:30'", '2024-01-01 05:30:00+05:30'],
    ['-9.5', '2023-12-31 14:30:00-09:30'],
  ])('SET TIME ZONE %s uses a zone with that offset and says so', async (zone, shown) => {
    using client = await open();
    expect(await answer(client, `SET TIME ZONE ${zone}`)).toEqual([
      expect.stringMatching(/^N NOTICE 00000 The time zone \S+ is used for .* since \d{4}-/),
      'C SET',
      'S',
    ]);
    expect(await answer(client, "SELECT TIMESTAMPTZ '2024-01-01 00:00:00+00'")).toEqual([
      `D ${shown}`,
      'C SELECT 1',
    ]);
  });

  it.each(["INTERVAL '-03:30' HOUR TO MINUTE", '-3.5', "'+02:30'"])(
    'SET TIME ZONE %s is refused',
    async (zone) => {
      using client = await open();
      expect(await answer(client, `SET TIME ZONE ${zone}`)).toEqual([
        expect.stringMatching(/^E ERROR 22023 .*America\/St_Johns/),
      ]);
    },
  );

  it('the databases that every server has stand for the default one', async () => {
    for (const database of ['postgres', 'template1']) {
      using client = await open({ database });
      expect(await answer(client, 'SELECT current_database()')).toEqual(['D tessera', 'C SELECT 1']);
    }
  });

  it('RESET names a parameter, over HTTP too', async () => {
    using client = await open();
    expect(await answer(client, 'RESET foo')).toEqual([expect.stringMatching(/^E ERROR 42704 /)]);
    const refused = await queryOverHttp(node, 'RESET foo');
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('foo')]);
    const reset = await queryOverHttp(node, 'RESET timezone');
    expect(reset.headers.get('firebolt-remove-parameters')).toBe('timezone');
  });
});

group('savepoints', () => {
  it('make a transaction usable again after a failed statement', async () => {
    using client = await open();
    const { ask } = script(client);
    await ask('CREATE TABLE saved (a INT)');
    expect(await ask('BEGIN; INSERT INTO saved VALUES (1); SAVEPOINT s')).toEqual([
      ...['C BEGIN', 'C INSERT 0 1', 'C SAVEPOINT', 'Z T'],
    ]);
    await ask('INSERT INTO saved VALUES (2)');
    expect(await ask('SELECT 1 / 0')).toEqual([expect.stringMatching(/^E ERROR 22012/), 'Z E']);
    expect(await ask('SELECT 1')).toEqual([expect.stringMatching(/^E ERROR 25P02/), 'Z E']);
    expect(await ask('RELEASE s')).toEqual([expect.stringMatching(/^E ERROR 25P02/), 'Z E']);
    expect(await ask('ROLLBACK TO s')).toEqual(['C ROLLBACK', 'Z T']);
    expect(await ask('SELECT a FROM saved')).toEqual(['T', 'D 1', 'C SELECT 1', 'Z T']);
    expect(await ask('RELEASE SAVEPOINT s')).toEqual(['C RELEASE', 'Z T']);
    expect(await ask('ROLLBACK TO s')).toEqual([expect.stringMatching(/^E ERROR 3B001/), 'Z E']);
    expect(await ask('COMMIT')).toEqual(['C ROLLBACK', 'Z I']);
    expect(await ask('SELECT a FROM saved')).toEqual(['T', 'C SELECT 0', 'Z I']);
  });

  it('undo parameters and cursors too', async () => {
    using client = await open();
    const { ask } = script(client);
    await ask('BEGIN; SET application_name = \'kept\'; DECLARE c CURSOR FOR SELECT 1; SAVEPOINT "S p"');
    await ask("SET application_name = 'lost'; DECLARE d CURSOR FOR SELECT 2; SET TRANSACTION READ ONLY");
    await ask('ROLLBACK WORK TO "S p"');
    expect(await ask('SHOW application_name')).toContain('D kept');
    expect(await ask('SHOW transaction_read_only')).toContain('D off');
    expect(await ask('FETCH c')).toContain('D 1');
    expect(await ask('FETCH d')).toEqual([expect.stringMatching(/^E ERROR 34000/), 'Z E']);
    await ask('ROLLBACK TO "S p"');
    expect(await ask('COMMIT')).toContain('C COMMIT');
    expect(await ask('SHOW application_name')).toContain('D kept');
  });

  it('work in the extended protocol', async () => {
    using client = await open();
    const extended = (sql: string) => client.ask(parse(sql), bind(), execute(), sync);
    await extended('BEGIN');
    await extended('SAVEPOINT a');
    expect((await extended('SELECT nosuch')).slice(2)).toEqual([
      expect.stringMatching(/^E ERROR 42703/),
      'Z E',
    ]);
    expect(await extended('ROLLBACK TO a')).toEqual(['1', '2', 'C ROLLBACK', 'Z T']);
    expect(await extended('SELECT 1')).toEqual(['1', '2', 'D 1', 'C SELECT 1', 'Z T']);
  });

  it.each(['SAVEPOINT s', 'RELEASE s', 'ROLLBACK TO s', 'SELECT 1; SAVEPOINT s'])(
    'are refused outside a transaction: %s',
    async (sql) => {
      using client = await open();
      expect(await answer(client, sql)).toContainEqual(expect.stringMatching(/^E ERROR 25P01/));
    },
  );
});

group('transactions that only read', () => {
  it.each([
    ['BEGIN READ ONLY'],
    ['BEGIN; SET TRANSACTION READ ONLY'],
    ['BEGIN; SET transaction_read_only = on'],
    ['SET default_transaction_read_only = on'],
    ['SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY; BEGIN'],
  ])('%s', async (sql) => {
    using client = await open();
    await answer(client, sql);
    expect(await answer(client, 'SHOW transaction_read_only')).toContain('D on');
    expect(await answer(client, 'CREATE TABLE never (a INT)')).toEqual([
      expect.stringMatching(/^E ERROR 25006 /),
    ]);
  });

  it('can become READ WRITE only before their first statement', async () => {
    using client = await open();
    await answer(client, 'BEGIN READ ONLY; SET TRANSACTION READ WRITE');
    expect(await answer(client, 'CREATE TABLE readwrite (a INT)')).toEqual(['C CREATE TABLE']);
    await answer(client, 'ROLLBACK; BEGIN READ ONLY; SELECT 1');
    expect(await answer(client, 'SET TRANSACTION READ WRITE')).toEqual([
      expect.stringMatching(/^E ERROR 25001 /),
    ]);
  });

  it('begin only once; SET TRANSACTION outside of one warns', async () => {
    using client = await open();
    expect(await answer(client, 'SET TRANSACTION READ ONLY')).toEqual([
      expect.stringMatching(/^N WARNING 25P01 /),
      'C SET',
    ]);
    expect(await answer(client, 'BEGIN; DISCARD ALL')).toContainEqual(
      expect.stringMatching(/^E ERROR 25001 /),
    );
  });
});

group('PREPARE and EXECUTE', () => {
  it('report errors when the statement is prepared', async () => {
    using client = await open();
    expect(await answer(client, 'PREPARE bad AS SELECT * FROM nowhere')).toEqual([
      expect.stringMatching(/^E ERROR 42P01 /),
    ]);
    expect(await answer(client, 'EXECUTE bad')).toEqual([expect.stringMatching(/^E ERROR 26000 /)]);
    await answer(client, 'PREPARE good AS SELECT 1');
    expect(await answer(client, 'PREPARE good AS SELECT 2')).toEqual([
      expect.stringMatching(/^E ERROR 42P05 /),
    ]);
    expect(await answer(client, 'EXECUTE good(1)')).toEqual([expect.stringMatching(/^E ERROR 42601 /)]);
  });

  it('take expressions for parameters', async () => {
    using client = await open();
    await answer(client, 'PREPARE p (int, text, int[]) AS SELECT $1 + 1, $2, $3');
    expect(await answer(client, "EXECUTE p (2 * 20 + 1, upper('a') || 'b', ARRAY[1, 1 + 1])")).toEqual([
      ...['D 42|Ab|{1,2}', 'C SELECT 1'],
    ]);
    expect(await answer(client, "EXECUTE p (-7, 'it''s', '{3}')")).toEqual(["D -6|it's|{3}", 'C SELECT 1']);
    expect(await answer(client, "EXECUTE p ('4'::int + 1, current_user, NULL)")).toEqual([
      ...['D 6|tessera|NULL', 'C SELECT 1'],
    ]);
    expect(await answer(client, 'EXECUTE p (1 / 0, NULL, NULL)')).toEqual([
      expect.stringMatching(/^E ERROR 22012 /),
    ]);
  });

  it('change rows, and can be used in place of a query', async () => {
    using client = await open();
    await answer(client, 'CREATE TABLE prepared (a INT, b TEXT)');
    await answer(client, 'PREPARE add AS INSERT INTO prepared VALUES ($1, $2)');
    expect(await answer(client, "EXECUTE add (1 + 1, 'two')")).toEqual(['C INSERT 0 1']);
    await answer(client, 'PREPARE above AS SELECT a, b FROM prepared WHERE a > $1');
    expect(await answer(client, 'CREATE TABLE kept AS EXECUTE above(0)')).toEqual(['C SELECT 1']);
    expect(await answer(client, 'SELECT * FROM kept')).toEqual(['D 2|two', 'C SELECT 1']);
    const plan = await answer(client, 'EXPLAIN EXECUTE above(1 - 1)');
    expect(plan.filter((line) => line.startsWith('D ')).length).toBeGreaterThan(0);
    expect(await answer(client, 'PREPARE marks AS SELECT ?::int + ?::int; EXECUTE marks(1, 2)')).toEqual([
      ...['C PREPARE', 'D 3', 'C SELECT 1'],
    ]);
  });

  it('share names with the extended protocol, and pg_prepared_statements shows both', async () => {
    using client = await open();
    await client.ask(parse('SELECT $1::bigint', 'wire'), describe('S', 'wire'), sync);
    await answer(client, 'PREPARE "By Sql" (int) AS SELECT $1');
    expect(await answer(client, "EXECUTE wire('7')")).toEqual(['D 7', 'C SELECT 1']);
    const shown =
      'SELECT name, statement, parameter_types, from_sql FROM pg_prepared_statements ORDER BY name';
    expect(await answer(client, shown)).toEqual([
      'D By Sql|PREPARE "By Sql" (int) AS SELECT $1|{integer}|t',
      'D wire|SELECT $1::bigint|{bigint}|f',
      'C SELECT 2',
    ]);
    // The statement over the catalog is itself one of the statements that the catalog shows.
    await client.ask(
      parse('SELECT count(*) FROM pg_prepared_statements', 'itself'),
      describe('S', 'itself'),
      sync,
    );
    expect(await answer(client, 'EXECUTE itself; DEALLOCATE itself')).toContain('D 3');
    await answer(client, 'DEALLOCATE PREPARE wire');
    expect(await client.ask(bind([], { statement: 'wire' }), sync)).toEqual([
      expect.stringMatching(/^E ERROR 26000 /),
      'Z I',
    ]);
    await answer(client, 'DEALLOCATE ALL');
    expect(await answer(client, shown)).toEqual(['C SELECT 0']);
    expect(await rowsOverHttp(node, 'SELECT name FROM pg_prepared_statements')).toEqual([]);
  });
});

group('DESCRIBE of a query', () => {
  it('returns its columns without running it', async () => {
    using client = await open();
    await answer(client, 'CREATE TABLE described (a INT NOT NULL, b NUMERIC(10, 2))');
    expect(await answer(client, 'DESCRIBE SELECT a, b, 1 / 0 AS c FROM described')).toEqual([
      'D a|integer|NO|NULL',
      'D b|numeric(10, 2)|YES|NULL',
      'D c|integer|YES|NULL',
      'C SHOW',
    ]);
    expect(await answer(client, 'DESCRIBE SELECT nosuch FROM described')).toEqual([
      expect.stringMatching(/^E ERROR 42703 /),
    ]);
  });
});

group('object identifiers', () => {
  it('are of type oid, as the columns of the catalog and as casts', async () => {
    using client = await open();
    const types = async (sql: string) => {
      client.send(query(sql));
      const description = (await client.until('Z')).find(({ type }) => type === 'T')!.body;
      return typeOids(description);
    };
    const OID = 26;
    const OIDS = 1028;
    expect(await types('SELECT oid, relnamespace, relname FROM pg_class LIMIT 1')).toEqual([OID, OID, 25]);
    expect(await types('SELECT array_agg(oid) FROM pg_type')).toEqual([OIDS]);
    expect(await types("SELECT 26::oid, CAST(26 AS OID), '{1,2}'::oid[], 1::bigint")).toEqual([
      ...[OID, OID, OIDS, 20],
    ]);
    expect(await types("SELECT 'pg_class'::regclass::oid")).toEqual([OID]);
  });
});

/** The type OIDs in a RowDescription message. */
function typeOids(body: Buffer): number[] {
  const oids: number[] = [];
  let at = 2;
  for (let i = 0; i < body.readInt16BE(0); i += 1) {
    at = body.indexOf(0, at) + 1;
    oids.push(body.readInt32BE(at + 6));
    at += 18;
  }
  return oids;
}
