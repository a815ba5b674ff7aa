import { expect, it } from 'vitest';
import { kernelWords } from './kernel-words.ts';
import { tokenize } from './lexer.ts';

it.each([
  ['SELECT at, t.at FROM t WHERE at > 1 AND x = at ORDER BY at DESC', 'at at at at'],
  ["SELECT at AT TIME ZONE 'UTC' FROM t", 'at'],
  [
    "SELECT ts AT TIME ZONE 'UTC', count(at), show, describe FROM t GROUP BY by, map",
    'at show describe by map',
  ],
  ['SELECT * FROM t SEMI JOIN u ON t.a = u.a', ''],
  ['SHOW TABLES', ''],
  ['SELECT * FROM (SHOW TABLES)', ''],
  ['SELECT a value, b.c "x", 1 type, \'t\' text, count(*) name FROM t', 'value type text name'],
  ['SELECT x.a[1] data, CASE WHEN a THEN b END version', 'data version'],
  ['SELECT (SELECT max(a) key FROM t) year, 1 AS year', 'key'],
  [
    "SELECT x::double precision, '1'::timestamp with time zone, interval '1' day, interval '2' month FROM t",
    '',
  ],
  ['SELECT DISTINCT value, NOT key, - data FROM t', ''],
  ['SELECT sum(a) OVER (ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) source FROM t', 'source'],
  ['SELECT a IS NULL, b NOTNULL, c COLLATE value FROM t first, u CROSS JOIN v', ''],
  ['SELECT extract(year FROM d), date value, timestamp text FROM t', ''],
])('%s', (sql, names) => {
  expect(kernelWords(tokenize(sql)).map(({ image }) => image)).toEqual(names.split(' ').filter(Boolean));
});
