import { expect, it } from 'vitest';
import { DIALECT_FUNCTIONS } from '../functions/index.ts';
import { jsonOperators } from './json-operators.ts';
import { tokenize } from './lexer.ts';

const operatorsIn = (sql: string) =>
  jsonOperators(tokenize(sql)).map(({ first, last }) =>
    sql.slice(first.startOffset, last.startOffset + last.image.length),
  );

it.each([
  ["SELECT a->'b'->>'c', a -> 1, a->-1, a ->>-1", '-> ->> -> -> ->>'],
  ["SELECT a #> '{b}', a #>> ARRAY['b'], a#-'{b}'", '#> #>> #-'],
  ["SELECT a ? 'b', a ?| ARRAY['b'], (a) ?& $1, a.\"b\" ? $2", '? ?| ?& ?'],
  ['SELECT a ? b, t.a ?| b.c, (a) ?& "d", a ? null FROM t WHERE a ? b AND c', '? ?| ?& ? ?'],
  [
    'SELECT ? x, a IN (?) FROM t WHERE ? AND NOT ? OR b LIKE ? ESCAPE ? ORDER BY ? DESC FETCH FIRST ? ROWS ONLY',
    '',
  ],
  ['SELECT CASE ? WHEN ? THEN ? ELSE ? END AS x, INTERVAL ? day, DATE ? d, a IS DISTINCT FROM ? y', ''],
  ['SELECT ?, a + ?, f(?, ?) FROM t WHERE a = ? AND b BETWEEN ? AND ? LIMIT ? OFFSET ?', ''],
  ['SELECT transform(x -> x + 1, a), array_filter((x, y) -> x > y, a, b), list_filter(a, x -> x > 1)', ''],
  ["SELECT transform(x -> x ->> 'a', a), count(doc -> 'a'), coalesce((doc) -> 'a', 'b')", '->> -> ->'],
  ["SELECT transform((doc -> 'a'), b), transform(x -> 1, doc -> 'a')", '-> ->'],
  ["SELECT f(a => 1), a <-> b, '->', a - > b", ''],
  ['SELECT a @> b, a <@ b, a - -1, a > -1, a || b', ''],
])('%s', (sql, operators) => {
  expect(operatorsIn(sql)).toEqual(operators.split(' ').filter(Boolean));
});

it.each(DIALECT_FUNCTIONS.filter(({ signatures }) => signatures.some((text) => /\blambda\b/.test(text))))(
  'the arrow in $name is that of a lambda',
  ({ name, aliases = [] }) => {
    for (const called of [name, ...aliases])
      expect(operatorsIn(`SELECT ${called}(x -> x > 1, a)`)).toEqual([]);
  },
);
