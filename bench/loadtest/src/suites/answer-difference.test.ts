import { expect, test } from 'vitest';
import { answerDifference } from './answer-difference.ts';

type Rows = readonly (readonly (string | undefined)[])[];

const between = (sql: string, expected: Rows, found: Rows, fewDigits = false) =>
  answerDifference(sql, ['a', 'b'], { values: expected }, { values: found, fewDigits });

test.for([
  [
    'rows in any order',
    'SELECT a, b FROM t',
    [
      ['1', 'x'],
      ['2', 'y'],
    ],
    [
      ['2', 'y'],
      ['1', 'x'],
    ],
  ],
  ['doubles at 1e-6 of their size', 'SELECT a', [['1000000.1']], [['1000000.9']]],
  ['decimals of another scale', 'SELECT a', [['1.50']], [['1.5']]],
  ['padding and midnight', 'SELECT a', [['A', '2020-01-01']], [['A  ', '2020-01-01 00:00:00.000']]],
  ['truth', 'SELECT a', [['t', 'f']], [['true', 'false']]],
  ['nothing', 'SELECT a', [[undefined]], [[undefined]]],
  ['what ties at a limit', 'SELECT a, b FROM t ORDER BY a LIMIT 1', [['1', 'x']], [['1', 'y']]],
  ['any rows of a limit without an order', 'SELECT a FROM t LIMIT 1', [['1']], [['9']]],
] as const)('accepts as equal: %s', ([, sql, expected, found]) => {
  expect(between(sql, expected, found)).toBeUndefined();
});

test.for([
  ['a number of rows', 'SELECT a', [['1']], [['1'], ['1']], '1 rows, and 2'],
  ['a value', 'SELECT a', [['1', 'x']], [['1', 'y']], 'row 1: (1, x) and (1, y)'],
  ['nothing and emptiness', 'SELECT a', [[undefined]], [['']], 'row 1: (NULL) and ()'],
  ['a rounded decimal', 'SELECT a', [['0.0344']], [['0.0343']], 'row 1: (0.0344) and (0.0343)'],
  ['an order', 'SELECT a FROM t ORDER BY a', [['1'], ['2']], [['2'], ['1']], 'order of row 1: (1) and (2)'],
  [
    'an order before a limit',
    'SELECT a, b FROM t ORDER BY a LIMIT 2',
    [['1', 'x']],
    [['2', 'x']],
    'row 1: (1, x) and (2, x)',
  ],
  [
    'times',
    'SELECT a',
    [['2020-01-01']],
    [['2020-01-01 00:00:01']],
    'row 1: (2020-01-01) and (2020-01-01 00:00:01)',
  ],
] as const)('tells apart: %s', ([, sql, expected, found, difference]) => {
  expect(between(sql, expected, found)).toBe(difference);
});

test('quotients of few digits are compared in the digits that they have', () => {
  expect(between('SELECT a', [['0.03443']], [['0.0344']], true)).toBeUndefined();
  expect(between('SELECT a', [['0.03443']], [['0.0346']], true)).toBe('row 1: (0.03443) and (0.0346)');
  expect(between('SELECT a', [['12']], [['13']], true)).toBe('row 1: (12) and (13)');
});
