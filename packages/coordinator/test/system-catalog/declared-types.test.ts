import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode } from '../../src/testing/test-node.ts';

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.open();
});
afterAll(() => node[Symbol.asyncDispose]());

const shown = async (table: string) =>
  (
    await node.rows(
      `SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
       WHERE attrelid = '${table}'::regclass AND attnum > 0 ORDER BY attnum`,
    )
  ).map(([name, type]) => `${name} ${type}`);

it('a column is shown as it was declared', async () => {
  await node.run(
    `CREATE TABLE d (a VARCHAR, b VARCHAR(20), c CHARACTER VARYING(5), d CHAR, e CHAR(3), f TEXT, g STRING, h SMALLINT,
       i VARCHAR(4)[])`,
  );
  expect(await shown('d')).toEqual([
    ...['a character varying', 'b character varying(20)', 'c character varying(5)'],
    ...['d character(1)', 'e character(3)', 'f text', 'g text', 'h smallint', 'i text[]'],
  ]);
  const lengths = await node.rows(
    `SELECT column_name, character_maximum_length FROM information_schema.columns
     WHERE table_name = 'd' AND character_maximum_length IS NOT NULL ORDER BY 1`,
  );
  expect(lengths).toEqual([
    ['b', 20],
    ['c', 5],
    ['d', 1],
    ['e', 3],
  ]);
  const [[ddl]] = (await node.rows("SELECT ddl FROM information_schema.tables WHERE table_name = 'd'")) as [
    [string],
  ];
  await node.run(ddl.replace('public.d', 'public.again'));
  expect(await shown('again')).toEqual(await shown('d'));
});

it('a shorter length is checked, and a longer one moves no rows', async () => {
  await node.run("CREATE TABLE m AS SELECT 'more than five'::text AS a");
  await expect(node.run('ALTER TABLE m ALTER COLUMN a TYPE VARCHAR(5)')).rejects.toMatchObject({
    name: 'VALUE_TOO_LONG',
  });
  expect(await shown('m')).toEqual(['a text']);
  await node.run('ALTER TABLE m ALTER COLUMN a TYPE VARCHAR(20)');
  expect(await shown('m')).toEqual(['a character varying(20)']);
  const tablets = "SELECT tablet_id FROM information_schema.tablets WHERE table_name = 'm'";
  const before = await node.rows(tablets);
  await node.run('ALTER TABLE m ALTER COLUMN a TYPE VARCHAR(30)');
  await node.run('ALTER TABLE m ADD COLUMN b VARCHAR(7)');
  await node.run('ALTER TABLE m ALTER COLUMN a TYPE TEXT');
  expect(await shown('m')).toEqual(['a text', 'b character varying(7)']);
  expect(await node.rows(tablets)).toEqual(before);
  expect(await node.rows('SELECT a FROM m')).toEqual([['more than five']]);
});
