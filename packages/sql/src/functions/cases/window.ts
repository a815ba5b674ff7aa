import { type Cases, error } from './case.ts';

const rows = (call: string, over: string): string =>
  `SELECT list(w ORDER BY x) FROM (SELECT x, ${call} OVER (${over}) AS w FROM (VALUES (1, 'a', 5), (2, 'a', NULL), (3, 'b', 7), (4, 'b', 7)) t(x, g, y)) q`;

export const WINDOW_CASES: Cases = {
  avg: [[rows('avg(y)', 'PARTITION BY g'), '[5.0, 5.0, 7.0, 7.0]']],
  count: [
    [rows('count(*)', 'PARTITION BY g ORDER BY x'), '[1, 2, 1, 2]'],
    [rows('count(y)', ''), '[3, 3, 3, 3]'],
  ],
  dense_rank: [[rows('dense_rank()', 'ORDER BY y'), '[1, 3, 2, 2]']],
  rank: [[rows('rank()', 'ORDER BY y DESC'), '[4, 1, 2, 2]']],
  first_value: [
    [rows('first_value(y)', 'PARTITION BY g ORDER BY x DESC'), '[NULL, NULL, 7, 7]'],
    [rows('first_value(y IGNORE NULLS)', 'PARTITION BY g ORDER BY x DESC'), '[5, NULL, 7, 7]'],
  ],
  last_value: [
    [
      rows('last_value(x)', 'ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING'),
      '[4, 4, 4, 4]',
    ],
  ],
  lag: [
    [rows('lag(y)', 'ORDER BY x'), '[NULL, 5, NULL, 7]'],
    [rows('lag(y, 2, -1)', 'PARTITION BY g ORDER BY x'), '[-1, -1, -1, -1]'],
  ],
  lead: [[rows('lead(y, 1, 0)', 'ORDER BY x'), '[NULL, 7, 7, 0]']],
  max: [[rows('max(y)', 'ORDER BY x ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING'), '[5, 7, 7, 7]']],
  min: [[rows('min(y)', 'ORDER BY x'), '[5, 5, 5, 5]']],
  nth_value: [[rows('nth_value(x, 3)', 'ORDER BY x'), '[NULL, NULL, 3, 3]']],
  ntile: [[rows('ntile(3)', 'ORDER BY x'), '[1, 1, 2, 3]']],
  percent_rank: [[rows('percent_rank()', 'PARTITION BY g ORDER BY x'), '[0.0, 1.0, 0.0, 1.0]']],
  cume_dist: [[rows('cume_dist()', 'PARTITION BY g ORDER BY x'), '[0.5, 1.0, 0.5, 1.0]']],
  row_number: [[rows('row_number()', 'PARTITION BY g ORDER BY x DESC'), '[2, 1, 2, 1]']],
  sum: [
    [rows('sum(x)', 'ORDER BY x ROWS 1 PRECEDING'), '[1, 3, 5, 7]'],
    [rows('sum(y)', 'PARTITION BY g'), '[5, 5, 14, 14]'],
  ],
  'no window function': [
    [rows('array_sort([x])', 'ORDER BY x'), error('array_sort is not a window function')],
  ],
};
