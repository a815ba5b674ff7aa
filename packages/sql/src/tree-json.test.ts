import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_LOCATION, parseTree, printTree, treeSteps } from './tree-json.ts';

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

test('members that are not set are -1, and printed as the kernel writes them', () => {
  const text =
    '{"query_location":18446744073709551615,"value":"\\"query_location\\":18446744073709551615","number":18446744073709551615}';
  const tree = {
    query_location: NO_LOCATION,
    value: '"query_location":18446744073709551615',
    number: 2n ** 64n - 1n,
  };
  expect(parseTree(text)).toEqual(tree);
  expect(printTree(tree)).toBe(text);
  const withoutLarge = text
    .replace(/,"number".*/, '}')
    .replace(/"value":.*/, '"ordinality_idx":18446744073709551615}');
  expect(parseTree(withoutLarge)).toEqual({ query_location: NO_LOCATION, ordinality_idx: -1 });
});

test.each(['[1,NaN]', '[1,-inf,2]', '{"a":Infinity}', '[12345678901234567890]', '[9007199254740993]'])(
  '%s is read exactly although JSON.parse cannot',
  (text) => {
    expect(printTree(parseTree(text))).toBe(text.replace('inf', 'Infinity'));
  },
);

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
  const numbers = Array.from({ length: 60_000 }, (_, i) => i);
  expect([...treeSteps(JSON.stringify({ numbers }))].length).toBeGreaterThan(5);
});

test.for(['{', '[1,', '"a', '{"a"}', '1 2', 'nul', ''])('malformed: %s', (text) => {
  expect(() => parseTree(text)).toThrow(expect.objectContaining({ name: 'STATEMENT_FAILED' }));
});
