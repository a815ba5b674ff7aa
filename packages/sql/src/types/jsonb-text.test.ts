import { expect, it } from 'vitest';
import { jsonbText } from './jsonb-text.ts';

it.each([
  ['{ "b" : 1, "aa": [ true , null ], "a": "x", "b": 2 }', '{"a":"x","b":2,"aa":[true,null]}'],
  [String.raw`"\u0041\/\u001f\t\"é"`, String.raw`"A/\u001F\t\"é"`],
  [
    '[1.10, 1e2, -0, -0.5, 12345678901234567890, 1E20]',
    '[1.10,100,0,-0.5,12345678901234567890,100000000000000000000]',
  ],
  ['[1.5e3, 1e-5, 1.50e1, -0.0, 12.345e-1]', '[1500,0.00001,15.0,0.0,1.2345]'],
  [' [] ', '[]'],
  ['{"é": 1, "zz": 2, "z": 3}', '{"z":3,"zz":2,"é":1}'],
  ['{"😀": 1, "\uffeea": 2}', '{"\uffeea":2,"😀":1}'],
])('%s → %s', (text, stored) => {
  expect(jsonbText(text)).toBe(stored);
  expect(jsonbText(stored)).toBe(stored);
});

it.each([
  '',
  '{',
  '[1,]',
  '{"a":1,}',
  '{a:1}',
  "'a'",
  '01',
  '1.',
  '[NaN]',
  'nul',
  '[] x',
  '"\u0001"',
  '"\\x"',
])('%s is refused', (text) => {
  expect(() => jsonbText(text)).toThrow(/invalid input syntax for type json/);
});

it.each([String.raw`"\u0000"`, String.raw`"\ud800"`])('%s has no text', (text) => {
  expect(() => jsonbText(text)).toThrow(/unsupported Unicode escape sequence/);
});

it('deep documents are refused before the stack ends', () => {
  expect(jsonbText(`${'['.repeat(400)}${']'.repeat(400)}`)).toHaveLength(800);
  expect(() => jsonbText('['.repeat(100_000))).toThrow(/invalid input syntax/);
});

it('a document may have a string of any length, and an error shows only the beginning', () => {
  const text = JSON.stringify('x'.repeat(20_000_000));
  expect(jsonbText(text) === text).toBe(true);
  expect(() => jsonbText(`${text}]`)).toThrow(/^invalid input syntax for type json: .{200,300}$/);
});
