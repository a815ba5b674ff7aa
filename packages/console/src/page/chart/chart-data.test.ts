import { expect, test } from 'vitest';
import type { RowsAnswer } from '../engine/answer.ts';
import { chartData, suggestedChart } from './chart-data.ts';

function answerOf(
  types: Readonly<Record<string, string>>,
  rows: readonly (readonly unknown[])[],
): RowsAnswer {
  const columns = Object.entries(types).map(([name, type]) => ({ name, type }));
  return { kind: 'rows', columns, rows, statistics: {}, notices: [] };
}

test.each([
  [
    { day: 'date', amount: 'double precision' },
    { kind: 'line', x: 0, y: [1] },
  ],
  [
    { shop: 'text', amount: 'bigint' },
    { kind: 'bar', x: 0, y: [1] },
  ],
  [{ amount: 'integer' }, { kind: 'histogram', x: 0, y: [0] }],
  [
    { a: 'integer', b: 'numeric(10, 2)', c: 'text' },
    { kind: 'line', x: 0, y: [1] },
  ],
  [{ name: 'text' }, undefined],
])('columns %j suggest %j', (types, choice) => {
  expect(suggestedChart(answerOf(types as Record<string, string>, []))).toEqual(choice);
});

test('points are in the order of the axis; what is no number is a gap', () => {
  const rows = [
    ['2026-01-02', '5'],
    ['2026-01-01', 'nan'],
    [null, '7'],
  ];
  const data = chartData(answerOf({ day: 'date', n: 'bigint' }, rows), { kind: 'line', x: 0, y: [1] });
  expect(data.series).toEqual([{ name: 'n', values: [null, 5] }]);
  expect(data.x[1]! - data.x[0]!).toBe(86_400);
  expect(data.axis).toBe('time');
});

test('bars have a category for every value', () => {
  const rows = [
    ['b', 1],
    ['a', 2],
    [null, 3],
  ];
  const data = chartData(answerOf({ s: 'text null', n: 'integer' }, rows), { kind: 'bar', x: 0, y: [1] });
  expect(data).toMatchObject({ x: [0, 1, 2], categories: ['b', 'a', 'NULL'], axis: 'category' });
});

test('a histogram counts values in bins between the least and the greatest', () => {
  const rows = Array.from({ length: 301 }, (_, i) => [i]);
  const data = chartData(answerOf({ n: 'integer' }, [...rows, [null]]), { kind: 'histogram', x: 0, y: [0] });
  expect(data.x).toHaveLength(30);
  expect(data.series[0]?.values.reduce((sum, n) => (sum ?? 0) + (n ?? 0), 0)).toBe(301);
  const same = chartData(answerOf({ n: 'integer' }, [[4], [4]]), { kind: 'histogram', x: 0, y: [0] });
  expect(same.series[0]?.values).toEqual([2]);
});
