import { expect, test } from 'vitest';
import { locateError } from './locate-error.ts';

test('the same token, the same occurrence', () => {
  const original = 'SELECT a,\n  "B", a + nosuch\nFROM t';
  const ran = 'SELECT a, "B", (a + nosuch) AS "?column?" FROM t';
  expect(locateError(original, ran, ran.indexOf('nosuch'))).toEqual({
    line: 2,
    startColumn: 12,
    endColumn: 17,
  });
  expect(locateError(original, ran, ran.indexOf('a +'))).toMatchObject({ line: 2, startColumn: 8 });
});

test('names in other letters or quotes are the same', () => {
  expect(locateError('SELECT Foo', 'SELECT "foo" AS x', 7)).toMatchObject({ startColumn: 8, endColumn: 10 });
});

test('a token that the user did not write has no place', () => {
  expect(locateError('SELECT 1', 'SELECT tsr_x(1)', 7)).toBeUndefined();
  expect(locateError('SELECT 1', 'SELECT 1', 100)).toBeUndefined();
  expect(locateError("SELECT '", "SELECT '", 0)).toBeUndefined();
});
