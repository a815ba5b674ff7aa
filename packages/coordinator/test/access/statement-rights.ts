import type { Statement } from '@tessera/sql';
import { administrator, adminOption, grantOption, type NeededRight, owner, right } from './needed-right.ts';

/**
 * A statement with exactly the privileges that it requires. `$s` is a schema of the case with the table `t (a
 * INT, b INT)`; `$d` is a directory with `x.csv`; `$i` is a number for names outside of the schema; the user
 * is `u`.
 */
export interface StatementCase {
  readonly sql: string;
  readonly needs: readonly NeededRight[];
  /** Further privileges of the user, which are not sufficient. */
  readonly given?: readonly NeededRight[];
  /** Statements that an administrator runs before. */
  readonly setup?: readonly string[];
  /** The error that it ends with although it is allowed. */
  readonly fails?: string;
  readonly database?: string;
}

const inDatabase = right('USAGE ON DATABASE tessera');
const inSchema = [inDatabase, right('USAGE ON SCHEMA $s')];
const select = [...inSchema, right('SELECT ON TABLE $s.t')];
const creating = [...inSchema, right('CREATE ON SCHEMA $s')];
const owning = [...inSchema, owner('TABLE $s.t')];
const readExternal = right('READ EXTERNAL ON ENGINE');
const writeExternal = right('WRITE EXTERNAL ON ENGINE');
const createRole = right('CREATE ROLE ON ENGINE');
const free = (sql: string, more: Partial<StatementCase> = {}): StatementCase => ({ sql, needs: [], ...more });

const LOCATION = `CREATE LOCATION l$i WITH SOURCE = LOCAL URL = '$d/'`;
const atLocation = [inDatabase, right('USAGE ON LOCATION l$i')];
const EXTERNAL = `CREATE EXTERNAL TABLE $s.e (a INT, b INT) URL = '$d/x.csv' TYPE = (CSV HEADER = TRUE)`;
const VIEW = 'CREATE VIEW $s.v AS SELECT a FROM $s.t';
const others = ['CREATE USER o$i', 'CREATE USER p$i'];
const through = (user: string, what: string) => [
  right('USAGE ON DATABASE tessera', user),
  right('USAGE ON SCHEMA $s', user),
  right(what, user),
];

const QUERIES: readonly StatementCase[] = [
  { sql: 'SELECT a FROM $s.t', needs: select },
  { sql: 'WITH c AS (SELECT a FROM $s.t) SELECT * FROM c', needs: select },
  { sql: 'SELECT (SELECT max(a) FROM $s.t)', needs: select },
  {
    sql: 'SELECT * FROM $s.t JOIN $s.t2 USING (a)',
    setup: ['CREATE TABLE $s.t2 (a INT)'],
    needs: [...select, right('SELECT ON TABLE $s.t2')],
  },
  { sql: 'SELECT * FROM $s.v', setup: [VIEW], needs: [...inSchema, right('SELECT ON VIEW $s.v')] },
  {
    sql: 'SELECT * FROM $s.v',
    setup: [VIEW, ...others, 'ALTER VIEW $s.v OWNER TO o$i'],
    needs: [...inSchema, right('SELECT ON VIEW $s.v'), ...through('o$i', 'SELECT ON TABLE $s.t')],
  },
  {
    sql: 'SELECT * FROM $s.w',
    setup: [
      VIEW,
      'CREATE VIEW $s.w AS SELECT * FROM $s.v',
      ...others,
      'ALTER VIEW $s.v OWNER TO o$i',
      'ALTER VIEW $s.w OWNER TO p$i',
    ],
    needs: [
      ...inSchema,
      right('SELECT ON VIEW $s.w'),
      ...through('p$i', 'SELECT ON VIEW $s.v'),
      ...through('o$i', 'SELECT ON TABLE $s.t'),
    ],
  },
  { sql: `SELECT * FROM READ_CSV('$d/x.csv', header => true)`, needs: [readExternal] },
  { sql: `SELECT * FROM 'file://$d/x.csv'`, needs: [readExternal] },
  {
    sql: 'SELECT * FROM $s.v',
    setup: [
      `CREATE VIEW $s.v AS SELECT * FROM READ_CSV('$d/x.csv', header => true)`,
      'CREATE USER o$i',
      'ALTER VIEW $s.v OWNER TO o$i',
    ],
    needs: [...inSchema, right('SELECT ON VIEW $s.v'), right('READ EXTERNAL ON ENGINE', 'o$i')],
  },
  {
    sql: `SELECT * FROM READ_CSV(LOCATION => 'l$i', PATTERN => 'x.csv', header => true)`,
    setup: [LOCATION],
    needs: atLocation,
  },
  { sql: `SELECT * FROM LIST_OBJECTS('$d/*')`, needs: [readExternal] },
  { sql: `SELECT * FROM LIST_OBJECTS(LOCATION => 'l$i')`, setup: [LOCATION], needs: atLocation },
  { sql: 'SELECT * FROM $s.e', setup: [EXTERNAL], needs: [...inSchema, right('SELECT ON TABLE $s.e')] },
  {
    sql: `SELECT nextval('$s.q')`,
    setup: ['CREATE SEQUENCE $s.q'],
    needs: [...inSchema, right('USAGE ON SEQUENCE $s.q')],
  },
  free('SELECT 42'),
  free('SELECT * FROM information_schema.tables'),
  {
    sql: 'SELECT * FROM d$i.information_schema.schemata',
    setup: ['CREATE DATABASE d$i', 'REVOKE USAGE ON DATABASE d$i FROM public'],
    needs: [right('USAGE ON DATABASE d$i')],
  },
  {
    sql: 'SELECT 1',
    setup: ['CREATE DATABASE d$i', 'REVOKE USAGE ON DATABASE d$i FROM public'],
    database: 'd$i',
    needs: [right('USAGE ON DATABASE d$i')],
  },
];

const CHANGES = {
  insert: [
    { sql: 'INSERT INTO $s.t VALUES (1, 2)', needs: [...inSchema, right('INSERT ON TABLE $s.t')] },
    {
      sql: 'INSERT INTO $s.t VALUES (1, 2) RETURNING a',
      needs: [...select, right('INSERT ON TABLE $s.t')],
    },
    {
      sql: 'INSERT INTO $s.t SELECT a, a FROM $s.t2',
      setup: ['CREATE TABLE $s.t2 (a INT)'],
      needs: [...inSchema, right('INSERT ON TABLE $s.t'), right('SELECT ON TABLE $s.t2')],
    },
  ],
  with_changes: [
    {
      sql: 'WITH w AS (DELETE FROM $s.t RETURNING a) SELECT a FROM w',
      needs: [...select, right('DELETE ON TABLE $s.t')],
    },
    {
      sql: 'WITH w AS (UPDATE $s.t SET a = 5 RETURNING b) INSERT INTO $s.t2 SELECT b FROM w',
      setup: ['CREATE TABLE $s.t2 (a INT)'],
      needs: [...select, right('UPDATE ON TABLE $s.t'), right('INSERT ON TABLE $s.t2')],
    },
    {
      sql: 'WITH w AS (INSERT INTO $s.t VALUES (1, 2)) SELECT c FROM $s.t2',
      setup: ['CREATE TABLE $s.t2 (c INT)'],
      needs: [...inSchema, right('INSERT ON TABLE $s.t'), right('SELECT ON TABLE $s.t2')],
    },
  ],
  update: [
    { sql: 'UPDATE $s.t SET a = 5, b = DEFAULT', needs: [...inSchema, right('UPDATE ON TABLE $s.t')] },
    { sql: 'UPDATE $s.t SET a = 5 RETURNING b', needs: [...select, right('UPDATE ON TABLE $s.t')] },
    { sql: 'UPDATE $s.t SET a = b + 1', needs: [...select, right('UPDATE ON TABLE $s.t')] },
    { sql: 'UPDATE $s.t SET a = 5 WHERE b = 1', needs: [...select, right('UPDATE ON TABLE $s.t')] },
    {
      sql: 'UPDATE $s.t SET a = (SELECT max(c) FROM $s.t2)',
      setup: ['CREATE TABLE $s.t2 (c INT)'],
      needs: [...inSchema, right('UPDATE ON TABLE $s.t'), right('SELECT ON TABLE $s.t2')],
    },
  ],
  delete: [
    { sql: 'DELETE FROM $s.t', needs: [...inSchema, right('DELETE ON TABLE $s.t')] },
    { sql: 'DELETE FROM $s.t WHERE a = 1', needs: [...select, right('DELETE ON TABLE $s.t')] },
    { sql: 'DELETE FROM $s.t RETURNING a', needs: [...select, right('DELETE ON TABLE $s.t')] },
    {
      sql: 'DELETE FROM $s.t USING $s.t2 WHERE t.a = t2.a',
      setup: ['CREATE TABLE $s.t2 (a INT)'],
      needs: [...select, right('DELETE ON TABLE $s.t'), right('SELECT ON TABLE $s.t2')],
    },
  ],
  merge: [
    {
      sql: `MERGE INTO $s.t USING $s.t2 ON t.a = t2.a WHEN MATCHED THEN UPDATE SET b = 1
        WHEN NOT MATCHED THEN INSERT VALUES (1, 2)`,
      setup: ['CREATE TABLE $s.t2 (a INT)'],
      needs: [
        ...select,
        right('UPDATE ON TABLE $s.t'),
        right('INSERT ON TABLE $s.t'),
        right('SELECT ON TABLE $s.t2'),
      ],
    },
    {
      sql: 'MERGE INTO $s.t USING (SELECT 1 AS a) AS n ON t.a = n.a WHEN MATCHED THEN DELETE',
      needs: [...select, right('DELETE ON TABLE $s.t')],
    },
  ],
  truncate: [{ sql: 'TRUNCATE TABLE $s.t', needs: [...inSchema, right('TRUNCATE ON TABLE $s.t')] }],
  copy_from: [
    {
      sql: `COPY $s.t FROM '$d/x.csv' WITH (HEADER = TRUE)`,
      needs: [...inSchema, right('INSERT ON TABLE $s.t'), readExternal],
    },
    {
      sql: `COPY $s.t FROM l$i WITH (PATTERN = 'x.csv', HEADER = TRUE)`,
      setup: [LOCATION],
      needs: [...inSchema, right('INSERT ON TABLE $s.t'), right('USAGE ON LOCATION l$i')],
    },
    {
      sql: `COPY $s.t FROM '$d/x.csv' WITH (HEADER = TRUE, ERROR_FILE = '$d/errors-$i.csv')`,
      needs: [...inSchema, right('INSERT ON TABLE $s.t'), readExternal, writeExternal],
    },
  ],
  copy_from_stdin: [
    {
      sql: 'COPY $s.t FROM STDIN',
      needs: [...inSchema, right('INSERT ON TABLE $s.t')],
      fails: 'NOT_SUPPORTED',
    },
  ],
  copy_to: [
    { sql: `COPY (SELECT a FROM $s.t) TO '$d/out-$i.csv'`, needs: [...select, writeExternal] },
    { sql: `COPY $s.t TO '$d/out-$i.csv'`, needs: [...select, writeExternal] },
    {
      sql: 'COPY (SELECT a FROM $s.t) TO l$i WITH (TYPE = CSV)',
      setup: [LOCATION],
      needs: [...select, right('USAGE ON LOCATION l$i')],
    },
  ],
} satisfies Partial<Record<Statement['kind'], readonly StatementCase[]>>;

const DEFINITIONS = {
  create_database: [{ sql: 'CREATE DATABASE d$i', needs: [right('CREATE DATABASE ON ENGINE')] }],
  create_schema: [{ sql: 'CREATE SCHEMA new$i', needs: [inDatabase, right('CREATE ON DATABASE tessera')] }],
  create_table: [
    { sql: 'CREATE OR REPLACE TABLE $s.t (a INT)', needs: [...creating, owner('TABLE $s.t')] },
    { sql: 'CREATE TABLE $s.n (a INT)', needs: creating },
    { sql: 'CREATE TEMP TABLE n (a INT)', needs: [inDatabase], fails: 'NOT_SUPPORTED' },
  ],
  create_table_as: [
    { sql: 'CREATE TABLE $s.n AS SELECT 1 AS a', needs: creating },
    { sql: 'CREATE TEMP TABLE n AS SELECT 1 AS a', needs: [inDatabase], fails: 'NOT_SUPPORTED' },
    { sql: 'CREATE TABLE $s.n AS SELECT a FROM $s.t', needs: [...creating, right('SELECT ON TABLE $s.t')] },
  ],
  clone_table: [{ sql: 'CREATE TABLE $s.n CLONE $s.t', needs: [...creating, right('SELECT ON TABLE $s.t')] }],
  create_view: [
    { sql: 'CREATE VIEW $s.n AS SELECT a FROM $s.t', needs: [...creating, right('SELECT ON TABLE $s.t')] },
    {
      sql: 'CREATE OR REPLACE VIEW $s.v AS SELECT 1 AS a',
      setup: [VIEW],
      needs: [...inSchema, owner('VIEW $s.v')],
    },
  ],
  create_external_table: [
    { sql: EXTERNAL, needs: [...creating, readExternal] },
    {
      sql: `CREATE EXTERNAL TABLE $s.e (a INT) LOCATION = l$i OBJECT_PATTERN = 'x.csv' TYPE = (CSV)`,
      setup: [LOCATION],
      needs: [...creating, right('USAGE ON LOCATION l$i')],
    },
  ],
  create_sequence: [{ sql: 'CREATE SEQUENCE $s.q', needs: creating }],
  alter_sequence: [
    {
      sql: 'ALTER SEQUENCE $s.q RESTART',
      setup: ['CREATE SEQUENCE $s.q'],
      needs: [...inSchema, owner('SEQUENCE $s.q')],
    },
  ],
  create_location: [
    { sql: LOCATION, needs: [inDatabase, right('CREATE ON DATABASE tessera'), readExternal, writeExternal] },
    {
      sql: LOCATION.replace('CREATE', 'CREATE OR REPLACE'),
      setup: [LOCATION],
      needs: [inDatabase, owner('LOCATION l$i'), readExternal, writeExternal],
    },
  ],
  create_aggregating_index: [
    {
      sql: 'CREATE AGGREGATING INDEX $s.i ON $s.t (a, sum(b))',
      needs: owning,
    },
  ],
  create_skip_index: [
    { sql: 'CREATE INDEX $s.i ON $s.t USING SKIP_INDEX (a) WITH (TYPE = minmax)', needs: owning },
  ],
  alter_database: [
    {
      sql: `ALTER DATABASE d$i SET DESCRIPTION = 'x'`,
      setup: ['CREATE DATABASE d$i'],
      needs: [owner('DATABASE d$i')],
    },
    {
      sql: 'ALTER DATABASE d$i OWNER TO r$i',
      setup: ['CREATE DATABASE d$i', 'CREATE ROLE r$i'],
      needs: [owner('DATABASE d$i'), right('ROLE r$i')],
    },
  ],
  alter_schema: [
    {
      sql: 'ALTER SCHEMA $s RENAME TO $s_renamed',
      given: [right('USAGE ON SCHEMA $s')],
      needs: [inDatabase, owner('SCHEMA $s')],
    },
  ],
  alter_table: [
    { sql: 'ALTER TABLE $s.t ADD COLUMN c INT', needs: owning },
    { sql: 'ALTER TABLE $s.t DROP COLUMN b', needs: owning },
    { sql: 'ALTER TABLE $s.t RENAME COLUMN a TO c', needs: owning },
    { sql: 'ALTER TABLE $s.t RENAME TO n', needs: owning },
    { sql: 'ALTER TABLE $s.t OWNER TO u', needs: owning },
    {
      sql: 'ALTER TABLE $s.t OWNER TO r$i',
      setup: ['CREATE ROLE r$i'],
      needs: [...owning, right('ROLE r$i')],
    },
    {
      sql: 'ALTER TABLE $s.p DROP PARTITION 1',
      setup: ['CREATE TABLE $s.p (a INT) PARTITION BY a'],
      needs: [...inSchema, owner('TABLE $s.p')],
    },
  ],
  alter_view: [
    { sql: 'ALTER VIEW $s.v RENAME TO n', setup: [VIEW], needs: [...inSchema, owner('VIEW $s.v')] },
  ],
  alter_location: [
    {
      sql: 'ALTER LOCATION l$i OWNER TO r$i',
      setup: [LOCATION, 'CREATE ROLE r$i'],
      needs: [inDatabase, owner('LOCATION l$i'), right('ROLE r$i')],
    },
  ],
  drop: [
    { sql: 'DROP TABLE $s.t', needs: owning },
    {
      sql: 'DROP TABLE $s.t',
      given: [right('USAGE ON SCHEMA $s')],
      needs: [inDatabase, owner('SCHEMA $s')],
    },
    { sql: 'DROP TABLE IF EXISTS $s.nothing', needs: inSchema },
    { sql: 'DROP VIEW $s.v', setup: [VIEW], needs: [...inSchema, owner('VIEW $s.v')] },
    {
      sql: 'DROP SCHEMA $s CASCADE',
      given: [right('USAGE ON SCHEMA $s')],
      needs: [inDatabase, owner('SCHEMA $s')],
    },
    { sql: 'DROP DATABASE d$i', setup: ['CREATE DATABASE d$i'], needs: [owner('DATABASE d$i')] },
    {
      sql: 'DROP SEQUENCE $s.q',
      setup: ['CREATE SEQUENCE $s.q'],
      needs: [...inSchema, owner('SEQUENCE $s.q')],
    },
    { sql: 'DROP LOCATION l$i', setup: [LOCATION], needs: [inDatabase, owner('LOCATION l$i')] },
    {
      sql: 'DROP INDEX $s.i',
      setup: ['CREATE AGGREGATING INDEX $s.i ON $s.t (a, sum(b))'],
      needs: owning,
    },
  ],
} satisfies Partial<Record<Statement['kind'], readonly StatementCase[]>>;

const ACCESS = {
  create_user: [
    { sql: `CREATE USER x$i PASSWORD 'secret'`, needs: [createRole] },
    {
      sql: 'CREATE USER x$i IN ROLE r$i',
      setup: ['CREATE ROLE r$i'],
      needs: [createRole, adminOption('r$i')],
    },
  ],
  create_role: [{ sql: 'CREATE ROLE x$i', needs: [createRole] }],
  alter_user: [
    { sql: `ALTER USER o$i PASSWORD 'secret'`, setup: others, needs: [createRole] },
    free(`ALTER USER u PASSWORD 'secret'`),
    free(`ALTER USER current_user PASSWORD 'secret'`),
    { sql: 'ALTER USER o$i RENAME TO x$i', setup: others, needs: [createRole] },
    {
      sql: `ALTER USER o$i PASSWORD 'secret'`,
      setup: [...others, 'GRANT ROLE system_admin TO o$i'],
      given: [createRole],
      needs: [administrator],
    },
  ],
  alter_role: [{ sql: 'ALTER ROLE r$i RENAME TO x$i', setup: ['CREATE ROLE r$i'], needs: [createRole] }],
  drop_user: [
    { sql: 'DROP USER o$i', setup: others, needs: [createRole] },
    {
      sql: 'DROP USER o$i',
      setup: [...others, 'GRANT ROLE system_admin TO o$i'],
      given: [createRole],
      needs: [administrator],
    },
  ],
  drop_role: [{ sql: 'DROP ROLE r$i', setup: ['CREATE ROLE r$i'], needs: [createRole] }],
  reassign_owned: [
    {
      sql: 'REASSIGN OWNED BY r$i TO q$i',
      setup: ['CREATE ROLE r$i', 'CREATE ROLE q$i'],
      needs: [right('ROLE r$i'), right('ROLE q$i')],
    },
  ],
  grant: [
    {
      sql: 'GRANT SELECT, INSERT ON TABLE $s.t TO o$i',
      setup: others,
      needs: [...inSchema, grantOption('SELECT ON TABLE $s.t'), grantOption('INSERT ON TABLE $s.t')],
    },
    {
      sql: 'GRANT ALL ON TABLE $s.t TO o$i',
      setup: others,
      needs: [...inSchema, { ...owner('TABLE $s.t'), missing: /has no grant option for/ }],
    },
    {
      sql: 'GRANT SELECT ON ALL TABLES IN SCHEMA $s TO o$i',
      setup: [...others, 'CREATE TABLE $s.t2 (a INT)'],
      needs: [...inSchema, grantOption('SELECT ON TABLE $s.t'), grantOption('SELECT ON TABLE $s.t2')],
    },
    {
      sql: 'GRANT SELECT ON VIEW $s.v TO o$i',
      setup: [VIEW, ...others],
      needs: [...inSchema, grantOption('SELECT ON VIEW $s.v')],
    },
    {
      sql: 'GRANT CREATE ON SCHEMA $s TO o$i',
      setup: others,
      needs: [...inSchema, grantOption('CREATE ON SCHEMA $s')],
    },
    {
      sql: 'GRANT USAGE ON DATABASE tessera TO o$i',
      setup: others,
      needs: [grantOption('USAGE ON DATABASE tessera')],
    },
    {
      sql: 'GRANT USAGE ON LOCATION l$i TO o$i',
      setup: [LOCATION, ...others],
      needs: [inDatabase, grantOption('USAGE ON LOCATION l$i')],
    },
    { sql: 'GRANT VACUUM ANY ON ENGINE TO o$i', setup: others, needs: [grantOption('VACUUM ANY ON ENGINE')] },
    { sql: 'GRANT ROLE r$i TO o$i', setup: ['CREATE ROLE r$i', ...others], needs: [adminOption('r$i')] },
    { sql: 'GRANT ROLE system_admin TO o$i', setup: others, needs: [administrator] },
    {
      sql: 'GRANT ROLE r$i TO o$i',
      setup: ['CREATE ROLE r$i', 'GRANT ROLE system_admin TO r$i', 'ALTER ROLE r$i OWNER TO u', ...others],
      needs: [administrator],
    },
  ],
  revoke: [
    {
      sql: 'REVOKE SELECT ON TABLE $s.t FROM o$i',
      setup: [...others, 'GRANT SELECT ON TABLE $s.t TO o$i'],
      needs: [...inSchema, grantOption('SELECT ON TABLE $s.t')],
    },
    {
      sql: 'REVOKE ROLE r$i FROM o$i',
      setup: ['CREATE ROLE r$i', ...others, 'GRANT ROLE r$i TO o$i'],
      needs: [adminOption('r$i')],
    },
  ],
  show_grants: [
    free('SHOW GRANTS'),
    free('SHOW GRANTS FOR u'),
    {
      sql: 'SHOW GRANTS ON TABLE $s.t',
      needs: [...inSchema, { ...right('UPDATE ON TABLE $s.t'), missing: /has no privilege on/ }],
    },
    { sql: 'SHOW GRANTS FOR r$i', setup: ['CREATE ROLE r$i'], needs: [right('ROLE r$i')] },
  ],
} satisfies Partial<Record<Statement['kind'], readonly StatementCase[]>>;

/** The cases by kind of statement: a new kind does not compile without an entry. */
export const STATEMENT_CASES: Readonly<Record<Statement['kind'], readonly StatementCase[]>> = {
  query: QUERIES,
  explain: [
    { sql: 'EXPLAIN SELECT a FROM $s.t', needs: select },
    { sql: 'EXPLAIN ANALYZE SELECT a FROM $s.t', needs: select },
  ],
  ...CHANGES,
  ...DEFINITIONS,
  ...ACCESS,
  vacuum: [
    { sql: 'VACUUM $s.t', needs: [...inSchema, right('VACUUM ON TABLE $s.t')] },
    {
      sql: 'VACUUM $s.t',
      needs: [...inSchema, { ...right('VACUUM ANY ON ENGINE'), missing: /has no VACUUM on/ }],
    },
  ],
  call: [
    { sql: 'CALL collect_garbage()', needs: [right('COLLECT GARBAGE ON ENGINE')] },
    free(`CALL fb_GetAsyncStatus('none')`, { fails: 'INVALID_ARGUMENT' }),
  ],
  show: [
    free('SHOW TABLES'),
    { sql: 'SHOW TABLES IN $s', needs: inSchema },
    {
      sql: 'SHOW SCHEMAS IN d$i',
      setup: ['CREATE DATABASE d$i', 'REVOKE USAGE ON DATABASE d$i FROM public'],
      needs: [right('USAGE ON DATABASE d$i')],
    },
    {
      sql: 'DESCRIBE $s.t',
      needs: [...inSchema, { ...right('INSERT ON TABLE $s.t'), missing: /has no privilege on/ }],
    },
    {
      sql: 'DESCRIBE $s.v',
      setup: [VIEW],
      needs: [...inSchema, { ...right('SELECT ON VIEW $s.v'), missing: /has no privilege on/ }],
    },
    {
      sql: 'SHOW CREATE TABLE $s.t',
      needs: [...inSchema, { ...right('DELETE ON TABLE $s.t'), missing: /has no privilege on/ }],
    },
  ],
  use_database: [
    {
      sql: 'USE DATABASE d$i',
      setup: ['CREATE DATABASE d$i', 'REVOKE USAGE ON DATABASE d$i FROM public'],
      needs: [right('USAGE ON DATABASE d$i')],
    },
    { sql: 'USE DATABASE tessera', needs: [inDatabase] },
  ],
  use_engine: [free('USE ENGINE e')],
  set: [free('SET max_result_rows = 10')],
  reset: [free('RESET max_result_rows')],
  show_setting: [free('SHOW ALL')],
  cancel_query: [free(`CANCEL QUERY WHERE query_id = 'none'`, { fails: 'QUERY_NOT_FOUND' })],
  begin: [free('BEGIN')],
  commit: [free('COMMIT', { fails: 'NO_TRANSACTION' })],
  rollback: [free('ROLLBACK', { fails: 'NO_TRANSACTION' })],
  savepoint: [free('SAVEPOINT s', { fails: 'NO_TRANSACTION' })],
  release_savepoint: [free('RELEASE s', { fails: 'NO_TRANSACTION' })],
  rollback_to_savepoint: [free('ROLLBACK TO s', { fails: 'NO_TRANSACTION' })],
  unsupported: [free('ANALYZE', { fails: 'NOT_SUPPORTED' })],
};
