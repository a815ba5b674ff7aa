import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asked, TestNode } from '../../src/testing/test-node.ts';

let node: TestNode;

const AS_ADMIN: Asked = { user: 'tessera' };
const admin = async (...statements: readonly string[]) => {
  for (const sql of statements) await node.run(sql, AS_ADMIN);
};
const refused = (sql: string, asked: Asked = AS_ADMIN) => expect(node.run(sql, asked)).rejects;
const shown = (sql: string) => node.rows(sql, AS_ADMIN);
const principal = async (name: string) => (await node.tables.manager.latest()).principal(name);

beforeAll(async () => {
  node = await TestNode.open();
});
afterAll(() => node[Symbol.asyncDispose]());

describe('users', () => {
  it('are created with the given options', async () => {
    await admin(
      'CREATE ROLE readers',
      "CREATE USER full PASSWORD 'p' DEFAULT_DATABASE = tessera DEFAULT_ROLE = readers, public DISABLED",
      "CREATE USER IF NOT EXISTS full PASSWORD 'other'",
      'CREATE USER bare',
    );
    const { id: readers } = (await principal('readers'))!;
    expect(await principal('full')).toMatchObject({
      kind: 'user',
      owner: 'tessera',
      enabled: false,
      defaultDatabase: 'tessera',
      credential: { passwordHash: 'hash of p' },
      memberOf: [{ role: readers, admin: false, grantor: 'tessera' }],
    });
    const bare = await principal('bare');
    expect(bare).toMatchObject({ enabled: true, memberOf: [] });
    expect(bare).not.toHaveProperty('credential');
  });

  it('change their password, which gets a new id, and lose it', async () => {
    await admin("CREATE USER changing PASSWORD 'one'");
    const credential = async () => {
      const user = await principal('changing');
      return user?.kind === 'user' ? user.credential : undefined;
    };
    const first = await credential();
    await node.run("ALTER USER current_user SET PASSWORD = 'two'", { user: 'changing' });
    expect(await credential()).toMatchObject({ passwordHash: 'hash of two' });
    expect(await credential()).not.toMatchObject({ id: first?.id });
    await admin('ALTER USER changing PASSWORD NULL');
    expect(await credential()).toBeUndefined();
  });

  it('work in their default database, unless a request names one, or it is gone', async () => {
    await admin('CREATE DATABASE homes', 'CREATE USER at_home DEFAULT_DATABASE = homes');
    const at = async (asked: Asked = {}) =>
      (await node.rows('SELECT current_database()', { user: 'at_home', ...asked }))[0]?.[0];
    expect(await at()).toBe('homes');
    expect(await at({ database: 'tessera' })).toBe('tessera');
    await admin('DROP DATABASE homes');
    expect(await at()).toBe('tessera');
  });

  it('are enabled and disabled, but not by the users themselves', async () => {
    await admin('CREATE USER switched', 'ALTER USER switched DISABLE');
    expect(await principal('switched')).toMatchObject({ enabled: false });
    await admin('ALTER ROLE switched LOGIN');
    expect(await principal('switched')).toMatchObject({ enabled: true });
    await refused('ALTER USER switched NOLOGIN', { user: 'switched' }).toMatchObject({ name: 'FORBIDDEN' });
  });

  it.each([
    ['CREATE USER public', 'DUPLICATE_OBJECT'],
    ['CREATE USER current_user', 'INVALID_ARGUMENT'],
    ['CREATE ROLE "none"', 'INVALID_ARGUMENT'],
    ['CREATE USER x DEFAULT_DATABASE = nosuch', 'DATABASE_NOT_FOUND'],
    ['CREATE USER x DEFAULT_ROLE = nosuch', 'UNDEFINED_OBJECT'],
    ['CREATE USER x DEFAULT_ROLE = tessera', 'WRONG_OBJECT_TYPE'],
    ['CREATE USER IF NOT EXISTS system_admin', 'DUPLICATE_OBJECT'],
    ["CREATE USER x PASSWORD 'md500000000000000000000000000000000'", 'NOT_SUPPORTED'],
    ['ALTER USER nosuch DISABLE', 'UNDEFINED_OBJECT'],
    ['ALTER USER public DISABLE', 'WRONG_OBJECT_TYPE'],
    ['ALTER USER tessera RENAME TO other', 'FORBIDDEN'],
    ['ALTER ROLE system_admin OWNER TO tessera', 'FORBIDDEN'],
    ['DROP USER tessera', 'FORBIDDEN'],
    ['DROP ROLE public', 'FORBIDDEN'],
    ['DROP USER public', 'WRONG_OBJECT_TYPE'],
    ['DROP USER nosuch', 'UNDEFINED_OBJECT'],
    ['ALTER DATABASE tessera OWNER TO nosuch', 'UNDEFINED_OBJECT'],
    ['ALTER SCHEMA public RENAME TO other', 'FORBIDDEN'],
  ])('%s: %s', async (sql, name) => {
    await refused(sql).toMatchObject({ name });
  });

  it('may be missing with IF EXISTS', async () => {
    await admin(
      'DROP USER IF EXISTS nosuch',
      'DROP ROLE IF EXISTS nosuch',
      'ALTER USER IF EXISTS nosuch DISABLE',
    );
  });
});

describe('owners', () => {
  it('are renamed wherever they are named', async () => {
    await admin(
      'CREATE ROLE r_old',
      'CREATE USER u_old',
      'CREATE SCHEMA of_u',
      'ALTER SCHEMA of_u OWNER TO u_old',
      'CREATE TABLE of_u.t (a INT)',
      'ALTER TABLE of_u.t OWNER TO u_old',
    );
    await node.run('GRANT SELECT ON of_u.t TO r_old', { user: 'u_old' });
    await admin('ALTER USER u_old RENAME TO u_new', 'ALTER ROLE r_old RENAME TO r_new');
    expect(await shown('SHOW GRANTS ON of_u.t')).toEqual([
      ['r_new', 'SELECT', 'table', 'tessera', 'of_u', 't', 'NO', 'u_new'],
      ['u_new', 'OWNERSHIP', 'table', 'tessera', 'of_u', 't', 'YES', 'u_new'],
    ]);
    await refused('ALTER USER u_new RENAME TO again', { user: 'u_new' }).toMatchObject({ name: 'FORBIDDEN' });
  });

  it('cannot be dropped while they own something', async () => {
    await refused('DROP USER u_new').toMatchObject({
      name: 'DEPENDENT_OBJECTS',
      message: '"u_new" cannot be dropped: it owns schema "of_u", table "t"',
      resolution: expect.stringContaining('REASSIGN OWNED BY u_new TO'),
    });
    await admin('REASSIGN OWNED BY u_new TO r_new', 'DROP USER u_new');
    await refused('DROP ROLE r_new').toMatchObject({ name: 'DEPENDENT_OBJECTS' });
  });

  it('are never owned by themselves', async () => {
    await admin('CREATE USER a1', 'CREATE USER b1', 'ALTER USER b1 OWNER TO a1');
    await refused('ALTER USER b1 OWNER TO b1').toMatchObject({ name: 'INVALID_ARGUMENT' });
    await admin('REASSIGN OWNED BY a1 TO b1', 'DROP USER a1');
    expect(await principal('b1')).toMatchObject({ owner: 'tessera' });
  });

  it('can be changed for views, schemas and locations; views and schemas are renamed unless a view names them', async () => {
    await admin(
      'CREATE ROLE keeper',
      'CREATE SCHEMA kept',
      'CREATE TABLE kept.t (a INT)',
      'CREATE VIEW kept.v AS SELECT a FROM kept.t',
      "CREATE LOCATION lake WITH SOURCE = AMAZON_S3 URL = 's3://lake' CREDENTIALS = (AWS_KEY_ID = 'x' AWS_SECRET_KEY = 'y')",
      'ALTER VIEW kept.v OWNER TO keeper',
      'ALTER LOCATION lake OWNER TO keeper',
      'ALTER VIEW kept.v RENAME TO w',
    );
    await refused('ALTER SCHEMA kept RENAME TO held').toMatchObject({ name: 'DEPENDENT_OBJECTS' });
    await refused('ALTER VIEW kept.t RENAME TO u').toMatchObject({ name: 'WRONG_OBJECT_TYPE' });
    await refused('DROP ROLE keeper').toMatchObject({
      message: '"keeper" cannot be dropped: it owns location "lake", view "w"',
    });
    await admin('DROP VIEW kept.w', 'ALTER SCHEMA kept RENAME TO held', 'INSERT INTO held.t VALUES (1)');
  });
});

describe('privileges', () => {
  it('are granted on ALL objects of each kind to which they apply', async () => {
    await admin(
      'CREATE ROLE g',
      'CREATE SCHEMA s',
      'CREATE TABLE s.t (a INT)',
      'CREATE VIEW s.v AS SELECT a FROM s.t',
      'GRANT ALL ON ALL TABLES IN SCHEMA s TO g',
      'GRANT ALL PRIVILEGES ON SCHEMA s TO g WITH GRANT OPTION',
      'GRANT CONNECT ON DATABASE tessera TO g',
      'GRANT USAGE ON LOCATION lake TO g',
      'GRANT CANCEL ANY QUERY, CREATE USER ON ENGINE TO g',
    );
    expect(
      (await shown('SHOW GRANTS FOR g')).map(([, privilege, type, , , name, grantable]) =>
        [privilege, type, name, grantable].join(' '),
      ),
    ).toEqual([
      'USAGE database tessera NO',
      'CANCEL ANY QUERY engine test NO',
      'CREATE ROLE engine test NO',
      'USAGE location lake NO',
      'CREATE schema s YES',
      'USAGE schema s YES',
      'DELETE table t NO',
      'INSERT table t NO',
      'SELECT table t NO',
      'TRUNCATE table t NO',
      'UPDATE table t NO',
      'VACUUM table t NO',
      'SELECT view v NO',
    ]);
    await admin(
      'REVOKE INSERT, UPDATE, DELETE ON s.t FROM g',
      'REVOKE GRANT OPTION FOR CREATE ON SCHEMA s FROM g',
      'REVOKE ALL ON ENGINE FROM g',
    );
    expect(await shown('SHOW GRANTS ON ENGINE')).toEqual([]);
    expect((await shown('SHOW GRANTS ON s.t FOR g')).map(([, privilege]) => privilege)).toEqual([
      'SELECT',
      'TRUNCATE',
      'VACUUM',
    ]);
    expect((await shown('SHOW GRANTS ON SCHEMA s FOR g')).map((row) => row[6])).toEqual(['NO', 'YES']);
  });

  it.each([
    [
      'GRANT USAGE ON s.t TO g',
      'INVALID_ARGUMENT',
      'USAGE is not a privilege on a table; there are SELECT, ',
    ],
    ['GRANT INSERT ON s.v TO g', 'INVALID_ARGUMENT', 'INSERT is not a privilege on a view; there is SELECT'],
    ['GRANT SELECT ON ENGINE TO g', 'INVALID_ARGUMENT', 'not a privilege on an engine'],
    ['GRANT USAGE ON ALL TABLES IN SCHEMA s TO g', 'INVALID_ARGUMENT', 'not a privilege on a table'],
    ['GRANT SELECT ON VIEW s.t TO g', 'WRONG_OBJECT_TYPE', 'not a view'],
    [
      'GRANT SELECT ON s.t TO public WITH GRANT OPTION',
      'INVALID_ARGUMENT',
      'because every user would have it',
    ],
    ['GRANT SELECT ON s.nosuch TO g', 'UNDEFINED_TABLE', 'nosuch'],
    ['GRANT SELECT ON s.t TO gg', 'UNDEFINED_OBJECT', 'did you mean g?'],
    ['GRANT USAGE ON SCHEMA information_schema TO g', 'FORBIDDEN', 'can be read by every user'],
    ['GRANT USAGE ON LOCATION nosuch TO g', 'UNDEFINED_OBJECT', 'nosuch'],
  ])('%s: %s', async (sql, name, message) => {
    await refused(sql).toMatchObject({ name, message: expect.stringContaining(message) });
  });

  it('that were passed on are revoked together with the grant option, only with CASCADE', async () => {
    await admin(
      'CREATE USER giver',
      'CREATE USER taker',
      'CREATE USER last',
      'GRANT USAGE ON SCHEMA s TO public',
      'GRANT SELECT ON s.t TO giver WITH GRANT OPTION',
    );
    await node.run('GRANT SELECT ON s.t TO taker WITH GRANT OPTION', { user: 'giver' });
    await node.run('GRANT SELECT ON s.t TO last', { user: 'taker' });
    await admin('GRANT SELECT ON s.t TO giver');
    await refused('REVOKE SELECT ON s.t FROM giver').toMatchObject({
      name: 'DEPENDENT_OBJECTS',
      message: '"giver" granted SELECT to "taker" and 1 more; CASCADE revokes that too',
    });
    await admin('REVOKE GRANT OPTION FOR SELECT ON s.t FROM giver CASCADE');
    const grants = await shown('SHOW GRANTS ON s.t');
    expect(grants.filter(([, privilege]) => privilege === 'SELECT').map((row) => [row[0], row[6]])).toEqual([
      ['g', 'NO'],
      ['giver', 'NO'],
    ]);
  });

  it('held by dropped users are not shown, and are removed by the next GRANT on the object', async () => {
    await admin('GRANT SELECT ON s.t TO taker', 'DROP USER taker', 'CREATE USER taker');
    expect(await shown('SHOW GRANTS FOR taker')).toEqual([]);
    const granted = async () => {
      const snapshot = await node.tables.manager.latest();
      const schema = snapshot.schema(snapshot.database('tessera')!.id, 's')!;
      return snapshot.relation(schema.id, 't')?.grants?.filter(({ privilege }) => privilege === 'SELECT')
        .length;
    };
    expect(await granted()).toBe(3);
    await admin('GRANT UPDATE ON s.t TO taker');
    expect(await granted()).toBe(2);
  });

  it('remain on an object that is replaced, like its owner', async () => {
    await admin('GRANT SELECT ON VIEW s.v TO taker', 'ALTER VIEW s.v OWNER TO giver');
    const before = await shown('SHOW GRANTS ON VIEW s.v');
    await admin('CREATE OR REPLACE VIEW s.v AS SELECT a + 1 AS a FROM s.t');
    expect(before).toHaveLength(3);
    expect(await shown('SHOW GRANTS ON VIEW s.v')).toEqual(before);
  });

  it('new databases can be used by everybody, and that can be revoked', async () => {
    await admin('CREATE DATABASE opened');
    const usage =
      "SELECT object_type, grantee FROM opened.information_schema.object_privileges WHERE privilege_type = 'USAGE' ORDER BY 1";
    expect(await shown(usage)).toEqual([
      ['database', 'public'],
      ['schema', 'public'],
    ]);
    await admin('REVOKE USAGE ON DATABASE opened FROM PUBLIC');
    expect(await shown(usage)).toEqual([['schema', 'public']]);
  });
});

describe('roles of roles', () => {
  it('are never cyclic', async () => {
    await admin('CREATE ROLE x', 'CREATE ROLE y IN ROLE x', 'CREATE ROLE z', 'GRANT y TO z');
    await refused('GRANT z TO x').toMatchObject({
      name: 'INVALID_ARGUMENT',
      message: '"x" cannot be a member of "z", which is a member of it',
    });
    await refused('GRANT x TO x').toMatchObject({ name: 'INVALID_ARGUMENT' });
    await refused('GRANT x TO public').toMatchObject({ name: 'INVALID_ARGUMENT' });
    await refused('GRANT public TO x').toMatchObject({ name: 'INVALID_ARGUMENT' });
    await refused('GRANT giver TO x').toMatchObject({ name: 'WRONG_OBJECT_TYPE' });
    await admin('DROP ROLE y', 'GRANT z TO x');
  });

  it('do not become cyclic by two concurrent transactions', async () => {
    await admin('CREATE ROLE left_one', 'CREATE ROLE right_one');
    const begin = async () => {
      const { session } = await node.run('BEGIN', AS_ADMIN);
      return { ...AS_ADMIN, transactionId: session?.kind === 'set' ? session.value : '' };
    };
    const [one, other] = [await begin(), await begin()];
    await node.run('GRANT left_one TO right_one', one);
    await node.run('GRANT right_one TO left_one', other);
    await node.run('COMMIT', one);
    await refused('COMMIT', other).toMatchObject({ name: 'TRANSACTION_CONFLICT' });
  });

  it('are granted and revoked with ADMIN OPTION', async () => {
    await admin('CREATE ROLE passed', 'GRANT passed TO giver WITH ADMIN OPTION');
    await node.run('GRANT ROLE passed TO last', { user: 'giver' });
    expect(
      await shown("SELECT * FROM information_schema.role_members WHERE role_name = 'passed' ORDER BY 2"),
    ).toEqual([
      ['passed', 'giver', 'YES', 'tessera'],
      ['passed', 'last', 'NO', 'giver'],
    ]);
    await refused('REVOKE passed FROM giver').toMatchObject({ name: 'DEPENDENT_OBJECTS' });
    await admin('REVOKE passed FROM giver CASCADE');
    expect(await shown("SELECT * FROM information_schema.role_members WHERE role_name = 'passed'")).toEqual(
      [],
    );
    await refused('REVOKE system_admin FROM tessera').toMatchObject({ name: 'FORBIDDEN' });
  });
});

describe('the views of users, roles and privileges', () => {
  it('show users and roles', async () => {
    await admin('CREATE ROLE told', "CREATE USER teller PASSWORD 'x' IN ROLE told");
    expect(
      await shown(
        "SELECT user_name, default_database, is_enabled, has_password, user_owner FROM information_schema.users WHERE user_name = 'teller'",
      ),
    ).toEqual([['teller', null, 'YES', 'YES', 'tessera']]);
    expect(await shown("SELECT role_name FROM information_schema.roles WHERE role_name LIKE 'to%'")).toEqual([
      ['told'],
    ]);
    const asTeller: Asked = { user: 'teller' };
    expect(await node.rows('SELECT * FROM information_schema.applicable_roles', asTeller)).toEqual([
      ['teller', 'told', 'NO'],
    ]);
    expect(await node.rows('SELECT * FROM information_schema.enabled_roles ORDER BY 1', asTeller)).toEqual([
      ['public'],
      ['told'],
    ]);
    expect(await node.rows('SELECT current_user, session_user', asTeller)).toEqual([['teller', 'teller']]);
  });

  it('show the privileges on tables as PostgreSQL does', async () => {
    await admin('CREATE TABLE pg (a INT)', 'GRANT SELECT ON pg TO public');
    const rows = (view: string) =>
      shown(
        `SELECT grantor, grantee, privilege_type, is_grantable, with_hierarchy FROM information_schema.${view}
         WHERE table_name = 'pg' AND privilege_type IN ('SELECT', 'VACUUM') ORDER BY 2, 3`,
      );
    const owned = [
      ['tessera', 'tessera', 'SELECT', 'YES', 'YES'],
      ['tessera', 'tessera', 'VACUUM', 'YES', 'NO'],
    ];
    expect(await rows('table_privileges')).toEqual([['tessera', 'PUBLIC', 'SELECT', 'NO', 'YES'], ...owned]);
    expect(await rows('role_table_grants')).toEqual(owned);
  });

  it('shows no password anywhere', async () => {
    await admin("CREATE USER quiet PASSWORD 'hunter2' LOGIN", "ALTER USER quiet PASSWORD 'hunter2'");
    await refused("ALTER USER quiet PASWORD 'hunter2'").toMatchObject({ name: 'SYNTAX_ERROR' });
    await refused('CREATE USER loud PASSWORD hunter2').toMatchObject({ name: 'SYNTAX_ERROR' });
    const texts = await shown(
      "SELECT query_text, query_text_normalized, error_message FROM information_schema.engine_query_history WHERE query_text LIKE '%USER quiet%' OR query_text LIKE '%USER loud%'",
    );
    expect(texts).toHaveLength(4);
    expect(JSON.stringify(texts)).not.toContain('hunter2');
  });
});
