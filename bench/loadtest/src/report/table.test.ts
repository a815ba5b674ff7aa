import { expect, test } from 'vitest';
import { figure } from './figure.ts';
import { renderTable, renderTables } from './table.ts';

test('renders medians, spreads and targets in aligned Markdown, and leaves out what a line lacks', () => {
  const lines = [
    {
      what: 'CSV',
      figures: { time: figure('s', [2, 1, 3]), ratio: figure('×', [1.4567], { at: 'most', value: 1.3 }) },
    },
    {
      what: 'Parquet file',
      figures: { time: figure('s', [1234.5]), rows: figure('rows/s', [2e6], { at: 'least', value: 1e6 }) },
    },
  ];
  expect(renderTable(lines).split('\n')).toEqual([
    '|              |        time |          ratio |                           rows |',
    '|--------------|------------:|---------------:|-------------------------------:|',
    '| CSV          | 2 s (1 – 3) | 1.46 × ≤ 1.3 ✗ |                                |',
    '| Parquet file |     1,235 s |                | 2,000,000 rows/s ≥ 1,000,000 ✓ |',
  ]);
});

test('columns of texts follow the figures and are aligned to the left', () => {
  const lines = [
    { what: 'q01', figures: { time: figure('s', [2]) }, texts: { plan: '1 node' } },
    { what: 'q02', figures: {} },
  ];
  expect(renderTable(lines).split('\n')).toEqual([
    '|     | time | plan   |',
    '|-----|-----:|--------|',
    '| q01 |  2 s | 1 node |',
    '| q02 |      |        |',
  ]);
});

test('lines without a column in common stand in tables of their own', () => {
  const line = (what: string, ...titles: readonly string[]) => ({
    what,
    figures: Object.fromEntries(titles.map((title) => [title, figure('s', [1])])),
  });
  const text = renderTables([line('a', 'x'), line('b', 'x', 'y'), line('c', 'y'), line('d', 'z')]);
  expect(text.split('\n\n').map((table) => table.split('\n').length)).toEqual([5, 3]);
});
