import { expect, test } from 'vitest';
import { splitStatements } from '../statements/split.ts';
import { STATEMENT_LIMITS } from './statement-size.ts';

const repeated = (count: number, piece: (index: number) => string, separator: string) =>
  Array.from({ length: count }, (_, index) => piece(index)).join(separator);
const { allJoins, columns, insertTokens, joins, setOperations, tokens, valueSubqueries } = STATEMENT_LIMITS;

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
    'levels of subqueries that stand for values',
    valueSubqueries,
    (n: number) => `SELECT ${'(SELECT '.repeat(n)}1${')'.repeat(n)}`,
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

test('an INSERT of many rows is not too complex', () => {
  const rows = (count: number) => `INSERT INTO t VALUES ${repeated(count, (i) => `(${i}, 'x')`, ',')}`;
  expect(splitStatements(rows(tokens))).toHaveLength(1);
  expect(() => splitStatements(rows(insertTokens / 5))).toThrow(`more than ${insertTokens} words`);
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
