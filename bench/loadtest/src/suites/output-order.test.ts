import { expect, test } from 'vitest';
import { outputOrder } from './output-order.ts';

test.for([
  ['SELECT a, b FROM t', [], false],
  ['SELECT a, b FROM t ORDER BY b DESC, a', [1, 0], false],
  ['SELECT a, b FROM t ORDER BY t.b NULLS FIRST LIMIT 10', [1], true],
  ['SELECT a, b FROM t order by 2 offset 3', [1], false],
  ['SELECT a, b FROM t ORDER BY a, length(b), b', [0], false],
  ['SELECT a, rank() OVER (ORDER BY a) AS b FROM t', [], false],
  ["SELECT a, b FROM (SELECT * FROM t ORDER BY a LIMIT 3) AS s WHERE b <> 'ORDER BY b'", [], false],
  ['SELECT a, b FROM t -- ORDER BY a\nFETCH FIRST 3 ROWS ONLY', [], true],
] as const)('%s', ([sql, columns, hasLimit]) => {
  expect(outputOrder(sql, ['a', 'b'])).toEqual({ columns, hasLimit });
});
