import { expect, test } from 'vitest';
import type { Round, Times } from './measured-rounds.ts';
import { queryCharts, queryLines, repeatedLines } from './suite-lines.ts';

const names = ['Tessera', 'DuckDB', 'ClickHouse'];
const queries = [
  { name: 'q01', sql: '' },
  { name: 'q02', sql: '' },
];
/** Times in which ClickHouse does not answer q02. */
const pass = (factor: number): Times =>
  new Map([
    [
      'q01',
      new Map([
        ['Tessera', 1000 * factor],
        ['DuckDB', 500],
        ['ClickHouse', 4000],
      ]),
    ],
    [
      'q02',
      new Map([
        ['Tessera', 2000 * factor],
        ['DuckDB', 4000],
      ]),
    ],
  ]);
const rounds: Round[] = [1, 1.2, 0.8].map((factor) => ({ times: pass(factor), cpuSeconds: new Map() }));

test('sums cover the queries that a system completed, ratios those that both completed', () => {
  const [first, later, mean, q01, q02] = queryLines(names, queries, pass(1), rounds, {
    laterRuns: { DuckDB: { at: 'most', value: 1.1 } },
  });
  expect(first).toMatchObject({
    what: 'first run, all queries',
    figures: { Tessera: { median: 3 }, DuckDB: { median: 4.5 }, '÷ DuckDB': { median: 3 / 4.5 } },
  });
  expect(later!.figures).toMatchObject({
    Tessera: { median: 3, min: 2.4, max: 3.6, runs: 3 },
    '÷ DuckDB': { target: { at: 'most', value: 1.1 } },
    '÷ ClickHouse': { median: 0.25 },
  });
  expect(later!.figures).not.toHaveProperty('ClickHouse');
  expect(mean!.figures['÷ DuckDB']!.median).toBeCloseTo(1, 9);
  expect(mean!.figures['÷ ClickHouse']!.median).toBeCloseTo(0.25, 9);
  expect(q01!.figures['÷ DuckDB']!.median).toBe(2);
  expect(Object.keys(q02!.figures)).toEqual(['Tessera', 'DuckDB', '÷ DuckDB']);
});

test('charts have a series for each system, and ratios against 1', () => {
  const [times, ratios] = queryCharts(names, queries, rounds);
  expect(times!.series.map(({ name, points }) => [name, points.length])).toEqual([
    ['Tessera', 2],
    ['DuckDB', 2],
    ['ClickHouse', 1],
  ]);
  expect(ratios).toMatchObject({ reference: 1, series: [{ name: '÷ DuckDB', colour: 1 }, { colour: 2 }] });
});

test('repeated runs are compared with what the peers computed', () => {
  const mine = (factor: number): Times =>
    new Map(queries.map(({ name }) => [name, new Map([['Tessera', 100 * factor]])]));
  const repeated = [1, 1, 1].map(mine);
  const [sum, mean] = repeatedLines(names, rounds, repeated, {
    DuckDB: { at: 'most', value: 0.2 },
  });
  expect(sum).toMatchObject({ figures: { Tessera: { median: 0.2 }, '÷ DuckDB': { median: 0.2 / 4.5 } } });
  const expected = Math.sqrt((100 / 500) * (100 / 4000));
  expect(mean!.figures['÷ DuckDB']).toMatchObject({ target: { at: 'most', value: 0.2 } });
  expect(mean!.figures['÷ DuckDB']!.median).toBeCloseTo(expected, 9);
  expect(repeatedLines(names, rounds, [], undefined)).toEqual([]);
});
