import { afterAll, beforeAll, expect, it } from 'vitest';
import { Dialect } from '../../test/dialect.ts';
import { queryData } from './prepare-query.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

const kernelSql = async (sql: string) => (await queryData(sql, dialect.context())).sql;

const ITEMS = "CAST(list_value(CAST('a' AS VARCHAR), CAST(NULL AS VARCHAR)) AS VARCHAR[])";

it.each([
  ['||', "SELECT ARRAY['x'] || '{a,NULL}' AS x"],
  ['=', "SELECT '{a,NULL}' = ARRAY['x'] AS x"],
  ['coalesce', "SELECT coalesce(NULL::text[], '{a,NULL}') AS x"],
])('a text beside an array is an array: %s', async (_, sql) => {
  expect(await kernelSql(sql)).toContain(ITEMS);
});

it.each([
  ['a bytea', "SELECT b = '\\x00ff' AS x FROM (SELECT 'a'::bytea AS b)", "(b = CAST('\\x00\\xff' AS BLOB))"],
  [
    'a numeric with fewer decimals',
    "SELECT n = '1.504' AS x FROM (SELECT 1.5::numeric(10, 2) AS n)",
    "(n = CAST('1.504' AS DECIMAL(4,3)))",
  ],
  [
    'a numeric that is smaller',
    "SELECT n > '-1.5e-3' AS x FROM (SELECT 1::numeric(10, 2) AS n)",
    "CAST('-0.0015' AS DECIMAL(5,4))",
  ],
  [
    'a numeric that is larger',
    "SELECT n > '1.2345e2' AS x FROM (SELECT 1::numeric(10, 1) AS n)",
    "CAST('123.45' AS DECIMAL(5,2))",
  ],
  ['a sum', "SELECT sum(n) = '15e-1' AS x FROM (SELECT 1.5::numeric(10, 2) AS n)", 'DECIMAL(2,1)'],
  ['a boolean', "SELECT b = 'on' AS x FROM (SELECT true AS b)", "(b = CAST('t' AS BOOLEAN))"],
  [
    'an interval',
    "SELECT greatest(i, '1 hour') AS x FROM (SELECT interval '1 day' AS i)",
    "CAST('1 hour' AS INTERVAL)",
  ],
])('a text beside %s has its type', async (_, before, after) => {
  expect(await kernelSql(before)).toContain(after);
});

it.each([
  ['a text beside a text', "SELECT name || '{a}' AS x FROM (SELECT 'b' AS name)"],
  ['a text in brackets, which the kernel reads', "SELECT ARRAY[1] = '[1, 2]' AS x"],
  ['the array of a text, which is read as it is written', "SELECT ARRAY['x'] || ARRAY['{a}'] AS x"],
])('there is no other array for %s', async (_, sql) => {
  expect(await kernelSql(sql)).not.toContain("'a'");
});

it('a text that is no array is refused with its place', async () => {
  await expect(kernelSql("SELECT ARRAY['x'] || 'a'")).rejects.toMatchObject({
    message: expect.stringContaining('malformed array literal: "a"'),
    location: { line: 1, startColumn: 22 },
  });
});
