import { describe, expect, test } from 'vitest';
import type { InsertStatement } from '../statements/catalog-statement.ts';
import { classifyStatement } from '../statements/classify.ts';
import { splitStatements } from '../statements/split.ts';
import { STATEMENT_LIMITS } from './statement-size.ts';

const repeated = (count: number, piece: (index: number) => string, separator: string) =>
  Array.from({ length: count }, (_, index) => piece(index)).join(separator);
const {
  allJoins,
  columns,
  conditions,
  ctes,
  insertTokens,
  joins,
  repeatedTokens,
  setOperations,
  tokens,
  valueSubqueries,
} = STATEMENT_LIMITS;

type Case = [what: string, limit: number, statement: (size: number) => string];

test.each<Case>([
  ['columns', columns, (n: number) => `SELECT ${repeated(n, String, ',')}`],
  ['columns', columns, (n: number) => `SELECT (SELECT ${repeated(n, (i) => `f(${i}, 1)`, ',')} FROM t), 1`],
  ...[
    (n: number) => `SELECT 1 FROM t ${repeated(n, (i) => `JOIN t${i} USING (a)`, ' ')}`,
    (n: number) => `SELECT 1, 2 FROM t, ${repeated(n, (i) => `t${i} AS x`, ',')} WHERE a IN (1, 2)`,
    (n: number) =>
      `SELECT 1 FROM (SELECT 1 FROM a, b) t ${repeated(n - 1, (i) => `JOIN t${i} USING (a)`, ' ')}`,
  ].map((statement): Case => ['joins in a query', joins, statement]),
  ['joins', allJoins, (n: number) => `SELECT 1${repeated(n, () => ' FROM a, b', ' UNION SELECT 1')}`],
  ['set operations', setOperations, (n: number) => repeated(n + 1, String, ' UNION ALL SELECT ')],
  [
    'conditions joined with AND or OR',
    conditions,
    (n: number) =>
      `SELECT 1 FROM t WHERE (a AND b)${repeated(n + 1, (i) => (i === 0 ? '' : `a <> ${i}`), ' OR ')}`,
  ],
  [
    'levels of subqueries that stand for values',
    valueSubqueries,
    (n: number) => `SELECT ${'(SELECT '.repeat(n)}1${')'.repeat(n)}`,
  ],
  [
    'names in WITH clauses',
    ctes,
    (n: number) => `WITH ${repeated(n, (i) => `t${i} AS ((SELECT 1))`, ',')} SELECT 1`,
  ],
  [
    'words, names, literals and symbols that CASE repeats',
    repeatedTokens,
    (n: number) =>
      `SELECT CASE - ${repeated(50, () => 'a', '+')}${' WHEN 1 THEN 2'.repeat(Math.ceil(n / 100) + 1)} END`,
  ],
  ['words, names, literals and symbols', tokens, (n: number) => `SELECT ${'- '.repeat(n - 2)}1`],
])('more %s than %i are refused, as many are not', (what, limit, statement) => {
  expect(splitStatements(`SELECT 1; ${statement(limit)}`)).toHaveLength(2);
  expect(() => splitStatements(`SELECT 1; ${statement(limit + 1)}`)).toThrow(
    expect.objectContaining({
      name: 'STATEMENT_TOO_COMPLEX',
      message: expect.stringContaining(`more than ${limit} ${what}`),
    }),
  );
});

test('operands of CASE are counted as often as the parser repeats them', () => {
  const branches = ' WHEN 1 THEN 2 WHEN 2 THEN 3 WHEN 3 THEN 4 WHEN 4 THEN 5 END';
  const nested = (depth: number) => `SELECT ${'CASE '.repeat(depth)}x${branches.repeat(depth)}`;
  expect(splitStatements(nested(3))).toHaveLength(1);
  expect(() => splitStatements(nested(9))).toThrow('symbols that CASE repeats');
  expect(splitStatements(`SELECT ${repeated(2_000, () => `CASE x${branches}`, ',')}`)).toHaveLength(1);
});

test('an INSERT of many rows is not too complex', () => {
  const rows = (count: number) => `INSERT INTO t VALUES ${repeated(count, (i) => `(${i}, 'x')`, ',')}`;
  expect(splitStatements(rows(tokens))).toHaveLength(1);
  expect(() => splitStatements(rows(insertTokens / 5))).toThrow(`more than ${insertTokens} words`);
});

test.each([
  ['columns', () => `SELECT ${repeated(columns + 1, String, ',')}`],
  ['conditions', () => `SELECT 1 WHERE ${repeated(conditions + 2, String, ' AND ')}`],
  ['set operations', () => repeated(setOperations + 2, (i) => `SELECT ${i}`, ' UNION ALL ')],
  ['levels', () => `SELECT ${'(SELECT '.repeat(valueSubqueries + 1)}1${')'.repeat(valueSubqueries + 1)}`],
])('an INSERT with too many %s is refused before the rest of it is read', (_, query) => {
  // Reading would find the end of the text first, where a quote is missing.
  const text = `INSERT INTO t ${query()} WHERE '`;
  expect(() => splitStatements(text)).toThrow(expect.objectContaining({ name: 'STATEMENT_TOO_COMPLEX' }));
});

describe('parameters of an INSERT', () => {
  const { parameters } = STATEMENT_LIMITS;
  const rows = (count: number, row: (number: number) => string) =>
    `INSERT INTO t VALUES ${repeated(count, (i) => row(i + 1), ',')}`;

  test.each([
    ['numbers', (n: number) => `($${n})`],
    ['names', (n: number) => `($p${n})`],
    ['numbers that occur twice', (n: number) => `($${n}, $${n})`],
    ['numbers beside dollars in texts and comments', (n: number) => `($${n}, '$${n}1', $$1$$) -- $${n}2\n`],
  ])('are refused beyond the limit: %s', (_, row) => {
    expect(splitStatements(rows(parameters, row))).toHaveLength(1);
    const text = `SELECT 1;\n${rows(parameters + 1, row)}`;
    expect(() => splitStatements(text)).toThrow(
      expect.objectContaining({
        name: 'STATEMENT_TOO_COMPLEX',
        message: `The statement has more than ${parameters} parameters`,
      }),
    );
  });

  test('are counted for each statement', () => {
    const text = Array.from({ length: 3 }, () => rows(30_000, (n) => `($${n})`)).join(';');
    expect(splitStatements(text)).toHaveLength(3);
  });

  test('are counted before the statement is read', () => {
    // Reading would find the end of the text first, where a quote is missing.
    const text = `${rows(parameters + 1, (n) => `($${n})`)}, ('`;
    const startColumn = text.indexOf(`$${parameters + 1}`) + 1;
    expect(() => splitStatements(text)).toThrow(
      expect.objectContaining({
        name: 'STATEMENT_TOO_COMPLEX',
        location: { line: 1, startColumn, endColumn: startColumn + String(parameters).length },
      }),
    );
  });
});

test('the columns of an INSERT are read in linear time, however many are named', () => {
  const names = repeated(100_000, (i) => `c${i}`, ',');
  const statement = classifyStatement(`INSERT INTO t (${names}) VALUES (1)`);
  expect(() => classifyStatement(`INSERT INTO t (${names}, c7) VALUES (1)`)).toThrow('"c7" is listed twice');
  // It takes longer than a test may where each name is compared with all others, or its place counted from the start.
  const { columns: named, columnLocations } = statement as InsertStatement;
  expect(named).toHaveLength(100_000);
  const startColumn = names.length + 10;
  expect(columnLocations[99_999]).toEqual({ line: 1, startColumn, endColumn: startColumn + 5 });
});

test('commas beside FROM are no joins', () => {
  const list = repeated(joins + 1, String, ', ');
  for (const text of [
    `SELECT a IS DISTINCT FROM ${list}`,
    `SELECT a FROM t GROUP BY ${list} ORDER BY ${list}`,
    `SELECT a FROM f(${list}) AS t WHERE a IN (${list})`,
    `WITH ${repeated(9, (i) => `t${i} AS (SELECT 1 FROM ${list.slice(0, 60)} GROUP BY 1)`, ', ')} SELECT 1`,
    `WITH ${repeated(joins + 1, (i) => `t${i} AS (SELECT 1)`, ', ')} SELECT 1`,
  ]) {
    expect(splitStatements(text)).toHaveLength(1);
  }
});

test('commas beside SELECT lists are no columns', () => {
  const list = repeated(columns + 1, String, ',');
  for (const text of [
    `SELECT 1 WHERE 1 IN (${list})`,
    `SELECT a FROM t ORDER BY ${list}`,
    `VALUES (${list})`,
  ]) {
    expect(splitStatements(text)).toHaveLength(1);
  }
});

test('a megabyte of tokens is refused before it is read', () => {
  const text = `SELECT ${'1,'.repeat(4_000_000)}1`;
  const startedAt = process.cpuUsage().user;
  expect(() => splitStatements(text)).toThrow('The statement has more than');
  expect(process.cpuUsage().user - startedAt).toBeLessThan(1_000_000);
});
