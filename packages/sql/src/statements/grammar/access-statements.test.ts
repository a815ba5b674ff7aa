import { TesseraError } from '@tessera/common';
import { describe, expect, test } from 'vitest';
import { classifyStatement } from '../classify.ts';

const called = (name: string) => ({ name });
const named = (...parts: readonly string[]) => ({ parts });

const USERS: readonly (readonly [sql: string, statement: object])[] = [
  [
    'CREATE USER Bob',
    { kind: 'create_user', user: called('bob'), ifNotExists: false, options: {}, roles: [] },
  ],
  [
    `CREATE USER IF NOT EXISTS "Bob" WITH PASSWORD = 'it''s' DEFAULT_DATABASE = d DEFAULT_ROLE = reader DISABLED`,
    {
      kind: 'create_user',
      user: called('Bob'),
      ifNotExists: true,
      options: { password: "it's", defaultDatabase: 'd', enabled: false },
      roles: [called('reader')],
    },
  ],
  [
    "CREATE USER b ENCRYPTED PASSWORD 'x' NOSUPERUSER NOCREATEDB INHERIT IN ROLE r1, r2 LOGIN",
    { options: { password: 'x', enabled: true }, roles: [called('r1'), called('r2')] },
  ],
  ['CREATE ROLE r', { kind: 'create_role', role: called('r'), ifNotExists: false, roles: [] }],
  [
    'CREATE ROLE IF NOT EXISTS r NOLOGIN IN ROLE s',
    { kind: 'create_role', ifNotExists: true, roles: [called('s')] },
  ],
  [
    "CREATE ROLE r WITH LOGIN PASSWORD 'x'",
    { kind: 'create_user', user: called('r'), options: { password: 'x', enabled: true } },
  ],
  ["CREATE ROLE r PASSWORD 'x'", { kind: 'create_user', options: { password: 'x', enabled: false } }],
  [
    "ALTER USER b SET PASSWORD 'y'",
    {
      kind: 'alter_user',
      user: called('b'),
      ifExists: false,
      change: { kind: 'options', options: { password: 'y' } },
    },
  ],
  ["ALTER USER current_user PASSWORD 'y'", { user: called('current_user') }],
  ["ALTER ROLE b WITH PASSWORD 'y'", { kind: 'alter_user', change: { options: { password: 'y' } } }],
  ['ALTER USER b PASSWORD NULL', { change: { options: { password: null } } }],
  ['ALTER USER IF EXISTS b ENABLE', { ifExists: true, change: { options: { enabled: true } } }],
  ['ALTER USER b DISABLE', { change: { options: { enabled: false } } }],
  ['ALTER USER b SET DEFAULT_DATABASE = d', { change: { options: { defaultDatabase: 'd' } } }],
  ['ALTER USER b DEFAULT_DATABASE = NULL', { change: { options: { defaultDatabase: null } } }],
  ['ALTER USER b RENAME TO c', { kind: 'alter_user', change: { kind: 'rename', to: called('c') } }],
  ['ALTER ROLE r RENAME TO s', { kind: 'alter_role', change: { kind: 'rename', to: called('s') } }],
  ['ALTER ROLE r OWNER TO b', { kind: 'alter_role', change: { kind: 'owner', to: called('b') } }],
  ['DROP USER IF EXISTS b', { kind: 'drop_user', principal: called('b'), ifExists: true }],
  ['DROP ROLE r', { kind: 'drop_role', principal: called('r'), ifExists: false }],
  [
    'REASSIGN OWNED BY a, b TO c',
    { kind: 'reassign_owned', from: [called('a'), called('b')], to: called('c') },
  ],
];

const privileges = (list: readonly string[] | 'all', on: object) => ({
  kind: 'privileges',
  privileges: list,
  on,
});

const GRANTS: readonly (readonly [sql: string, statement: object])[] = [
  [
    'GRANT SELECT, insert ON TABLE s.t, u TO alice, ROLE bob WITH GRANT OPTION',
    {
      kind: 'grant',
      granted: privileges(['SELECT', 'INSERT'], { kind: 'table', names: [named('s', 't'), named('u')] }),
      to: [called('alice'), called('bob')],
      withOption: true,
    },
  ],
  [
    'GRANT ALL ON t TO PUBLIC',
    { granted: privileges('all', { kind: 'table', names: [named('t')] }), to: [called('public')] },
  ],
  ['GRANT ALL PRIVILEGES ON VIEW v TO a', { granted: privileges('all', { kind: 'view' }) }],
  ['GRANT SELECT ON EXTERNAL TABLE e TO a', { granted: { on: { kind: 'table', names: [named('e')] } } }],
  ['GRANT SELECT ON schema TO a', { granted: { on: { kind: 'table', names: [named('schema')] } } }],
  ['GRANT SELECT ON view.t TO a', { granted: { on: { kind: 'table', names: [named('view', 't')] } } }],
  [
    'GRANT SELECT ON ALL TABLES IN SCHEMA a, d.b TO c',
    {
      granted: privileges(['SELECT'], {
        kind: 'all_in_schema',
        of: 'table',
        schemas: [named('a'), named('d', 'b')],
      }),
    },
  ],
  [
    'GRANT SELECT ON ALL VIEWS IN SCHEMA a TO c',
    { granted: { on: { kind: 'all_in_schema', of: 'view', schemas: [named('a')] } } },
  ],
  [
    'GRANT USAGE, CREATE ON SCHEMA s TO a',
    { granted: privileges(['USAGE', 'CREATE'], { kind: 'schema', names: [named('s')] }) },
  ],
  [
    'GRANT CONNECT ON DATABASE d TO a',
    { granted: privileges(['USAGE'], { kind: 'database', names: [named('d')] }) },
  ],
  ['GRANT USAGE ON LOCATION l TO a', { granted: { on: { kind: 'location', names: [named('l')] } } }],
  [
    'GRANT CANCEL ANY QUERY, CREATE DATABASE, CREATE USER, VACUUM ANY ON ENGINE TO a',
    {
      granted: privileges(['CANCEL ANY QUERY', 'CREATE DATABASE', 'CREATE ROLE', 'VACUUM ANY'], {
        kind: 'engine',
      }),
    },
  ],
  ['GRANT READ EXTERNAL ON ENGINE main TO a', { granted: { on: { kind: 'engine' } }, to: [called('a')] }],
  [
    'GRANT reader, ROLE writer TO USER a WITH ADMIN OPTION',
    {
      kind: 'grant',
      granted: { kind: 'roles', roles: [called('reader'), called('writer')] },
      to: [called('a')],
      withOption: true,
    },
  ],
  ['GRANT "select" TO user', { granted: { kind: 'roles', roles: [called('select')] }, to: [called('user')] }],
  [
    'REVOKE GRANT OPTION FOR SELECT ON t FROM a CASCADE',
    {
      kind: 'revoke',
      granted: privileges(['SELECT'], { kind: 'table' }),
      from: [called('a')],
      optionOnly: true,
      cascade: true,
    },
  ],
  ['REVOKE ADMIN OPTION FOR r FROM a', { granted: { kind: 'roles' }, optionOnly: true, cascade: false }],
  ['REVOKE ALL ON DATABASE d FROM PUBLIC RESTRICT', { optionOnly: false, cascade: false }],
  ['REVOKE r FROM user CASCADE', { from: [called('user')], cascade: true }],
  ['SHOW GRANTS', { kind: 'show_grants' }],
  ['SHOW GRANTS ON TABLE s.t', { on: { kind: 'table', names: [named('s', 't')] } }],
  ['SHOW GRANTS ON ENGINE FOR a', { on: { kind: 'engine' }, of: called('a') }],
  ['SHOW GRANTS TO ROLE r', { of: called('r') }],
];

const OTHERS: readonly (readonly [sql: string, statement: object])[] = [
  [
    'ALTER SCHEMA d.s OWNER TO b',
    { kind: 'alter_schema', name: named('d', 's'), change: { kind: 'owner', to: 'b' } },
  ],
  ['ALTER SCHEMA s RENAME TO t', { change: { kind: 'rename', to: 't' } }],
  [
    'ALTER VIEW IF EXISTS s.v RENAME TO w',
    { kind: 'alter_view', view: named('s', 'v'), ifExists: true, change: { kind: 'rename', to: 'w' } },
  ],
  ['ALTER LOCATION l OWNER TO b', { kind: 'alter_location', change: { kind: 'owner', to: 'b' } }],
];

test.for([...USERS, ...GRANTS, ...OTHERS])('%s', ([sql, statement]) => {
  expect(classifyStatement(sql)).toMatchObject(statement);
});

test.for<readonly [sql: string, name: string, message: string, at: string]>([
  ['CREATE USER', 'SYNTAX_ERROR', 'the name of a user', ''],
  ['CREATE USER a b', 'SYNTAX_ERROR', 'Expected PASSWORD, LOGIN', 'b'],
  ['CREATE USER a LOGIN DISABLED', 'SYNTAX_ERROR', 'LOGIN is specified twice', 'DISABLED'],
  ["CREATE USER a PASSWORD ''", 'INVALID_ARGUMENT', 'cannot be empty', "''"],
  ['CREATE USER a SUPERUSER', 'NOT_SUPPORTED', 'use GRANT system_admin TO …', 'SUPERUSER'],
  ['ALTER USER a', 'SYNTAX_ERROR', 'Expected RENAME TO', ''],
  ['ALTER USER a DEFAULT_ROLE = r', 'SYNTAX_ERROR', 'Expected PASSWORD', 'DEFAULT_ROLE'],
  ['DROP USER a, b', 'SYNTAX_ERROR', 'the end of the statement', ','],
  ['REASSIGN OWNED BY a TO b, c', 'SYNTAX_ERROR', 'one user or role', ''],
  ['GRANT', 'SYNTAX_ERROR', 'a role', ''],
  ['GRANT SELECT ON t', 'SYNTAX_ERROR', 'Expected TO', ''],
  ['GRANT EXECUTE ON t TO a', 'SYNTAX_ERROR', 'Expected a privilege, found "EXECUTE"', 'EXECUTE'],
  ['GRANT SELECT (a) ON t TO b', 'NOT_SUPPORTED', 'A privilege on columns', '('],
  ['GRANT r TO a WITH GRANT OPTION', 'SYNTAX_ERROR', 'the end of the statement', 'WITH'],
  ['GRANT SELECT ON ALL INDEXES IN SCHEMA s TO a', 'SYNTAX_ERROR', 'TABLES IN SCHEMA', 'INDEXES'],
  ['REVOKE SELECT ON t TO a', 'SYNTAX_ERROR', 'Expected FROM', 'TO'],
  ['ALTER LOCATION l RENAME TO m', 'SYNTAX_ERROR', 'Expected OWNER TO', 'RENAME'],
])('%s: %s, %s', ([sql, name, message, at]) => {
  const error = errorOf(sql);
  expect(error).toMatchObject({ name, message: expect.stringContaining(message) });
  const { startColumn, endColumn } = error.location!;
  expect(sql.slice(startColumn - 1, endColumn)).toBe(at);
});

describe('no message shows a password', () => {
  test.for([
    'CREATE USER a PASSWORD hunter2',
    'CREATE USER a PASSWORD "hunter2"',
    'CREATE USER a PASSWORD = 42hunter2',
    "CREATE USER a PASSWORD 'x'hunter2'y'",
    "CREATE USER a PASSWORD 'hunter2' PASSWORD 'hunter2'",
    "CREATE USER a PASSWORD 'hunter2",
    "ALTER USER a PASSWORD 'x' hunter2",
    "ALTER USER a PASSWORD 'x' 'hunter2'",
  ])('%s', (sql) => {
    expect(errorOf(sql)).toMatchObject({
      name: 'SYNTAX_ERROR',
      message: expect.not.stringContaining('hunter2'),
    });
  });
});

function errorOf(sql: string): TesseraError {
  try {
    classifyStatement(sql);
  } catch (error) {
    if (error instanceof TesseraError) return error;
    throw error;
  }
  throw new Error(`No error: ${sql}`);
}
