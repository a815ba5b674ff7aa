import { afterAll, beforeAll, expect, it } from 'vitest';
import { Dialect } from '../../test/dialect.ts';
import { prepareQuery } from './prepare-query.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

const kernelSql = async (sql: string) => (await prepareQuery(sql, dialect.context())).sql;

const ITEMS = "CAST(list_value(CAST('a' AS VARCHAR), CAST(NULL AS VARCHAR)) AS VARCHAR[])";

it.each([
  ['||', "SELECT ARRAY['x'] || '{a,NULL}' AS x"],
  ['=', "SELECT '{a,NULL}' = ARRAY['x'] AS x"],
  ['coalesce', "SELECT coalesce(NULL::text[], '{a,NULL}') AS x"],
])('a text beside an array is an array: %s', async (_, sql) => {
  expect(await kernelSql(sql)).toContain(ITEMS);
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
