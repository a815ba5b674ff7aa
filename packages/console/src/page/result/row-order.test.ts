import { expect, test } from 'vitest';
import { rowOrder } from './row-order.ts';

const order = (values: unknown[], type: string, descending = false) =>
  [
    ...rowOrder(
      values.map((value) => [value]),
      [type],
      '',
      { column: 0, descending },
    ),
  ].map((at) => values[at]);

test('numbers are sorted as numbers, also where they are texts, with NULL last', () => {
  expect(order([10, 9, null, -1], 'integer')).toEqual([-1, 9, 10, null]);
  expect(order([10, 9, null, -1], 'integer', true)).toEqual([10, 9, -1, null]);
  expect(order(['9007199254740993', '9007199254740992', '5'], 'bigint')).toEqual([
    '5',
    '9007199254740992',
    '9007199254740993',
  ]);
  expect(order(['inf', '-inf', 0.5], 'double precision')).toEqual(['-inf', 0.5, 'inf']);
});

test('texts are sorted as texts, and equal rows keep their order', () => {
  expect(order(['b', 'a10', 'a9'], 'text')).toEqual(['a10', 'a9', 'b']);
  const rows = [
    [1, 'x'],
    [1, 'y'],
    [0, 'z'],
  ];
  expect([...rowOrder(rows, ['integer', 'text'], '', { column: 0, descending: true })]).toEqual([0, 1, 2]);
});

test('the filter looks into every column, in any letter case', () => {
  const rows = [
    ['Berlin', null],
    ['Paris', { mayor: 'ber' }],
    ['Rome', 7],
  ];
  const types = ['text', 'json null'];
  expect([...rowOrder(rows, types, 'BER', undefined)]).toEqual([0, 1]);
  expect([...rowOrder(rows, types, 'null', undefined)]).toEqual([0]);
  expect([...rowOrder(rows, types, 'nothing', undefined)]).toEqual([]);
});
