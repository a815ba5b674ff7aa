import { expect, test } from 'vitest';
import { detailText } from './operator-words.ts';

test.each([
  ["tsr_date_trunc('week', sales.day) ASC", "date_trunc('week', sales.day) ASC"],
  ['count_star()', 'count(*)'],
  ['sum_no_overflow(a)', 'sum(a)'],
  ['a>1; optional: Dynamic Filter (b)', 'a>1; dynamic filter (b)'],
  ['__internal_compress_integral_utinyint(#0, 1)', '#0'],
  ['sum(sales.tsr_amount)', 'sum(sales.tsr_amount)'],
])('the text %s of the kernel is shown as %s', (text, shown) => {
  expect(detailText(text)).toBe(shown);
});
