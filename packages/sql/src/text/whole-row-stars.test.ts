import { expect, test } from 'vitest';
import { kernelSource } from './source.ts';

test.for([
  ['SELECT count(o.*) FROM o', 'SELECT count(o  ) FROM o'],
  ['SELECT count(DISTINCT "O".*) FROM "O"', 'SELECT count(DISTINCT "O") FROM "O"'],
  ['SELECT json_agg(o.* ORDER BY id) FROM o', 'SELECT json_agg(o ORDER BY id) FROM o'],
  ['SELECT 1 FROM o WHERE o.* IS NULL', 'SELECT 1 FROM o WHERE o IS NULL'],
  ['SELECT 1 FROM o WHERE (o.*) IS NOT NULL', 'SELECT 1 FROM o WHERE (o) IS NOT NULL'],
])('the star in %s is that of a row', ([sql, read]) => {
  expect(withoutBlanks(kernelSource(sql!).text)).toBe(withoutBlanks(read!.toLowerCase()));
});

test.for([
  'select o.* from o',
  'select id, o.*, (select p.* from p limit 1) from o',
  'select distinct o.* from o',
  'select row(o.*) from o',
  'select columns(o.*) from o',
  'select count(*) from o',
  'select 2*(a.b*3) from a',
])('%s keeps its star', (sql) => {
  expect(kernelSource(sql).text).toBe(sql);
});

const withoutBlanks = (text: string): string => text.toLowerCase().replace(/\s+/g, '').trim();
