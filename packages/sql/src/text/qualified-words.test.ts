import { expect, it } from 'vitest';
import { kernelSource } from './source.ts';

const squeezed = (sql: string) => kernelSource(sql).text.replace(/\s+/g, ' ').trim();

it.each([
  ['SELECT x::pg_catalog.text', 'select x:: text'],
  ['SELECT CAST(x AS "pg_catalog".int2[])', 'select cast(x as int2[])'],
  [`SELECT a OPERATOR(pg_catalog.~) '^b$'`, `select a ~ '^b$'`],
  ['SELECT a OPERATOR(pg_catalog.=) ANY(b)', 'select a = any(b)'],
  ['SELECT a COLLATE pg_catalog.default', 'select a'],
  ['SELECT a COLLATE "default" FROM t', 'select a from t'],
  ['SELECT a COLLATE pg_catalog."C"', 'select a collate "C"'],
  ['SELECT 1 FROM t WHERE EXISTS (SELECT FROM u)', 'select 1 from t where exists (select 1 from u)'],
])('%s', (sql, expected) => {
  expect(squeezed(sql)).toBe(expected);
});

it.each([
  'select pg_catalog.version()',
  'select * from pg_catalog.pg_class',
  `select 'x::pg_catalog.text'`,
  'select a collate "C"',
])('%s stays', (sql) => {
  expect(squeezed(sql)).toBe(sql);
});
