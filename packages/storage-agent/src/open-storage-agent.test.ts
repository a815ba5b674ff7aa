import { afterAll, beforeAll, expect, test } from 'vitest';
import { Fixture } from './testing/fixture.ts';
import { storeTablet, testTable } from './testing/tables.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.open();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const _signal = new AbortController().signal;

test('a scan returns the rows of all tablets with their positions', async () => {
  const table = testTable('t', { a: 'BIGINT', b: 'VARCHAR' });
  const first = await storeTablet(fixture, table, "SELECT i AS a, 'x' || i AS b FROM range(3) t(i)");
  const second = await storeTablet(fixture, table, "SELECT i AS a, 'y' AS b FROM range(10, 12) t(i)");
  const agent = await fixture.agent();
  const tablets = [{ tablet: first }, { tablet: second }];
  const scan = await agent.prepareScan(fixture.request({ table, tablets, rowPositions: true }));
  expect(await fixture.rows(`SELECT * FROM ${scan.sql} ORDER BY a`)).toEqual([
    { a: 0, b: 'x0', $tablet: 0, $row: 0 },
    { a: 1, b: 'x1', $tablet: 0, $row: 1 },
    { a: 2, b: 'x2', $tablet: 0, $row: 2 },
    { a: 10, b: 'y', $tablet: 1, $row: 0 },
    { a: 11, b: 'y', $tablet: 1, $row: 1 },
  ]);
  expect(scan.use.tablets).toBe(2);
});

test('a scan without tablets has the columns with their types and no rows', async () => {
  const table = testTable('t', { a: 'DECIMAL(10,2)', s: 'STRUCT(x INTEGER)[]' });
  const agent = await fixture.agent();
  const scan = await agent.prepareScan(fixture.request({ table }));
  const { columns } = await fixture.session.describe(`SELECT * FROM ${scan.sql}`);
  expect(columns.map((c) => c.name)).toEqual(['a', 's']);
  expect(await fixture.rows(`SELECT typeof(a) FROM ${scan.sql}`)).toEqual([]);
});

test('a column that was not requested cannot be read', async () => {
  const table = testTable('t', { a: 'BIGINT', b: 'BIGINT' });
  const tablet = await storeTablet(fixture, table, 'SELECT i AS a, i AS b FROM range(3) t(i)');
  const agent = await fixture.agent();
  const scan = await agent.prepareScan(fixture.request({ table, tablets: [{ tablet }], columns: [1] }));
  expect(await fixture.rows(`SELECT sum(a) AS s, count(*) AS n FROM ${scan.sql}`)).toEqual([{ s: 3, n: 3 }]);
  await expect(fixture.rows(`SELECT count(b) FROM ${scan.sql}`)).rejects.toThrow('was not fetched');
});
