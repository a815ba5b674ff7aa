import { TesseraError } from '@tessera/common';
import { describe, expect, test } from 'vitest';
import { classifyStatement } from '../classify.ts';

const named = (...parts: readonly string[]) => ({ parts });
const text = (sql: string, offset?: number) => (offset === undefined ? { sql } : { sql, offset });

const CREATE: readonly (readonly [sql: string, statement: object])[] = [
  [
    "create database if not exists Shop with description = 'a shop'",
    { kind: 'create_database', name: 'shop', ifNotExists: true, description: 'a shop' },
  ],
  ['CREATE DATABASE "Shop"', { kind: 'create_database', name: 'Shop', ifNotExists: false }],
  ['CREATE SCHEMA d.s', { kind: 'create_schema', name: named('d', 's') }],
  [
    'CREATE TABLE t (a int)',
    {
      kind: 'create_table',
      name: named('t'),
      ifNotExists: false,
      columns: [{ name: 'a', type: text('int', 18), kernelType: 'INTEGER', nullable: true }],
      shape: { tableType: 'FACT', primaryIndex: [], partitionBy: [], options: {} },
    },
  ],
  [
    'CREATE DIMENSION TABLE IF NOT EXISTS d.s."T" (a INT NOT NULL DEFAULT 1, "B c" text DEFAULT \'x\' NULL) PRIMARY INDEX a, "B c"',
    {
      kind: 'create_table',
      name: named('d', 's', 'T'),
      ifNotExists: true,
      columns: [
        { name: 'a', nullable: false, default: text('1') },
        { name: 'B c', nullable: true, default: text("'x'") },
      ],
      shape: { tableType: 'DIMENSION', primaryIndex: ['a', 'B c'] },
    },
  ],
  [
    'CREATE FACT TABLE t (a int DEFAULT (1 + 2) * 3 NOT NULL, b boolean DEFAULT 1 IS NOT NULL NOT NULL, c int DEFAULT NULL NULL, d int DEFAULT CASE WHEN 1 IS NULL THEN NULL ELSE 2 END NOT NULL)',
    {
      columns: [
        { default: text('(1 + 2) * 3'), nullable: false },
        { default: text('1 IS NOT NULL'), nullable: false },
        { default: text('NULL'), nullable: true },
        { default: text('CASE WHEN 1 IS NULL THEN NULL ELSE 2 END'), nullable: false },
      ],
    },
  ],
  [
    'CREATE TABLE t (a int, d date) PRIMARY INDEX (a, d) PARTITION BY (a, extract(year FROM d)) WITH (index_granularity = 8192)',
    {
      shape: {
        primaryIndex: ['a', 'd'],
        partitionBy: [text('a'), text('extract(year FROM d)')],
        options: { index_granularity: '8192' },
      },
    },
  ],
  [
    'CREATE TABLE t (a int) PARTITION BY (a + 1) * 2, a::timestamp with time zone PRIMARY INDEX a',
    {
      shape: { primaryIndex: ['a'], partitionBy: [text('(a + 1) * 2'), text('a::timestamp with time zone')] },
    },
  ],
  ["CREATE TABLE t (a int) LOCATION 's3://b/p'", { shape: { location: 's3://b/p' } }],
  ["CREATE TABLE t (a int) LOCATION = 's3://b/p'", { shape: { location: 's3://b/p' } }],
  [
    'CREATE TABLE t AS SELECT 1 AS a',
    { kind: 'create_table_as', name: named('t'), query: text('SELECT 1 AS a', 18), settings: [] },
  ],
  [
    'CREATE FACT TABLE IF NOT EXISTS t (a, b) PRIMARY INDEX a WITH (index_granularity = 1) AS WITH x AS (SELECT 1) SELECT * FROM x WITH (max_threads = 2)',
    {
      kind: 'create_table_as',
      ifNotExists: true,
      columnNames: ['a', 'b'],
      shape: { primaryIndex: ['a'], options: { index_granularity: '1' } },
      query: text('WITH x AS (SELECT 1) SELECT * FROM x'),
      settings: [['max_threads', '2']],
    },
  ],
  ["CREATE TABLE t AS (SELECT * FROM read_csv('upload://x'))", { kind: 'create_table_as' }],
  ['CREATE TABLE t CLONE d.s.u', { kind: 'clone_table', name: named('t'), source: named('d', 's', 'u') }],
  [
    'CREATE OR REPLACE VIEW v ("A", b) AS SELECT 1, 2',
    { kind: 'create_view', orReplace: true, columnNames: ['A', 'b'], query: text('SELECT 1, 2', 37) },
  ],
  [
    'CREATE VIEW IF NOT EXISTS s.v AS VALUES (1)',
    { kind: 'create_view', orReplace: false, ifNotExists: true, columnNames: undefined },
  ],
  [
    "CREATE EXTERNAL TABLE IF NOT EXISTS e (a int, b text NULL) CREDENTIALS = (AWS_KEY_ID = 'k' AWS_SECRET_KEY = 's') URL = 's3://b/' OBJECT_PATTERN = '*.csv' TYPE = (CSV SKIP_HEADER_ROWS = 1 FIELD_DELIMITER = ';') COMPRESSION = GZIP",
    {
      kind: 'create_external_table',
      ifNotExists: true,
      url: 's3://b/',
      locationName: undefined,
      objectPattern: '*.csv',
      format: 'CSV',
      options: { skip_header_rows: '1', delimiter: ';', compression: 'GZIP' },
      credentials: { aws_key_id: 'k', aws_secret_key: 's' },
    },
  ],
  [
    'CREATE EXTERNAL TABLE e (a int) LOCATION = l, TYPE = parquet',
    { url: undefined, locationName: 'l', format: 'PARQUET', options: {} },
  ],
  [
    "CREATE OR REPLACE LOCATION l WITH SOURCE = 'AMAZON_S3' CREDENTIALS = (AWS_ROLE_ARN = 'arn') URL = 's3://b' DESCRIPTION = 'd'",
    {
      kind: 'create_location',
      name: 'l',
      orReplace: true,
      source: 'AMAZON_S3',
      url: 's3://b',
      description: 'd',
      credentials: { aws_role_arn: 'arn' },
    },
  ],
  [
    'CREATE AGGREGATING INDEX i ON t (a, sum(b), count(DISTINCT c))',
    {
      kind: 'create_aggregating_index',
      name: named('i'),
      table: named('t'),
      expressions: [text('a'), text('sum(b)'), text('count(DISTINCT c)')],
    },
  ],
  [
    'CREATE INDEX IF NOT EXISTS i ON s.t USING SKIP_INDEX(lower(a)) WITH (TYPE = minmax)',
    { kind: 'create_skip_index', table: named('s', 't'), expressions: [text('lower(a)')], filter: undefined },
  ],
  [
    'CREATE INDEX i ON t USING SKIP_INDEX(a, b) WITH (TYPE = bloom_filter, FALSE_POSITIVE_RATE = 0.001)',
    { expressions: [text('a'), text('b')], filter: { kind: 'bloom_filter', falsePositiveRate: '0.001' } },
  ],
  [
    'CREATE INDEX i ON t USING BLOOM_FILTER (a)',
    { filter: { kind: 'bloom_filter', falsePositiveRate: '0.01' } },
  ],
  ['CREATE INDEX i ON t USING SET (a) WITH (max_values = 7)', { filter: { kind: 'set', maxValues: 7 } }],
  ['CREATE INDEX i ON t USING SKIP_INDEX(a) WITH (TYPE = set)', { filter: { kind: 'set', maxValues: 256 } }],
];

const ALTER_AND_DROP: readonly (readonly [sql: string, statement: object])[] = [
  ['ALTER DATABASE d RENAME TO e', { kind: 'alter_database', change: { kind: 'rename', to: 'e' } }],
  ['ALTER DATABASE d OWNER TO u', { change: { kind: 'owner', to: 'u' } }],
  ["ALTER DATABASE d SET DESCRIPTION = 'x'", { change: { kind: 'description', to: 'x' } }],
  ["ALTER DATABASE d WITH DESCRIPTION = 'x'", { change: { kind: 'description', to: 'x' } }],
  [
    "ALTER TABLE IF EXISTS t ADD COLUMN IF NOT EXISTS c text DEFAULT 'x' NOT NULL",
    {
      kind: 'alter_table',
      ifExists: true,
      changes: [
        {
          kind: 'add_column',
          ifNotExists: true,
          column: { name: 'c', nullable: false, default: text("'x'") },
        },
      ],
    },
  ],
  ['ALTER TABLE t ADD c int', { changes: [{ kind: 'add_column', column: { name: 'c' } }] }],
  [
    'ALTER TABLE t DROP COLUMN IF EXISTS c CASCADE',
    { changes: [{ kind: 'drop_column', name: 'c', ifExists: true, cascade: true }] },
  ],
  [
    'ALTER TABLE t DROP c',
    { changes: [{ kind: 'drop_column', name: 'c', ifExists: false, cascade: false }] },
  ],
  ['ALTER TABLE t RENAME COLUMN a TO "B"', { changes: [{ kind: 'rename_column', name: 'a', to: 'B' }] }],
  ['ALTER TABLE t RENAME a TO b', { changes: [{ kind: 'rename_column', name: 'a', to: 'b' }] }],
  ['ALTER TABLE t RENAME TO u', { changes: [{ kind: 'rename', to: 'u' }] }],
  ['ALTER TABLE t OWNER TO u', { changes: [{ kind: 'owner', to: 'u' }] }],
  [
    "ALTER TABLE t DROP PARTITION '2024-01-01', 1 + 1",
    { changes: [{ kind: 'drop_partition', values: [text("'2024-01-01'"), text('1 + 1')] }] },
  ],
  ['ALTER TABLE t DROP PARTITION (1, NULL)', { changes: [{ values: [text('1'), text('NULL')] }] }],
  [
    'ALTER TABLE t ADD a int, DROP b',
    { changes: [{ kind: 'add_column' }, { kind: 'drop_column', name: 'b' }] },
  ],
  [
    'ALTER TABLE t ALTER COLUMN a SET DATA TYPE text USING a::text, ALTER b TYPE int',
    {
      changes: [
        { column: { name: 'a' }, change: { kind: 'type', kernelType: 'VARCHAR', using: text('a::text') } },
        { column: { name: 'b' }, change: { kind: 'type', kernelType: 'INTEGER', using: undefined } },
      ],
    },
  ],
  [
    'ALTER TABLE t ALTER a SET DEFAULT 1 + 1, ALTER a DROP DEFAULT, ALTER a SET NOT NULL, ALTER a DROP NOT NULL',
    {
      changes: [
        { change: { kind: 'set_default', default: text('1 + 1') } },
        { change: { kind: 'drop_default' } },
        { change: { kind: 'set_not_null' } },
        { change: { kind: 'drop_not_null' } },
      ],
    },
  ],
  [
    'ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0) NOT VALID, DROP CONSTRAINT IF EXISTS d CASCADE, RENAME CONSTRAINT e TO f',
    {
      changes: [
        {
          kind: 'add_constraint',
          constraint: { kind: 'check', name: 'c', condition: text('a > 0') },
          isValidated: false,
        },
        { kind: 'drop_constraint', constraint: { name: 'd' }, ifExists: true, cascade: true },
        { kind: 'rename_constraint', constraint: { name: 'e' }, to: 'f' },
      ],
    },
  ],
  [
    'CREATE TABLE t (a int CONSTRAINT k PRIMARY KEY, b int NOT NULL UNIQUE DEFAULT 1 CHECK (b > 0), FOREIGN KEY (b) REFERENCES u ON UPDATE SET NULL ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED)',
    {
      columns: [{ name: 'a' }, { name: 'b', nullable: false, default: text('1') }],
      constraints: [
        { kind: 'primary_key', name: 'k', columns: [{ name: 'a' }] },
        { kind: 'unique', name: undefined, columns: [{ name: 'b' }] },
        { kind: 'check', condition: text('b > 0') },
        {
          kind: 'foreign_key',
          columns: [{ name: 'b' }],
          table: named('u'),
          references: undefined,
          onUpdate: 'SET NULL',
          onDelete: 'CASCADE',
        },
      ],
    },
  ],
  ['DROP TABLE IF EXISTS d.s.t CASCADE', { kind: 'drop', object: 'table', ifExists: true, cascade: true }],
  ['DROP VIEW v RESTRICT', { kind: 'drop', object: 'view', name: named('v'), cascade: false }],
  ['DROP EXTERNAL TABLE t', { object: 'table' }],
  ['DROP DATABASE d', { object: 'database', name: named('d') }],
  ['DROP SCHEMA d.s', { object: 'schema', name: named('d', 's') }],
  ['DROP LOCATION l', { object: 'location' }],
  ['DROP INDEX i', { object: 'index' }],
  ['DROP AGGREGATING INDEX IF EXISTS i', { object: 'index', ifExists: true }],
];

const CHANGES: readonly (readonly [sql: string, statement: object])[] = [
  [
    'INSERT INTO t VALUES (1, DEFAULT)',
    { kind: 'insert', table: named('t'), columns: undefined, query: text('VALUES (1, DEFAULT)', 14) },
  ],
  [
    'INSERT INTO d.s.t (a, "B") SELECT 1, 2 WITH (timezone = \'UTC\')',
    { columns: ['a', 'B'], query: text('SELECT 1, 2'), settings: [['timezone', 'UTC']] },
  ],
  ['INSERT INTO t (VALUES (1))', { columns: undefined, query: text('(VALUES (1))') }],
  ['INSERT INTO t (values) VALUES (1)', { kind: 'syntax error' }],
  ['INSERT INTO t (WITH a AS (SELECT 1) SELECT * FROM a)', { columns: undefined }],
  ['INSERT INTO t ((SELECT 1) UNION ALL (SELECT 2))', { columns: undefined }],
  [
    'INSERT INTO t WITH a AS (SELECT 1) SELECT * FROM a',
    { query: text('WITH a AS (SELECT 1) SELECT * FROM a') },
  ],
  ['INSERT INTO t FROM u', { query: text('FROM u') }],
  ['INSERT INTO t TABLE u', { query: text('TABLE u') }],
  ['INSERT INTO t (a) DEFAULT VALUES', { query: undefined, columns: ['a'] }],
  [
    'WITH a AS (SELECT 1), b(x) AS MATERIALIZED (SELECT 2) INSERT INTO t SELECT * FROM a',
    { kind: 'insert', with: text('WITH a AS (SELECT 1), b(x) AS MATERIALIZED (SELECT 2)', 0) },
  ],
  ["INSERT INTO t SELECT * FROM read_parquet('upload://x')", { kind: 'insert' }],
  [
    'UPDATE t SET a = a + 1, b = DEFAULT WHERE c = 3',
    {
      kind: 'update',
      alias: undefined,
      set: [
        { column: 'a', value: text('a + 1', 17) },
        { column: 'b', value: undefined },
      ],
      from: undefined,
      where: text('c = 3'),
    },
  ],
  [
    'UPDATE s.t AS x SET a = x.b IS DISTINCT FROM u.b, (b, c) = (1, DEFAULT) FROM u JOIN w ON u.a IS NOT DISTINCT FROM w.a WHERE x.a = u.a',
    {
      alias: 'x',
      set: [
        { column: 'a', value: text('x.b IS DISTINCT FROM u.b') },
        { column: 'b', value: text('1') },
        { column: 'c', value: undefined },
      ],
      from: text('u JOIN w ON u.a IS NOT DISTINCT FROM w.a'),
      where: text('x.a = u.a'),
    },
  ],
  [
    'UPDATE t SET (a) = (SELECT 1)',
    { set: [{ column: 'a', value: text('SELECT 1'), item: { index: 0, of: 1 } }] },
  ],
  [
    'UPDATE t x SET (a) = ROW (1)',
    { alias: 'x', set: [{ column: 'a', value: text('1') }], where: undefined },
  ],
  [
    "UPDATE t SET a = extract(year FROM d) * 2 FROM read_csv('upload://x') f",
    { from: text("read_csv('upload://x') f") },
  ],
  ['DELETE FROM t', { kind: 'delete', alias: undefined, using: undefined, where: undefined }],
  [
    'DELETE FROM t AS x USING u, w WHERE x.a = u.a AND CASE WHEN w.b THEN true ELSE false END WITH (max_threads = 1)',
    {
      alias: 'x',
      using: text('u, w'),
      where: text('x.a = u.a AND CASE WHEN w.b THEN true ELSE false END'),
      settings: [['max_threads', '1']],
    },
  ],
  [
    'WITH a AS (SELECT 1) DELETE FROM t USING a',
    { kind: 'delete', with: text('WITH a AS (SELECT 1)'), using: text('a') },
  ],
  ['WITH a AS (SELECT 1) UPDATE t SET b = 1 FROM a', { kind: 'update' }],
  [
    `MERGE INTO t x USING (SELECT 1 AS a) AS s ON x.a = s.a
     WHEN MATCHED AND CASE WHEN s.b THEN s.c ELSE x.c END THEN UPDATE SET a = CASE WHEN s.a = 1 THEN 2 END, b = DEFAULT
     WHEN MATCHED THEN DELETE
     WHEN NOT MATCHED AND s.a > 0 THEN INSERT (a, b) VALUES (s.a, DEFAULT)
     WHEN NOT MATCHED BY TARGET THEN INSERT DEFAULT VALUES
     WHEN NOT MATCHED BY SOURCE THEN DO NOTHING`,
    {
      kind: 'merge',
      alias: 'x',
      using: text('(SELECT 1 AS a) AS s'),
      on: text('x.a = s.a'),
      clauses: [
        {
          matched: 'matched',
          condition: text('CASE WHEN s.b THEN s.c ELSE x.c END'),
          action: {
            kind: 'update',
            set: [
              { column: 'a', value: text('CASE WHEN s.a = 1 THEN 2 END') },
              { column: 'b', value: undefined },
            ],
          },
        },
        { matched: 'matched', action: { kind: 'delete' } },
        {
          matched: 'not_matched',
          condition: text('s.a > 0'),
          action: { kind: 'insert', columns: ['a', 'b'], values: [text('s.a'), undefined] },
        },
        { matched: 'not_matched', action: { kind: 'insert', columns: undefined, values: undefined } },
        { matched: 'not_matched_by_source', action: { kind: 'nothing' } },
      ],
    },
  ],
  ['TRUNCATE TABLE t', { kind: 'truncate', table: named('t'), restartIdentity: false }],
  ['TRUNCATE t', { kind: 'truncate' }],
  ['TRUNCATE t CONTINUE IDENTITY RESTRICT', { kind: 'truncate', restartIdentity: false }],
  ['TRUNCATE t RESTART IDENTITY', { kind: 'truncate', restartIdentity: true }],
  [
    "COPY INTO t (a, b $2, c \"C d\", d DEFAULT 0 $3, e $source_file_name) FROM 's3://b/x' WITH TYPE = CSV HEADER = TRUE MAX_ERRORS_PER_FILE = '10%' ERROR_FILE = 's3://e' CREDENTIALS = (AWS_KEY_ID = 'k')",
    {
      kind: 'copy_from',
      columns: ['a', 'b', 'c', 'd', 'e'],
      mapping: [
        { name: 'a', source: undefined },
        { name: 'b', source: { kind: 'position', index: 2 } },
        { name: 'c', source: { kind: 'name', name: 'C d' } },
        { name: 'd', default: text('0'), source: { kind: 'position', index: 3 } },
        { name: 'e', source: { kind: 'virtual', name: 'source_file_name' } },
      ],
      url: 's3://b/x',
      options: { type: 'CSV', header: 'TRUE', max_errors_per_file: '10%', error_file: 's3://e' },
      credentials: { aws_key_id: 'k' },
    },
  ],
  [
    "COPY t FROM 's3://b/x' (FORMAT csv, HEADER, DELIMITER ';')",
    { columns: undefined, options: { type: 'CSV', header: 'true', delimiter: ';' } },
  ],
  [
    "COPY t FROM loc LIMIT 10 WITH (TYPE = parquet, PATTERN = '*.p')",
    { locationName: 'loc', options: { limit: '10', type: 'PARQUET', pattern: '*.p' } },
  ],
  ["COPY t FROM 's3://x'", { url: 's3://x', options: {} }],
  [
    "COPY (SELECT * FROM read_csv('upload://x')) TO 's3://x' TYPE = PARQUET COMPRESSION = ZSTD",
    {
      kind: 'copy_to',
      query: text("SELECT * FROM read_csv('upload://x')", 6),
      url: 's3://x',
      options: { type: 'PARQUET', compression: 'ZSTD' },
    },
  ],
  [
    'COPY s.t TO loc WITH (SINGLE_FILE = true)',
    { kind: 'copy_to', query: text('FROM s.t', 0), locationName: 'loc' },
  ],
];

const OTHERS: readonly (readonly [sql: string, statement: object])[] = [
  ['BEGIN', { kind: 'begin' }],
  ['BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE', { kind: 'begin' }],
  ['BEGIN WORK', { kind: 'begin' }],
  ['START TRANSACTION READ WRITE', { kind: 'begin' }],
  ['COMMIT', { kind: 'commit' }],
  ['COMMIT WORK AND NO CHAIN', { kind: 'commit' }],
  ['END TRANSACTION', { kind: 'commit' }],
  ['ROLLBACK', { kind: 'rollback' }],
  ['ABORT WORK', { kind: 'rollback' }],
  ['BEGIN READ ONLY', { kind: 'begin', readOnly: true }],
  ['SAVEPOINT S', { kind: 'savepoint', name: 's' }],
  ['RELEASE SAVEPOINT s', { kind: 'release_savepoint', name: 's' }],
  ['RELEASE s', { kind: 'release_savepoint', name: 's' }],
  ['ROLLBACK TO SAVEPOINT s', { kind: 'rollback_to_savepoint', name: 's' }],
  ['ROLLBACK TRANSACTION TO s', { kind: 'rollback_to_savepoint', name: 's' }],
  ['VACUUM t', { kind: 'vacuum', table: named('t'), options: {} }],
  [
    'VACUUM (INDEXES = TRUE, MAX_CONCURRENCY = 4) s.t',
    { options: { indexes: 'TRUE', max_concurrency: '4' } },
  ],
  ['SHOW TABLES', { kind: 'show', what: 'tables', name: undefined, pattern: undefined }],
  ["SHOW TABLES IN d.s LIKE 'a%'", { what: 'tables', name: named('d', 's'), pattern: 'a%' }],
  ['SHOW COLUMNS FROM t', { what: 'columns', name: named('t') }],
  ['SHOW COLUMNS t', { what: 'columns', name: named('t') }],
  ['SHOW COLUMNS', { what: 'columns', name: undefined }],
  ['SHOW CREATE TABLE t', { what: 'create_table', name: named('t') }],
  ...['databases', 'schemas', 'indexes', 'views', 'engines', 'users', 'roles', 'locations', 'catalogs'].map(
    (what) => [`SHOW ${what.toUpperCase()}`, { kind: 'show', what }] as const,
  ),
  ['DESCRIBE t', { kind: 'show', what: 'describe', name: named('t') }],
  ['DESCRIBE SELECT 1', { kind: 'show', what: 'describe', name: undefined, query: text('SELECT 1', 9) }],
  ['DESC TABLE s.t', { kind: 'show', what: 'describe', name: named('s', 't') }],
];

describe('statements', () => {
  const all = [...CREATE, ...ALTER_AND_DROP, ...CHANGES, ...OTHERS];
  test.for(all)('%s', ([sql, statement]) => {
    if ('kind' in statement && statement.kind === 'syntax error') {
      expect(() => classifyStatement(sql)).toThrow(expect.objectContaining({ name: 'SYNTAX_ERROR' }));
    } else expect(classifyStatement(sql)).toMatchObject(statement);
  });

  test('places of names and texts', () => {
    const sql = 'INSERT INTO\n  t (a,\n b) SELECT 1,\n 2';
    const statement = classifyStatement(sql);
    expect(statement).toMatchObject({
      table: { location: { line: 2, startColumn: 3, endColumn: 3 } },
      columnLocations: [
        { line: 2, startColumn: 6, endColumn: 6 },
        { line: 3, startColumn: 2, endColumn: 2 },
      ],
      query: { sql: 'SELECT 1,\n 2', offset: sql.indexOf('SELECT') },
    });
  });
});

/** A statement, a part of its error message, and the text at the reported place ('' at the end). */
const ERRORS: readonly (readonly [sql: string, name: string, message: string, at: string])[] = [
  ['CREATE TABLE', 'SYNTAX_ERROR', 'Expected the name of a table, found the end', ''],
  ['CREATE TABLE t', 'SYNTAX_ERROR', 'Expected "(" or AS', ''],
  ['CREATE TABLE t ()', 'SYNTAX_ERROR', 'Expected the name of a column', ')'],
  ['CREATE TABLE t (a)', 'SYNTAX_ERROR', 'Expected AS and a query', ''],
  ['CREATE TABLE t (a int, a text)', 'DUPLICATE_COLUMN', 'Column "a" is defined twice', 'a'],
  ['CREATE TABLE t (a int,)', 'SYNTAX_ERROR', 'Expected the name of a column, found ")"', ')'],
  ['CREATE TABLE t (a int b)', 'SYNTAX_ERROR', 'Expected ")", found "b"', 'b'],
  ['CREATE TABLE t (a nosuch)', 'UNDEFINED_OBJECT', 'Type "nosuch" does not exist', 'nosuch'],
  ['CREATE TABLE t (a INTEGR)', 'UNDEFINED_OBJECT', 'did you mean INTEGER?', 'INTEGR'],
  ['CREATE TABLE t (a interval)', 'NOT_SUPPORTED', 'The type INTERVAL in a table', 'interval'],
  ['CREATE TABLE t (a struct(b uuid))', 'NOT_SUPPORTED', 'The type UUID in a table', 'uuid'],
  ['CREATE TABLE t (a numeric(39, 1))', 'INVALID_ARGUMENT', 'precision from 1 to 38', '(39, 1)'],
  ['CREATE TABLE t (a int NULL NOT NULL)', 'SYNTAX_ERROR', 'both NULL and NOT NULL', 'NOT NULL'],
  ['CREATE TABLE t (a int CONSTRAINT c)', 'SYNTAX_ERROR', 'Expected a constraint', ')'],
  ['CREATE TABLE t (PRIMARY KEY (a))', 'SYNTAX_ERROR', 'Expected a column', ')'],
  ['CREATE TABLE t (a int REFERENCES u MATCH FULL)', 'NOT_SUPPORTED', 'MATCH FULL', 'MATCH'],
  ['CREATE TABLE t (a int, EXCLUDE USING gist (a WITH =))', 'NOT_SUPPORTED', 'EXCLUDE', 'EXCLUDE'],
  ['CREATE INDEX CONCURRENTLY i ON t (a)', 'NOT_SUPPORTED', 'PRIMARY INDEX', 'CONCURRENTLY'],
  ['CREATE TABLE t (LIKE u)', 'NOT_SUPPORTED', 'CLONE', 'LIKE'],
  ['CREATE TABLE t (a int) AS SELECT 1', 'SYNTAX_ERROR', 'names but no types', 'AS'],
  ['CREATE TABLE t (a int) PRIMARY INDEX', 'SYNTAX_ERROR', 'a column of the primary index', ''],
  ['CREATE TABLE t (a int) PRIMARY INDEX a, a', 'SYNTAX_ERROR', 'twice', 'a'],
  [
    'CREATE TABLE t (a int) PRIMARY INDEX a PRIMARY INDEX a',
    'SYNTAX_ERROR',
    'PRIMARY INDEX is specified twice',
    'PRIMARY INDEX',
  ],
  ['CREATE TABLE t (a int) PARTITION BY', 'SYNTAX_ERROR', 'a partition expression', ''],
  [
    'CREATE TABLE t (a int) WITH (granularity = 1)',
    'INVALID_ARGUMENT',
    'no option GRANULARITY',
    'granularity',
  ],
  [
    'CREATE TABLE t (a int) WITH (index_granularity = 0)',
    'INVALID_ARGUMENT',
    'integer from 1',
    'index_granularity',
  ],
  ["CREATE TABLE t (a text DEFAULT 'upload://x')", 'INVALID_ARGUMENT', 'not in CREATE TABLE', "'upload://x'"],
  ['CREATE TABLE a.b.c.d (x int)', 'SYNTAX_ERROR', 'three parts', 'd'],
  ['CREATE TABLE select (a int)', 'SYNTAX_ERROR', 'the name of a table', 'select'],
  ['CREATE TABLE "" (a int)', 'SYNTAX_ERROR', 'empty', '""'],
  ['CREATE VIEW v', 'SYNTAX_ERROR', 'Expected AS', ''],
  ['CREATE VIEW v AS DELETE FROM t', 'SYNTAX_ERROR', 'Expected a query', 'DELETE'],
  [
    'CREATE VIEW v AS SELECT $source_file_name, $1 FROM e',
    'BINDING_ERROR',
    'The query of a view cannot contain a parameter',
    '$1',
  ],
  [
    "CREATE VIEW v AS SELECT $q$ read_csv('upload://x') $q$",
    'INVALID_ARGUMENT',
    'CREATE VIEW',
    "$q$ read_csv('upload://x') $q$",
  ],
  [
    "CREATE LOCATION l WITH SOURCE = AMAZON_S3 URL = 'upload://x'",
    'INVALID_ARGUMENT',
    'CREATE LOCATION',
    "'upload://x'",
  ],
  ['CREATE LOCATION l WITH SOURCE = ftp URL = x', 'INVALID_ARGUMENT', 'SOURCE takes one of', 'SOURCE'],
  ["CREATE LOCATION l WITH URL = 's3://x'", 'SYNTAX_ERROR', 'needs SOURCE', 'l'],
  ['CREATE EXTERNAL TABLE e (a int) TYPE = (CSV)', 'SYNTAX_ERROR', 'URL = … or LOCATION = …', 'e'],
  [
    "CREATE EXTERNAL TABLE e (a int) URL = 's3://x' TYPE = (ORC)",
    'INVALID_ARGUMENT',
    'TYPE takes one of PARQUET',
    'TYPE',
  ],
  ['CREATE INDEX i ON t (a)', 'NOT_SUPPORTED', 'USING BLOOM_FILTER', '('],
  ['CREATE INDEX i ON t USING btree (a)', 'NOT_SUPPORTED', 'USING SET', 'btree'],
  [
    'CREATE INDEX i ON t USING SET (a) WITH (FALSE_POSITIVE_RATE = 0.1)',
    'INVALID_ARGUMENT',
    'is an option of the type BLOOM_FILTER, not of SET',
    'FALSE_POSITIVE_RATE',
  ],
  [
    'CREATE INDEX i ON t USING BLOOM_FILTER (a) WITH (FALSE_POSITIVE_RATE = 1)',
    'INVALID_ARGUMENT',
    'from 0.0001 to 0.5, not 1',
    'FALSE_POSITIVE_RATE',
  ],
  [
    'CREATE INDEX i ON t USING SET (a) WITH (MAX_VALUES = 10001)',
    'INVALID_ARGUMENT',
    'from 1 to 10000',
    'MAX_VALUES',
  ],
  ['CREATE INDEX i ON t USING SET (a) WITH (TYPE = minmax)', 'INVALID_ARGUMENT', 'USING SET', 'TYPE'],
  ['CREATE INDEX i ON t USING SKIP_INDEX(a) WITH (TYPE = bloom)', 'INVALID_ARGUMENT', 'MINMAX', 'TYPE'],
  [
    "CREATE VIEW v AS SELECT * FROM read_csv('up'  'load://x')",
    'INVALID_ARGUMENT',
    'not in CREATE VIEW',
    "'up'",
  ],
  ['CREATE VIEW v AS SELECT * FROM "upload://x"', 'INVALID_ARGUMENT', 'not in CREATE VIEW', '"upload://x"'],
  ['ALTER TABLE t', 'SYNTAX_ERROR', 'Expected ADD, ALTER, DROP, RENAME or OWNER TO', ''],
  ['ALTER TABLE t ALTER COLUMN a', 'SYNTAX_ERROR', 'Expected SET DEFAULT', ''],
  ['ALTER TABLE t RENAME a b', 'SYNTAX_ERROR', 'Expected TO', 'b'],
  ['DROP TABLE', 'SYNTAX_ERROR', 'the name of a table', ''],
  ['DROP TABLE t u', 'SYNTAX_ERROR', 'the end of the statement', 'u'],
  ['INSERT t VALUES (1)', 'SYNTAX_ERROR', 'Expected INTO', 't'],
  ['INSERT INTO t', 'SYNTAX_ERROR', 'Expected columns, VALUES or a query', ''],
  ['INSERT INTO t (a, a) VALUES (1, 2)', 'DUPLICATE_COLUMN', 'listed twice', 'a'],
  ['INSERT INTO t VALUES (1) RETURNING', 'SYNTAX_ERROR', 'Expected an expression', ''],
  ['TRUNCATE t RESTART IDENTITY CASCADE', 'NOT_SUPPORTED', 'TRUNCATE … CASCADE is not supported', 'CASCADE'],
  ['DELETE FROM t RETURNING a,', 'SYNTAX_ERROR', 'Expected an expression', ''],
  ['UPDATE t SET a = 1 RETURNING a) b', 'SYNTAX_ERROR', 'the end of the statement', ')'],
  ['UPDATE t', 'SYNTAX_ERROR', 'Expected SET', ''],
  ['UPDATE t SET', 'SYNTAX_ERROR', 'a column', ''],
  ['UPDATE t SET a', 'SYNTAX_ERROR', 'Expected "="', ''],
  ['UPDATE t SET a = ', 'SYNTAX_ERROR', 'a value', ''],
  ['UPDATE t SET a = 1, a = 2', 'SYNTAX_ERROR', 'set twice', 'a'],
  ['UPDATE t SET (a, b) = (1)', 'SYNTAX_ERROR', 'SET names 2 columns but has 1 values', '(1)'],
  ['UPDATE t SET a = 1 WHERE', 'SYNTAX_ERROR', 'a condition', ''],
  ['DELETE t', 'SYNTAX_ERROR', 'Expected FROM', 't'],
  ['MERGE INTO t USING s', 'SYNTAX_ERROR', 'Expected ON', ''],
  ['MERGE INTO t USING s ON true', 'SYNTAX_ERROR', 'Expected WHEN', ''],
  [
    'MERGE INTO t USING s ON true WHEN MATCHED THEN INSERT VALUES (1)',
    'SYNTAX_ERROR',
    'UPDATE, DELETE or DO NOTHING',
    'INSERT',
  ],
  [
    'MERGE INTO t USING s ON true WHEN NOT MATCHED THEN DELETE',
    'SYNTAX_ERROR',
    'INSERT or DO NOTHING',
    'DELETE',
  ],
  [
    'MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE WHEN MATCHED AND b THEN DO NOTHING',
    'SYNTAX_ERROR',
    'never reached',
    'WHEN MATCHED AND b THEN DO NOTHING',
  ],
  ['COPY t', 'SYNTAX_ERROR', 'Expected FROM or TO', ''],
  ["COPY t FROM 's3://x' WITH (HEADR = true)", 'INVALID_ARGUMENT', 'did you mean HEADER?', 'HEADR'],
  ["COPY t FROM 's3://x' HEADER = maybe", 'INVALID_ARGUMENT', 'HEADER takes TRUE or FALSE', 'HEADER'],
  ["COPY t FROM 's3://x' TYPE = orc", 'INVALID_ARGUMENT', 'TYPE takes one of', 'TYPE'],
  ["COPY (SELECT 1) TO 'upload://x'", 'INVALID_ARGUMENT', 'not in COPY TO', "'upload://x'"],
  ["COPY t FROM ' upload://x'", 'INVALID_ARGUMENT', 'not in COPY FROM', "' upload://x'"],
  ['BEGIN ISOLATION LEVEL SERIALIZABLE', 'NOT_SUPPORTED', 'snapshot isolation', 'SERIALIZABLE'],
  ['VACUUM', 'SYNTAX_ERROR', 'the name of a table', ''],
  ['VACUUM (FULL = TRUE) t', 'INVALID_ARGUMENT', 'VACUUM has no option FULL', 'FULL'],
  [
    "COPY t FROM 's3://b/x' WITH DATE_FORMAT = 'DD.MM.YYYY'",
    'NOT_SUPPORTED',
    'The option DATE_FORMAT of COPY FROM is not supported',
    'DATE_FORMAT',
  ],
  [
    "COPY t TO 's3://b/x' WITH OVERWRITE_EXISTING_FILES = FALSE",
    'NOT_SUPPORTED',
    'OVERWRITE_EXISTING_FILES = FALSE is not supported',
    'OVERWRITE_EXISTING_FILES',
  ],
  ['SHOW TABLES LIKE x', 'SYNTAX_ERROR', 'a pattern as a string', 'x'],
];

test.for(ERRORS)('%s: %s, %s', ([sql, name, message, at]) => {
  let error: unknown;
  try {
    classifyStatement(sql);
  } catch (thrown) {
    error = thrown;
  }
  if (!(error instanceof TesseraError))
    throw new Error(`no error: ${JSON.stringify(classifyStatement(sql))}`);
  expect({ name: error.name, message: error.message }).toEqual({
    name,
    message: expect.stringContaining(message),
  });
  const { line, startColumn, endColumn } = error.location!;
  expect([line, sql.slice(startColumn - 1, endColumn)]).toEqual([1, at]);
});
