import { describe, expect, it } from 'vitest';
import { classifyCommand } from './classify-command.ts';

describe('commands of the session', () => {
  it.each([
    ['/* a */ -- b\n BEGIN', { kind: 'begin', tag: 'BEGIN' }],
    ['start transaction read only, isolation level repeatable read', { kind: 'begin', readOnly: true }],
    ['END WORK', { kind: 'commit' }],
    ['ABORT AND NO CHAIN', { kind: 'rollback' }],
    ['SET search_path TO a, "B"', { kind: 'set', name: 'search_path', value: 'a, B', local: false }],
    ["SET LOCAL TIME ZONE 'UTC'", { kind: 'set', name: 'timezone', value: 'UTC', local: true }],
    ['SET a.b = default', { kind: 'set', name: 'a.b', value: undefined }],
    ['SET NAMES UTF8', { kind: 'set', name: 'client_encoding', value: 'UTF8' }],
    [
      'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY',
      { kind: 'set', name: 'default_transaction_read_only', value: 'on' },
    ],
    ['SHOW TRANSACTION ISOLATION LEVEL', { kind: 'show', name: 'transaction_isolation' }],
    ['show DateStyle', { kind: 'show', name: 'datestyle' }],
    [
      "SELECT current_setting('a.b', true) AS c",
      { kind: 'current_setting', name: 'a.b', column: 'c', missingOk: true },
    ],
    ["SELECT pg_catalog.set_config('a.b', 'c', true)", { kind: 'set_config', name: 'a.b', local: true }],
    ["SELECT set_config('a.b', NULL, true)", { kind: 'set_config', value: undefined, local: true }],
    ['PREPARE p (int, numeric(3, 1)) AS SELECT $1', { kind: 'prepare', name: 'p' }],
    ["EXECUTE p ('a,b', (1), ARRAY[1, 2])", { kind: 'execute', name: 'p' }],
    ['DECLARE c NO SCROLL CURSOR FOR SELECT 1', { kind: 'declare', name: 'c', holds: false }],
    ['DECLARE c CURSOR WITH HOLD FOR SELECT 1', { kind: 'declare', name: 'c', holds: true }],
    ['FETCH FORWARD 10 FROM c', { kind: 'fetch', name: 'c', rows: 10, moves: false }],
    ['FETCH c', { kind: 'fetch', name: 'c', rows: 1 }],
    ['MOVE ALL IN c', { kind: 'fetch', rows: Number.POSITIVE_INFINITY, moves: true }],
    ['CLOSE ALL', { kind: 'close', name: undefined }],
    ['DISCARD ALL', { kind: 'discard', what: 'ALL' }],
    ['COPY s.t (a, "B") FROM STDIN', { kind: 'copy_in', table: 's.t', columns: ['a', '"B"'] }],
    ['COPY (SELECT (1)) TO STDOUT', { kind: 'copy_out', query: { sql: 'SELECT (1)', offset: 6 } }],
    ['COPY t(a) TO STDOUT', { kind: 'copy_out', query: { sql: 'SELECT a FROM t' } }],
  ])('%s', (sql, command) => {
    expect(classifyCommand(sql)).toMatchObject(command);
  });

  it.each([
    'SELECT 1',
    'SHOW TABLES',
    'SHOW CREATE TABLE t',
    "COPY t FROM 's3://b/x.csv'",
    "COPY t (a DEFAULT 1 $1) FROM 's3://b/x.csv'",
    'INSERT INTO t VALUES (1)',
    "SELECT set_config('a', 'b', false), 1",
    "SELECT current_setting('server_version_num')::int",
    'SELECT current_setting($1)',
    'SELECT current_setting(name) FROM t',
  ])('%s is the engine’s', (sql) => {
    expect(classifyCommand(sql)).toBeUndefined();
  });

  it.each(['COMMIT AND CHAIN', 'DECLARE c SCROLL CURSOR FOR SELECT 1', 'FETCH PRIOR FROM c', 'SET ROLE bob'])(
    '%s is not supported',
    (sql) => {
      expect(() => classifyCommand(sql)).toThrow(/not supported/);
    },
  );
});

describe('options of COPY', () => {
  const options = (sql: string) => {
    const command = classifyCommand(`COPY t FROM STDIN ${sql}`);
    return command?.kind === 'copy_in' ? command.options : undefined;
  };

  it('are PostgreSQL’s, in both spellings', () => {
    expect(options('')).toMatchObject({ format: 'text', delimiter: '\t', nullText: '\\N', header: false });
    const csv = { format: 'csv', delimiter: ';', nullText: 'x', header: true, quote: "'", escape: "'" };
    expect(options("(FORMAT csv, DELIMITER ';', NULL 'x', HEADER, QUOTE '''')")).toMatchObject(csv);
    expect(options("WITH CSV HEADER DELIMITER AS ';' NULL 'x' QUOTE ''''")).toMatchObject(csv);
    expect(options('(FORMAT csv, HEADER match, FORCE_NULL (a, b), FORCE_NOT_NULL *)')).toMatchObject({
      header: 'match',
      forceNull: ['a', 'b'],
      forceNotNull: '*',
    });
  });

  it.each([
    "(DELIMITER 'ab')",
    "(DELIMITER 'a')",
    "(QUOTE 'x')",
    "(FORMAT csv, QUOTE ',')",
    "(FORMAT binary, DELIMITER ',')",
    '(FORMAT binary, HEADER)',
    '(FORMAT binary, FORCE_NULL (a))',
    "(ENCODING 'latin1')",
    '(NONSENSE 1)',
    '(FORMAT csv',
  ])('do not take %s', (sql) => {
    expect(() => options(sql)).toThrow();
  });
});
