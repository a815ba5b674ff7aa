import { expect, test } from 'vitest';
import { namesIn, quoteIdentifier } from './names.ts';

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

test('names in an expression', () => {
  expect(namesIn('date_trunc(\'x y\', "Ab") + C')).toEqual(['date_trunc', 'Ab', 'c']);
});
