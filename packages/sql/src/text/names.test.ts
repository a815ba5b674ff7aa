import { expect, test } from 'vitest';
import { namesIn, normalizedSql, quoteIdentifier } from './names.ts';

test.for([
  ['a_1', 'a_1'],
  ['A', '"A"'],
  ['1a', '"1a"'],
  ['select', '"select"'],
  ['a"b', '"a""b"'],
  ['', '""'],
])('%s as a name is %s', ([name, written]) => {
  expect(quoteIdentifier(name!)).toBe(written);
});

test.for([
  [
    "SELECT  A , 'x' /* c */ FROM\n T WHERE b = 1.5e3 AND c IN (1, 2)",
    'select a, ? from t where b = ? and c in (?, ?)',
  ],
  ["INSERT INTO d.T VALUES (1, TRUE, X'ab', $$q$$)", 'insert into d.t values (?, ?, ?, ?)'],
  ["SELECT '1'::int, a[1], count( * )", 'select ?::int, a [?], count (*)'],
  ["SELECT 'open", "SELECT 'open"],
])('%s is of the kind %s', ([sql, normalized]) => {
  expect(normalizedSql(sql!)).toBe(normalized);
});

test('names in an expression', () => {
  expect(namesIn('date_trunc(\'x y\', "Ab") + C')).toEqual(['date_trunc', 'Ab', 'c']);
});
