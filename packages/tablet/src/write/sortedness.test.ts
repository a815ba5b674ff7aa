import { expect, it } from 'vitest';
import type { KeyValue } from '../header/hybrid-header.ts';
import { tableOf } from '../testing/test-tablets.ts';
import { checkSorted } from './sortedness.ts';

const table = tableOf(
  [
    ['a', 'INTEGER'],
    ['t', 'VARCHAR'],
  ],
  ['a', 't'],
);
const key = (...texts: (string | null)[]): KeyValue[] =>
  texts.map((text) => (text === null ? { kind: 'null' } : { kind: 'value', text }));
const outlines = (...bounds: readonly (readonly [string, string])[]) => [
  {
    id: 1,
    storedName: 'a',
    type: 'INTEGER',
    granules: bounds.map(([min, max]) => ({ offset: 4, bytes: 1, nulls: 0, min, max })),
  },
];

it('unsorted rows are detected by their first keys', () => {
  const check = (...keys: KeyValue[][]) => checkSorted(table, keys, []);
  check();
  check(key('1', 'x'), key('1', 'x'), key('2', 'a'), key('10', 'a'), key(null, 'a'), key(null, null));
  check([...key('1'), { kind: 'prefix', text: 'ab' }], key('1', 'ab'));
  check(key('1', 'abc'), [...key('1'), { kind: 'prefix', text: 'ab' }]);
  expect(() => check(key('2', 'a'), key('1', 'b'))).toThrow('out of order at granule 1');
  expect(() => check(key('1', 'b'), key('2', 'a'), key('2', 'Z'))).toThrow('out of order at granule 2');
  expect(() => check(key(null, 'a'), key('1', 'a'))).toThrow('out of order');
});

it('unsorted rows are detected by the values of the leading column', () => {
  const keys = [key('1', 'x'), key('5', 'x')];
  checkSorted(table, keys, outlines(['1', '5'], ['5', '9']));
  expect(() => checkSorted(table, keys, outlines(['7', '9'], ['5', '6']))).toThrow('out of order');
});
