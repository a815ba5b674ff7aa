import { type Definition, inCategory, KERNEL } from './types.ts';

const over = (call: string, frame: string): string =>
  `SELECT list(w ORDER BY x) FROM (SELECT x, ${call} OVER (${frame}) AS w FROM (VALUES (1, 10), (2, 20), (3, 20), (4, NULL)) t(x, y)) q`;

const windowFunction = (
  signature: string,
  description: string,
  call: string,
  result: string,
  frame = 'ORDER BY x',
): Definition => ({
  name: signature.slice(0, signature.indexOf('(')),
  signatures: [signature],
  description,
  example: over(call, frame),
  result,
  implementation: KERNEL,
});

const WINDOW: readonly Definition[] = [
  windowFunction(
    'avg(numeric) OVER (…) → double precision',
    'The mean over the frame.',
    'avg(y)',
    '[10.0, 15.0, 16.666666666666668, 16.666666666666668]',
  ),
  windowFunction(
    'count(any) OVER (…) → bigint',
    'The number of values in the frame.',
    'count(y)',
    '[1, 2, 3, 3]',
  ),
  windowFunction(
    'cume_dist() OVER (…) → double precision',
    'The share of rows up to this one and its peers.',
    'cume_dist()',
    '[0.25, 0.75, 0.75, 1.0]',
    'ORDER BY y NULLS LAST',
  ),
  windowFunction(
    'dense_rank() OVER (…) → bigint',
    'The rank, without gaps.',
    'dense_rank()',
    '[1, 2, 2, 3]',
    'ORDER BY y NULLS LAST',
  ),
  windowFunction(
    'first_value(T) OVER (…) → T',
    'The value of the first row of the frame.',
    'first_value(y)',
    '[10, 10, 10, 10]',
  ),
  windowFunction(
    'lag(T [, integer [, T]]) OVER (…) → T',
    'The value some rows before (default 1).',
    'lag(x, 1, 0)',
    '[0, 1, 2, 3]',
  ),
  windowFunction(
    'last_value(T) OVER (…) → T',
    'The value of the last row of the frame.',
    'last_value(x)',
    '[1, 2, 3, 4]',
  ),
  windowFunction(
    'lead(T [, integer [, T]]) OVER (…) → T',
    'The value some rows after (default 1).',
    'lead(x, 2)',
    '[3, 4, NULL, NULL]',
  ),
  windowFunction('max(T) OVER (…) → T', 'The largest value in the frame.', 'max(y)', '[10, 20, 20, 20]'),
  windowFunction('min(T) OVER (…) → T', 'The smallest value in the frame.', 'min(y)', '[10, 10, 10, 10]'),
  windowFunction(
    'nth_value(T, integer) OVER (…) → T',
    'The value of the n-th row of the frame.',
    'nth_value(x, 2)',
    '[NULL, 2, 2, 2]',
  ),
  windowFunction(
    'ntile(integer) OVER (…) → bigint',
    'The number of the row’s part, from 1, when the rows are divided into the given number of even parts.',
    'ntile(2)',
    '[1, 1, 2, 2]',
  ),
  windowFunction(
    'percent_rank() OVER (…) → double precision',
    'The rank as a share of the rows.',
    'percent_rank()',
    '[0.0, 0.3333333333333333, 0.3333333333333333, 1.0]',
    'ORDER BY y NULLS LAST',
  ),
  windowFunction(
    'rank() OVER (…) → bigint',
    'The rank, with gaps after peers.',
    'rank()',
    '[1, 2, 2, 4]',
    'ORDER BY y NULLS LAST',
  ),
  windowFunction(
    'row_number() OVER (…) → bigint',
    'The number of the row.',
    'row_number()',
    '[4, 3, 2, 1]',
    'ORDER BY x DESC',
  ),
  windowFunction(
    'sum(numeric) OVER (…) → numeric',
    'The sum over the frame.',
    'sum(y)',
    '[10, 30, 40, 20]',
    'ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT ROW',
  ),
];

export const WINDOW_FUNCTIONS = inCategory('window', WINDOW);
