import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTree, printTree, treeSteps } from './tree-json.ts';

test('64-bit integers and numbers that JSON lacks survive', () => {
  const text =
    '{"a":18446744073709551615,"b":-9223372036854775808,"c":[NaN,Infinity,-Infinity,-0.0,1e+300,0.1],"d":null}';
  expect(parseTree(text)).toEqual({
    a: 18446744073709551615n,
    b: -9223372036854775808n,
    c: [Number.NaN, Infinity, -Infinity, -0, 1e300, 0.1],
    d: null,
  });
  expect(printTree(parseTree(text))).toBe(text);
});

test('every JSON document is parsed as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const expected = JSON.parse(text) as unknown;
      fc.pre(!text.includes('__proto__') && !/\d{16}/.test(text));
      expect(parseTree(text)).toEqual(expected);
      expect(parseTree(printTree(parseTree(text)))).toEqual(expected);
    }),
  );
});

test('a large tree is parsed in many steps', () => {
  const numbers = Array.from({ length: 10_000 }, (_, i) => i);
  expect([...treeSteps(JSON.stringify({ numbers }))].length).toBeGreaterThan(5);
});

test.for(['{', '[1,', '"a', '{"a"}', '1 2', 'nul', ''])('malformed: %s', (text) => {
  expect(() => parseTree(text)).toThrow(expect.objectContaining({ name: 'STATEMENT_FAILED' }));
});
