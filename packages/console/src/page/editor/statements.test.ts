import { expect, test } from 'vitest';
import { statementsAt, statementsIn, withPlaces } from './statements.ts';

const texts = (sql: string) => statementsIn(sql).map((statement) => statement.sql);

test.each([
  ['SELECT 1', ['SELECT 1']],
  ['SELECT 1;\n\nSELECT 2;', ['SELECT 1', 'SELECT 2']],
  ['SELECT \';\' AS a, ";" FROM t; SELECT 2', ['SELECT \';\' AS a, ";" FROM t', 'SELECT 2']],
  ["SELECT 'it''s; so'; SELECT 2", ["SELECT 'it''s; so'", 'SELECT 2']],
  ['SELECT $$a;b$$; SELECT 2', ['SELECT $$a;b$$', 'SELECT 2']],
  [
    'SELECT 1 -- not; here\n; SELECT /* nor; here */ 2',
    ['SELECT 1 -- not; here', 'SELECT /* nor; here */ 2'],
  ],
  ['-- only a comment', []],
  [';;', []],
  ['', []],
])('%j has the statements %j', (sql, statements) => {
  expect(texts(sql)).toEqual(statements);
});

test('a statement has the position of its first character', () => {
  const sql = '-- first\nSELECT 1;\n  SELECT 2';
  for (const { sql: text, from } of statementsIn(sql)) expect(sql.slice(from)).toMatch(text);
  expect(statementsIn(sql).map(({ from }) => from)).toEqual([9, 21]);
});

test.each([
  ['in the first', 3, 3, ['SELECT 1']],
  ['after its semicolon', 9, 9, ['SELECT 1']],
  ['in the second', 14, 14, ['SELECT 2']],
  ['at the end', 30, 30, ['SELECT 3']],
  ['a selection of two', 11, 30, ['SELECT 2', 'SELECT 3']],
  ['a selection inside one', 11, 17, ['SELECT']],
])('the statements at the cursor: %s', (_, from, to, statements) => {
  const sql = 'SELECT 1;\n\nSELECT 2;\nSELECT 3';
  expect(statementsAt(sql, from, to).map((statement) => statement.sql)).toEqual(statements);
});

test('the place of a statement counts lines and characters of the whole text', () => {
  const text = "SELECT 1;\n\nSELECT '😀'; SELECT 3";
  expect(withPlaces(text, statementsIn(text)).map(({ place }) => place)).toEqual([
    { lines: 0, characters: 0 },
    { lines: 2, characters: 0 },
    { lines: 2, characters: 12 },
  ]);
});
