import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newUlid, type TesseraError } from '@tessera/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/request/settings.ts';
import type { StatementRequest } from '../../src/request/statement-request.ts';
import { TestNode } from '../../src/testing/test-node.ts';

let node: TestNode;
const admin = { user: 'tessera' };
const alice = { user: 'alice' };
const bob = { user: 'bob' };

const asAdmin = async (...statements: readonly string[]) => {
  for (const sql of statements) await node.run(sql, admin);
};

const refusal = (promise: Promise<unknown>): Promise<TesseraError> =>
  promise.then(
    () => expect.fail('it was allowed'),
    (error) => error,
  );

beforeAll(async () => {
  node = await TestNode.open({ checksPrivileges: true });
  const files = join(node.directory, 'files', 'given');
  for (const directory of ['in', 'beside']) {
    mkdirSync(join(files, directory), { recursive: true });
    writeFileSync(join(files, directory, 'x.csv'), 'a\n1\n');
  }
  await asAdmin(
    'CREATE USER alice',
    'CREATE USER bob',
    'CREATE ROLE readers',
    'CREATE TABLE secret (salary INT, person TEXT)',
    `INSERT INTO secret VALUES (1, 'ada')`,
    'CREATE SCHEMA hidden',
    'CREATE TABLE hidden.treasure (gold INT)',
    'CREATE TABLE shown (a INT)',
    'INSERT INTO shown VALUES (7)',
    'GRANT SELECT ON TABLE shown TO readers',
    'GRANT ROLE readers TO alice',
    'CREATE VIEW secret_people AS SELECT person FROM secret',
    `CREATE LOCATION store WITH SOURCE = LOCAL URL = '${files}/in'`,
    'GRANT USAGE ON LOCATION store TO alice',
  );
});
afterAll(() => node[Symbol.asyncDispose]());

test('EXPLAIN of a change requires the privileges of the change', async () => {
  for (const sql of [
    'UPDATE shown SET a = 1',
    'DELETE FROM shown WHERE a = 1',
    'INSERT INTO shown VALUES (1)',
  ])
    expect((await refusal(node.rows(`EXPLAIN ${sql}`, alice))).message).toMatch(/^User "alice" has no/);
  expect(await node.rows('EXPLAIN SELECT a FROM shown', alice)).toHaveLength(1);
});

describe('errors reveal nothing about invisible objects', () => {
  test.for([
    'SELECT nosuch FROM secret',
    'SELECT salary FROM secret WHERE nosuch > 1',
    'SELECT * FROM shown JOIN secret ON shown.a = secret.nosuch',
    'SELECT (SELECT nosuch FROM secret)',
    'WITH c AS (SELECT nosuch FROM secret) SELECT 1',
    'SELECT nosuch FROM secret_people',
    'EXPLAIN SELECT nosuch FROM secret',
    'UPDATE secret SET nosuch = 1',
    'UPDATE secret SET salary = nosuch WHERE person IS NULL',
    'UPDATE secret SET salary = NULL',
    'INSERT INTO secret (nosuch) VALUES (1)',
    `INSERT INTO secret VALUES ('not a number', 1, 2, 3)`,
    'INSERT INTO secret VALUES (1) ON CONFLICT (nosuch) DO NOTHING',
    'INSERT INTO secret VALUES (1) ON CONFLICT (salary) DO UPDATE SET nosuch = 1',
    'DELETE FROM secret WHERE nosuch = 1',
    'DELETE FROM secret USING shown WHERE nosuch = 1',
    'MERGE INTO secret USING shown ON nosuch = a WHEN MATCHED THEN DELETE',
    `COPY secret (nosuch) FROM 'file:///nowhere'`,
    `COPY (SELECT nosuch FROM secret) TO 'file:///nowhere'`,
    'ALTER TABLE secret DROP COLUMN nosuch',
    'ALTER TABLE secret RENAME COLUMN nosuch TO x',
    'CREATE AGGREGATING INDEX i ON secret (nosuch, count(*))',
    'TRUNCATE TABLE secret',
    'VACUUM secret',
    'DROP VIEW secret',
    'DESCRIBE secret',
    'SHOW CREATE TABLE secret',
    'CREATE TABLE mine CLONE secret',
    'GRANT SELECT ON TABLE secret TO bob',
  ])('%s', async (sql) => {
    const error = await refusal(node.finish(sql, alice));
    expect(error).toMatchObject({ name: 'FORBIDDEN' });
    expect(error.message).toMatch(/^User "alice" (?:has no|does not own)/);
    expect(error.message).not.toMatch(/salary|person/);
  });

  it('names the missing right, the place, and the grant that would give it', async () => {
    expect(await refusal(node.rows('SELECT a,\n  salary FROM secret, shown', alice))).toMatchObject({
      message: 'User "alice" has no SELECT on table "secret"',
      location: { line: 2, startColumn: 15 },
      resolution: 'Allowed by: GRANT SELECT ON TABLE secret TO alice',
    });
  });

  it('describing a statement is refused as running it is', async () => {
    const described = (sql: string) =>
      inQuery((query, request) => node.coordinator.describeStatement(query, { ...request, sql }));
    for (const sql of ['SELECT nosuch FROM secret', 'UPDATE secret SET nosuch = $1', 'DESCRIBE secret'])
      expect(await refusal(described(sql)), sql).toMatchObject({ name: 'FORBIDDEN' });
    expect(await described('SELECT a FROM shown')).toMatchObject({ columns: [{ name: 'a' }] });
    const parameters = inQuery((query, request) =>
      node.coordinator.describe(query, { ...request, sql: 'SELECT nosuch FROM secret' }),
    );
    expect(await refusal(parameters)).toMatchObject({ name: 'FORBIDDEN' });
  });

  it('a schema without USAGE does not reveal its contents', async () => {
    const [there, missing] = await Promise.all(
      ['treasure', 'nothing'].map((name) => refusal(node.rows(`SELECT * FROM hidden.${name}`, alice))),
    );
    expect(there).toMatchObject({
      name: 'FORBIDDEN',
      message: 'User "alice" has no USAGE on schema "hidden"',
    });
    expect(missing?.message).toBe(there?.message);
  });

  it('hints name only visible objects', async () => {
    const hint = async (sql: string, asked = alice) => (await refusal(node.finish(sql, asked))).message;
    expect(await hint('SELECT * FROM secre')).toBe('Table "secre" does not exist');
    expect(await hint('SELECT * FROM secre', admin)).toBe(
      'Table "secre" does not exist (did you mean secret?)',
    );
    expect(await hint('SELECT * FROM shwn')).toContain('did you mean shown');
    expect(await hint('DELETE FROM secre')).not.toContain('secret');
    expect(await hint('DROP TABLE secre')).not.toContain('secret');
    expect(await hint('SELECT * FROM hiden.t')).not.toContain('hidden');
    expect(await hint('SHOW TABLES IN hiden')).not.toContain('hidden');
    expect(await hint('GRANT SELECT ON TABLE mine TO bo')).not.toContain('bob');
    expect(await hint(`SELECT * FROM READ_CSV(LOCATION => 'stor', PATTERN => 'x')`, bob)).not.toContain(
      'store',
    );
  });
});

/** Runs a request as alice and ends it afterwards. */
async function inQuery<T>(
  work: (query: ReturnType<TestNode['coordinator']['begin']>, request: StatementRequest) => Promise<T>,
): Promise<T> {
  const query = node.coordinator.begin({ label: '', user: 'alice' });
  try {
    return await work(query, {
      sql: '',
      database: undefined,
      settings: DEFAULT_SETTINGS,
      parameters: [],
      uploads: new Map(),
      directory: { open: async () => node.directory },
      encoding: { kind: 'rows', format: 'json_array' },
      user: 'alice',
    });
  } finally {
    node.coordinator.end(query);
  }
}

describe('rights that go while statements stay as they are', () => {
  const sql = 'SELECT a FROM shown';
  const readers = 'GRANT ROLE readers TO alice';

  it('a statement that was bound before is checked again', async () => {
    expect(await node.rows(sql, alice)).toEqual([[7]]);
    await asAdmin('REVOKE ROLE readers FROM alice');
    expect(await refusal(node.rows(sql, alice))).toMatchObject({ message: /has no SELECT on table "shown"/ });
    await asAdmin(readers);
    expect(await node.rows(sql, alice)).toEqual([[7]]);
    await asAdmin('REVOKE USAGE ON SCHEMA public FROM public');
    expect(await refusal(node.rows(sql, alice))).toMatchObject({
      message: /has no USAGE on schema "public"/,
    });
    await asAdmin('GRANT USAGE ON SCHEMA public TO public');
    expect(await node.rows(sql, alice)).toEqual([[7]]);
  });

  it('a statement that was described before is checked again', async () => {
    const described = () =>
      inQuery((query, request) => node.coordinator.describeStatement(query, { ...request, sql }));
    expect(await described()).toMatchObject({ columns: [{ name: 'a' }] });
    expect(await described()).toMatchObject({ columns: [{ name: 'a' }] });
    await asAdmin('REVOKE ROLE readers FROM alice');
    expect(await refusal(described())).toMatchObject({ name: 'FORBIDDEN' });
    await asAdmin(readers);
  });

  it('a plan bound for one user is not used for another', async () => {
    await node.rows(sql, alice);
    expect(await refusal(node.rows(sql, bob))).toMatchObject({ name: 'FORBIDDEN' });
  });

  it('a view is read with the current rights of its owner', async () => {
    await asAdmin(
      'CREATE VIEW of_bob AS SELECT a FROM shown',
      'ALTER VIEW of_bob OWNER TO bob',
      'GRANT SELECT ON VIEW of_bob TO public',
    );
    const read = () => node.rows('SELECT * FROM of_bob', alice);
    expect(await refusal(read())).toMatchObject({
      message: 'User "bob", who owns view "of_bob", has no SELECT on table "shown"',
      resolution: 'Allowed by: GRANT SELECT ON TABLE shown TO bob',
    });
    await asAdmin('GRANT ROLE readers TO bob', 'REVOKE ROLE readers FROM alice');
    expect(await read()).toEqual([[7]]);
    expect(await read()).toEqual([[7]]);
    await asAdmin('REVOKE ROLE readers FROM bob', readers);
    expect(await refusal(read())).toMatchObject({ name: 'FORBIDDEN' });
  });

  it('a revoked privilege is gone for a transaction that began before', async () => {
    const id = await begin(alice.user);
    expect(await node.rows(sql, { ...alice, transactionId: id })).toEqual([[7]]);
    await asAdmin('REVOKE ROLE readers FROM alice');
    expect(await refusal(node.rows(sql, { ...alice, transactionId: id }))).toMatchObject({
      name: 'FORBIDDEN',
    });
    await asAdmin(readers);
    await node.run('ROLLBACK', { ...alice, transactionId: id });
  });

  it('a transaction sees the objects that it created itself', async () => {
    await asAdmin('GRANT CREATE ON SCHEMA public TO alice');
    const transactionId = await begin(alice.user);
    await node.run('CREATE TABLE own (a INT)', { ...alice, transactionId });
    await asAdmin('CREATE TABLE meanwhile (a INT)');
    await node.run('INSERT INTO own VALUES (1)', { ...alice, transactionId });
    expect(await node.rows('SELECT * FROM own', { ...alice, transactionId })).toEqual([[1]]);
    await node.run('COMMIT', { ...alice, transactionId });
    expect(await refusal(node.run('DROP TABLE own, secret', alice))).toMatchObject({
      name: 'FORBIDDEN',
    });
    await asAdmin('REVOKE CREATE ON SCHEMA public FROM alice', 'DROP TABLE own, meanwhile');
  });
});

const begin = async (user: string): Promise<string> => {
  const { session } = await node.run('BEGIN', { user });
  return session?.kind === 'set' ? session.value : expect.fail('no transaction');
};

describe('objects that belong to one user', () => {
  it('a transaction of another user is invisible and remains unchanged', async () => {
    const transactionId = await begin('alice');
    for (const sql of ['SELECT 1', 'SELECT * FROM shown', 'COMMIT', 'ROLLBACK', 'CREATE TABLE x (a INT)'])
      expect(await refusal(node.finish(sql, { ...admin, transactionId })), sql).toMatchObject({
        name: 'NO_TRANSACTION',
        message: expect.stringMatching(`^No transaction ${transactionId} is open on this node`),
      });
    expect(await node.rows('SELECT a FROM shown', { ...alice, transactionId })).toEqual([[7]]);
    await node.run('COMMIT', { ...alice, transactionId });
  });

  it('queries of others are not found', async () => {
    const query = node.coordinator.begin({ label: '', user: 'alice' });
    const cancel = (user: string) => node.run(`CANCEL QUERY WHERE query_id = '${query.queryId}'`, { user });
    try {
      expect(await refusal(cancel('bob'))).toMatchObject({ name: 'QUERY_NOT_FOUND' });
      expect(await node.coordinator.cancelAnywhere(query.queryId, 'test', 'bob')).toBe(false);
      expect(query.signal.aborted).toBe(false);
      await cancel('alice');
      expect(query.signal.aborted).toBe(true);
    } finally {
      node.coordinator.end(query);
    }
  });

  it('CANCEL ANY QUERY applies to queries of others', async () => {
    await asAdmin('GRANT CANCEL ANY QUERY ON ENGINE TO bob');
    const query = node.coordinator.begin({ label: '', user: 'alice' });
    try {
      await node.run(`CANCEL QUERY WHERE query_id = '${query.queryId}'`, bob);
      expect(query.signal.aborted).toBe(true);
    } finally {
      node.coordinator.end(query);
      await asAdmin('REVOKE CANCEL ANY QUERY ON ENGINE FROM bob');
    }
  });

  it('the token of an asynchronous statement is only valid for its user', async () => {
    const query = node.coordinator.begin({ label: '', user: 'alice' });
    let ended: () => void = () => undefined;
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const token = await node.coordinator.startAsync(
      query,
      {
        sql: 'SELECT 1',
        database: undefined,
        settings: DEFAULT_SETTINGS,
        parameters: [],
        uploads: new Map(),
        directory: { open: async () => node.directory },
        encoding: { kind: 'rows', format: 'json_array' },
        user: 'alice',
      },
      async () => ended(),
    );
    await end;
    const status = `CALL fb_GetAsyncStatus('${token}')`;
    expect(await node.rows(status, alice)).toHaveLength(1);
    expect(await refusal(node.rows(status, bob))).toMatchObject({ name: 'INVALID_ARGUMENT' });
    expect(await node.rows(status, admin)).toHaveLength(1);
  });

  it('a query id of another user does not give that one’s answer', async () => {
    await asAdmin('CREATE TABLE counted (a INT)', 'GRANT INSERT ON TABLE counted TO alice, bob');
    const queryId = newUlid();
    const insert = (user: string) => node.run('INSERT INTO counted VALUES (1)', { user, queryId });
    await insert('alice');
    await insert('alice');
    await insert('bob');
    expect(await node.rows('SELECT count(*) FROM counted', admin)).toEqual([['2']]);
  });
});

describe('users who are not there any more', () => {
  beforeEach(() => asAdmin('CREATE USER IF NOT EXISTS carol'));

  it.for(['ALTER USER carol NOLOGIN', 'DROP USER carol'])('%s: refused from then on', async (sql) => {
    await node.rows('SELECT 1', { user: 'carol' });
    const transactionId = await begin('carol');
    await asAdmin(sql);
    for (const asked of [{ user: 'carol' }, { user: 'carol', transactionId }])
      for (const statement of ['SELECT 1', 'SHOW TABLES', 'SET max_result_rows = 1'])
        expect(await refusal(node.finish(statement, asked))).toMatchObject({ name: 'UNAUTHENTICATED' });
    await asAdmin('DROP USER IF EXISTS carol');
  });

  it('a recreated user is a different user', async () => {
    const idOf = () => node.tables.manager.current?.principal('carol')?.id;
    const userId = idOf();
    expect(await node.rows('SELECT 1', { user: 'carol', userId })).toEqual([[1]]);
    await asAdmin('DROP USER carol', 'CREATE USER carol');
    expect(await refusal(node.rows('SELECT 1', { user: 'carol', userId }))).toMatchObject({
      name: 'UNAUTHENTICATED',
    });
    expect(await node.rows('SELECT 1', { user: 'carol', userId: idOf() })).toEqual([[1]]);
  });

  it('unknown names and names of roles do not authenticate', async () => {
    for (const user of ['nobody', 'readers', 'public', ''])
      expect(await refusal(node.rows('SELECT 1', { user }))).toMatchObject({ name: 'UNAUTHENTICATED' });
  });
});

describe('information_schema', () => {
  const column = async (view: string, name: string, asked: { user: string }) =>
    (await node.rows(`SELECT DISTINCT ${name} FROM information_schema.${view} ORDER BY 1`, asked)).flat();

  it.for([
    ['tables', 'table_name'],
    ['columns', 'table_name'],
    ['tablets', 'table_name'],
  ] as const)('%s: shows relations on which the user has a right', async ([view, name]) => {
    const seen = await column(view, name, alice);
    expect(seen).toContain('shown');
    expect(seen).not.toContain('secret');
    expect(seen).not.toContain('treasure');
    expect(await column(view, name, bob)).not.toContain('shown');
    const all = await column(view, name, admin);
    expect(all).toEqual(expect.arrayContaining(view === 'tablets' ? ['secret'] : ['secret', 'treasure']));
  });

  it('shows schemas, views, locations and users', async () => {
    expect(await column('schemata', 'schema_name', alice)).not.toContain('hidden');
    expect(await column('schemata', 'schema_name', admin)).toContain('hidden');
    expect(await column('views', 'table_name', alice)).not.toContain('secret_people');
    expect(await column('locations', 'location_name', alice)).toEqual(['store']);
    expect(await column('locations', 'location_name', bob)).toEqual([]);
    expect(await column('users', 'user_name', alice)).toEqual(['alice']);
    expect(await column('users', 'user_name', admin)).toEqual(expect.arrayContaining(['alice', 'bob']));
    await asAdmin('GRANT CREATE ROLE ON ENGINE TO bob');
    expect(await column('users', 'user_name', bob)).toContain('alice');
    await asAdmin('REVOKE CREATE ROLE ON ENGINE FROM bob');
  });

  it('SHOW reveals no more', async () => {
    const tables = async (asked: { user: string }) =>
      (await node.rows('SHOW TABLES', asked)).map(([, name]) => name);
    expect(await tables(alice)).not.toContain('secret');
    expect(await tables(admin)).toContain('secret');
  });

  it('queries and transactions of others with READ ANY HISTORY', async () => {
    const query = node.coordinator.begin({ label: '', user: 'alice' });
    const transactionId = await begin('alice');
    const texts = ['engine_running_queries', 'engine_query_history', 'transactions'] as const;
    try {
      for (const view of texts) {
        expect(await column(view, 'user_name', alice), view).toEqual(['alice']);
        const others = (await column(view, 'user_name', bob)).filter((name) => name !== 'bob');
        expect(others, view).toEqual([]);
        expect(await column(view, 'user_name', admin), view).toContain('alice');
      }
      await asAdmin('GRANT READ ANY HISTORY ON ENGINE TO bob');
      for (const view of texts) expect(await column(view, 'user_name', bob), view).toContain('alice');
    } finally {
      await asAdmin('REVOKE READ ANY HISTORY ON ENGINE FROM bob');
      node.coordinator.end(query);
      await node.run('ROLLBACK', { ...alice, transactionId });
    }
  });
});

describe('ways around', () => {
  it('INSERT … ON CONFLICT needs SELECT too, and UPDATE for DO UPDATE', async () => {
    const nothing = 'INSERT INTO keyed VALUES (1, 1) ON CONFLICT DO NOTHING';
    const updated = 'INSERT INTO keyed VALUES (1, 1) ON CONFLICT (k) DO UPDATE SET n = 2';
    const granted = (privilege: string) => asAdmin(`GRANT ${privilege} ON TABLE keyed TO alice`);
    const refused = async (sql: string, privilege: string) =>
      expect(await refusal(node.run(sql, alice))).toMatchObject({
        name: 'FORBIDDEN',
        message: expect.stringContaining(privilege),
      });
    await asAdmin('CREATE TABLE keyed (k INT PRIMARY KEY, n INT)');
    await granted('INSERT');
    await refused(nothing, 'SELECT');
    await granted('SELECT');
    await node.run(nothing, alice);
    await refused(updated, 'UPDATE');
    await granted('UPDATE');
    await node.run(updated, alice);
    expect(await node.rows('SELECT * FROM keyed', alice)).toEqual([[1, 2]]);
  });

  it('a CTE that has the name of the table of an UPDATE gives no SELECT on what it reads', async () => {
    await asAdmin('CREATE TABLE plain (a INT, "B" INT)', 'GRANT UPDATE ON TABLE plain TO alice');
    for (const sql of [
      'WITH plain AS (SELECT salary AS a FROM secret) UPDATE plain SET a = 1',
      'UPDATE plain SET a = (SELECT max(salary) FROM secret)',
      'UPDATE plain SET a = (SELECT max(a) FROM plain)',
      `UPDATE plain SET a = COLUMNS('a')`,
      'UPDATE plain SET a = b',
      'UPDATE plain SET a = CAST(#2 AS TEXT)::INT',
      'UPDATE plain AS p SET a = hash(p)',
    ])
      expect(await refusal(node.run(sql, alice)), sql).toMatchObject({ name: 'FORBIDDEN' });
    await node.run('UPDATE plain SET a = 1', alice);
  });

  it.for(['../beside/x.csv', '../**', '%2e%2e/beside/x.csv', 'a/../../beside/x.csv'])(
    'USAGE on a location does not lead out of it: %s',
    async (pattern) => {
      const read = `SELECT * FROM READ_CSV(LOCATION => 'store', PATTERN => '${pattern}')`;
      expect(await refusal(node.rows(read, alice))).toMatchObject({ name: 'INVALID_ARGUMENT' });
      const inside = `SELECT * FROM READ_CSV(LOCATION => 'store', PATTERN => 'x.csv', HEADER => true)`;
      expect(await node.rows(inside, alice)).toHaveLength(1);
    },
  );

  it('a view cannot be used to gain the rights of another user', async () => {
    await asAdmin('GRANT CREATE ON SCHEMA public TO alice');
    await node.run('CREATE VIEW trap AS SELECT a FROM shown', alice);
    expect(await refusal(node.run('ALTER VIEW trap OWNER TO tessera', alice))).toMatchObject({
      message: 'User "alice" is not a member of "tessera"',
    });
    await asAdmin(`CREATE OR REPLACE VIEW trap AS SELECT salary AS a FROM secret`);
    expect(await refusal(node.rows('SELECT * FROM trap', alice))).toMatchObject({
      message: 'User "alice", who owns view "trap", has no SELECT on table "secret"',
    });
    await asAdmin('REVOKE CREATE ON SCHEMA public FROM alice', 'DROP VIEW trap');
  });

  it('a table that another user created in place of the intended one is refused', async () => {
    await asAdmin('CREATE TABLE swapped (a INT)', 'GRANT INSERT ON TABLE swapped TO alice');
    await node.run('INSERT INTO swapped VALUES (1)', alice);
    await asAdmin('DROP TABLE swapped', 'CREATE TABLE swapped (a INT)');
    expect(await refusal(node.run('INSERT INTO swapped VALUES (1)', alice))).toMatchObject({
      name: 'FORBIDDEN',
    });
  });
});

it('a user who may create nothing in public has temporary tables, which others may not read', async () => {
  const temporary = node.coordinator.openSession();
  const own = { ...alice, temporary };
  await expect(node.run('CREATE TABLE mine (a INT)', own)).rejects.toMatchObject({ name: 'FORBIDDEN' });
  await node.run('CREATE TEMP TABLE mine (id SERIAL, a INT)', own);
  await node.run('INSERT INTO mine (a) SELECT a FROM shown', own);
  expect(await node.rows('SELECT id, mine.a FROM mine JOIN shown USING (a)', own)).toEqual([[1, 7]]);
  await expect(node.run('CREATE TEMP TABLE taken AS SELECT * FROM secret', own)).rejects.toMatchObject({
    name: 'FORBIDDEN',
  });
  await expect(node.rows('SELECT * FROM mine', { ...bob, temporary })).rejects.toMatchObject({
    name: 'FORBIDDEN',
  });
  await node.coordinator.endSession(temporary);
});
