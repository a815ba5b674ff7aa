import { expect, test } from 'vitest';
import { detailText } from './operator-words.ts';

test.each([
  ["tsr_date_trunc('week', sales.day) ASC", "date_trunc('week', sales.day) ASC"],
  ['count_star()', 'count(*)'],
  ['sum_no_overflow(a)', 'sum(a)'],
  ['a>1; optional: Dynamic Filter (b)', 'a>1; dynamic filter (b)'],
  ['__internal_compress_integral_utinyint(#0, 1)', '#0'],
  ['sum(sales.tsr_amount)', 'sum(sales.tsr_amount)'],
  [`"~~"(s, 'na_e1%')`, "(s LIKE 'na_e1%')"],
  [`"!~~*"(lower(s), 'a''(,%')`, "(lower(s) NOT ILIKE 'a''(,%')"],
  [`"~~"(concat(lower(s), 'x'), 'a%')`, `"~~"(concat(lower(s), 'x'), 'a%')`],
  [`("substring"(s, 2, 3) = 'ame')`, "(substring(s, 2, 3) = 'ame')"],
  [
    `CASE  WHEN ((#1 > 1)) THEN ("error"('More than one row returned by a subquery used as an expression - scalar subqueries can only return a single row.\n\nUse "SET scalar_subquery_error_on_multiple_rows=false" to revert to previous behavior of returning a random row.')) ELSE "first"(#0) END`,
    'first(#0) (an error if there are several rows)',
  ],
])('the text %s of the kernel is shown as %s', (text, shown) => {
  expect(detailText(text)).toBe(shown);
});
