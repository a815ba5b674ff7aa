import { describe, expect, test } from 'vitest';
import { classifyStatement } from './classify.ts';

const STATEMENTS: readonly (readonly [text: string, statement: object])[] = [
  ['SELECT 1', { kind: 'query', sql: 'SELECT 1', settings: [] }],
  ['(SELECT 1) UNION SELECT 2', { kind: 'query' }],
  ['WITH a AS (SELECT 1) SELECT * FROM a', { kind: 'query', settings: [] }],
  ['VALUES (1)', { kind: 'query' }],
  ['FROM x', { kind: 'query' }],
  ['TABLE x', { kind: 'query' }],
  [
    "select 1 WITH (timezone = 'Europe/Berlin', max_threads=2, enable_result_cache = false)",
    {
      kind: 'query',
      sql: 'select 1',
      settings: [
        ['timezone', 'Europe/Berlin'],
        ['max_threads', '2'],
        ['enable_result_cache', 'false'],
      ],
    },
  ],
  ["SET timezone = 'UTC'", { kind: 'set', name: 'timezone', value: 'UTC' }],
  ['set Statement_Timeout=-5', { kind: 'set', name: 'statement_timeout', value: '-5' }],
  ['SET max_threads TO 4', { kind: 'set', name: 'max_threads', value: '4' }],
  ["SET TIME ZONE 'UTC'", { kind: 'set', name: 'timezone', value: 'UTC' }],
  ['RESET timezone', { kind: 'reset', name: 'timezone' }],
  ['SHOW timezone', { kind: 'show_setting', name: 'timezone' }],
  ['SHOW ALL', { kind: 'show_setting', name: undefined }],
  ['USE DATABASE "My Db"', { kind: 'use_database', database: 'My Db' }],
  ['USE Other', { kind: 'use_database', database: 'other' }],
  ["CANCEL QUERY WHERE query_id = 'abc'", { kind: 'cancel_query', queryId: 'abc' }],
  ["CALL fb_GetAsyncStatus('t')", { kind: 'call', name: 'fb_getasyncstatus', arguments: ['t'] }],
  ['CALL p()', { kind: 'call', arguments: [] }],
  ['EXPLAIN SELECT 1', { kind: 'explain', sql: 'SELECT 1', offset: 8, part: 'physical', format: 'text' }],
  ['EXPLAIN (ANALYZE, FORMAT JSON) SELECT 1', { kind: 'explain', part: 'analyze', format: 'json' }],
  ['EXPLAIN ANALYZE (SELECT 1)', { kind: 'explain', sql: '(SELECT 1)', part: 'analyze' }],
  ['EXPLAIN (SELECT 1)', { kind: 'explain', sql: '(SELECT 1)', part: 'physical' }],
  ['PREPARE p AS SELECT 1', { kind: 'unsupported', name: 'PREPARE' }],
  ['CREATE EXTENSION pgcrypto', { kind: 'unsupported', name: 'CREATE EXTENSION' }],
  ['LOCK TABLE t', { kind: 'unsupported', name: 'LOCK' }],
  ['SHOW CACHE', { kind: 'unsupported', name: 'SHOW CACHE' }],
  ['ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO a', { kind: 'unsupported' }],
];

test.for(STATEMENTS)('%s', ([text, statement]) => {
  expect(classifyStatement(text)).toMatchObject(statement);
});

describe('refused', () => {
  const KERNEL_ONLY = [
    "ATTACH 'x.db'",
    'DETACH x',
    'INSTALL httpfs',
    'LOAD httpfs',
    'PRAGMA version',
    "EXPORT DATABASE 'x'",
    'CHECKPOINT',
    'CREATE MACRO f() AS 1',
    'CREATE TEMP MACRO f() AS 1',
    'CREATE SECRET s (TYPE s3)',
  ];
  test.for(KERNEL_ONLY)('%s: the kernel’s own', (text) => {
    expect(() => classifyStatement(text)).toThrow(expect.objectContaining({ name: 'FORBIDDEN' }));
  });

  const WITH_UPLOADS = [
    ["COPY t FROM 'upload://x'", 'COPY FROM'],
    ["COPY INTO t FROM 'upload://x' WITH (TYPE = CSV)", 'COPY FROM'],
    ["CREATE EXTERNAL TABLE t (a int) URL = 'upload://x' TYPE = (CSV)", 'CREATE EXTERNAL TABLE'],
    ["CREATE EXTERNAL TABLE t (a int) URL = 'UPLOAD://x'", 'CREATE EXTERNAL TABLE'],
    ["CREATE VIEW v AS SELECT * FROM read_csv('upload://x')", 'CREATE VIEW'],
    ['CREATE OR REPLACE VIEW v AS SELECT * FROM read_csv($$upload://x$$)', 'CREATE OR REPLACE VIEW'],
  ] as const;
  test.for(WITH_UPLOADS)('%s: uploads do not outlive the request', ([text, statement]) => {
    expect(() => classifyStatement(text)).toThrow(
      expect.objectContaining({
        name: 'INVALID_ARGUMENT',
        message: expect.stringMatching(
          `upload:// works only in FROM and in the READ_\\* functions of a query, not in ${statement}`,
        ),
      }),
    );
  });

  const MALFORMED = [
    '',
    'SELEC 1',
    'SET',
    'SET a',
    'SET a =',
    'RESET',
    'CANCEL QUERY',
    'EXPLAIN',
    'EXPLAIN x',
    'USE',
    'CALL f',
    '1',
  ];
  test.for(MALFORMED)('malformed: "%s"', (text) => {
    expect(() => classifyStatement(text)).toThrow(expect.objectContaining({ name: 'SYNTAX_ERROR' }));
  });
});
