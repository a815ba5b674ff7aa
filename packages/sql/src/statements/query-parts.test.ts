import { expect, test } from 'vitest';
import { queryParts, withParts } from './query-parts.ts';

test.each<[string, readonly string[]]>([
  [
    'WITH d AS (SELECT a, sum(b) AS s FROM t GROUP BY a) SELECT * FROM d WHERE s > 1',
    ['SELECT a, sum(b) AS s FROM t GROUP BY a'],
  ],
  [
    'WITH d (x) AS NOT MATERIALIZED (SELECT a FROM t), e AS (SELECT x FROM d) SELECT * FROM e',
    ['SELECT a FROM t'],
  ],
  ['SELECT * FROM (SELECT a FROM (SELECT b AS a FROM t) u) v', ['SELECT a FROM (SELECT b AS a FROM t) u']],
  ['WITH d AS (SELECT 1) SELECT * FROM (SELECT x FROM "d", (SELECT y FROM t) u) v', ['SELECT y FROM t']],
  [
    'SELECT * FROM t WHERE a IN (SELECT a FROM u) AND b > (SELECT max(b) FROM w)',
    ['SELECT a FROM u', 'SELECT max(b) FROM w'],
  ],
  ['SELECT * FROM t, LATERAL (SELECT b FROM u) x', []],
  ['SELECT * FROM (SELECT b FROM u WHERE c = $1) x', []],
  ['SELECT (SELECT 1), (a + b) * 2 FROM t', []],
  ['SELECT \'(SELECT a FROM t)\', "(SELECT a FROM t)" FROM t -- (SELECT a FROM t)', []],
  ['WITH t AS (SELECT a FROM t) SELECT a FROM t', []],
])('the parts of %s', (text, parts) => {
  expect(queryParts(text).map((part) => part.text)).toEqual(parts);
  for (const { start, end, text: part } of queryParts(text)) expect(text.slice(start, end)).toBe(part);
});

test('parts are replaced where they stand', () => {
  const text = 'SELECT * FROM t WHERE a IN ( SELECT a FROM u ) AND b > (SELECT max(b) FROM w)';
  const parts = queryParts(text).map((part, i) => ({ ...part, replacement: `TABLE p${i}` }));
  expect(withParts(text, parts)).toBe('SELECT * FROM t WHERE a IN ( TABLE p0 ) AND b > (TABLE p1)');
});
