import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectId, TableObject } from '@tessera/catalog';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ContentsOf, ScanTablet } from '../storage-agent.ts';
import { Fixture } from '../testing/fixture.ts';
import { storeTablet, testTable } from '../testing/tables.ts';
import { REMEMBERED_FILE } from './remembered-tables.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.open();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const VERSION = 3;

/** A table of some rows with the columns 1 and 2. */
async function storedTable(rows: number): Promise<{ table: TableObject; tablets: readonly ScanTablet[] }> {
  const table = testTable('t', { a: 'BIGINT', b: 'VARCHAR' });
  const sql = (from: number, to: number) => `SELECT i AS a, 'b' || i AS b FROM range(${from}, ${to}) t(i)`;
  const half = rows / 2;
  return {
    table,
    tablets: [
      { tablet: await storeTablet(fixture, table, sql(0, half)) },
      { tablet: await storeTablet(fixture, table, sql(half, rows)) },
    ],
  };
}

const prepare = (agent: Awaited<ReturnType<Fixture['agent']>>, of: Awaited<ReturnType<typeof storedTable>>) =>
  agent.prepareScan(fixture.request({ ...of, wholeTableAt: VERSION, columns: [1] }));

test('an agent loads the existing tables that its predecessor had in memory; scans have precedence', async () => {
  const [kept, dropped, empty] = [await storedTable(2_000), await storedTable(100), await storedTable(10)];
  let agent = await fixture.agent();
  for (const each of [kept, dropped]) (await prepare(agent, each)).release();
  await agent.settled();
  expect(agent.metrics().tabletsHot).toBe(4);

  const asked: ObjectId[] = [];
  let released = 0;
  const contentsOf: ContentsOf = async (tableId) => {
    asked.push(tableId);
    if (tableId !== kept.table.id) return undefined;
    const release = () => {
      released += 1;
    };
    return { ...kept, version: VERSION, release };
  };
  // It is closed while a scan runs, so it has loaded nothing and remembers the tables for the next one.
  agent = await fixture.agent();
  await prepare(agent, empty);
  const interrupted = agent.warmUp(contentsOf);
  agent = await fixture.agent();
  await interrupted;
  expect(asked).toEqual([]);

  await agent.warmUp(contentsOf);
  expect(asked.toSorted()).toEqual([kept.table.id, dropped.table.id].toSorted());
  expect(released).toBe(1);
  expect(agent.metrics().tabletsHot).toBe(2);
  expect(agent.isHot(fixture.session, kept.table.id, VERSION, [1])).toBe(true);
  expect(agent.isHot(fixture.session, kept.table.id, VERSION, [2])).toBe(false);
  const scan = await prepare(agent, kept);
  expect(await fixture.rows(`SELECT sum(a) AS s FROM ${scan.sql}`)).toEqual([{ s: 1_999_000 }]);
  expect(scan.use.tabletsHot).toBe(2);
  scan.release();
});

test.each([
  '',
  '{"version":1,"tables":[{"tableId":"x"}]}',
  '{"version":99,"tables":[{"tableId":"x","columns":[1]}]}',
  '{"version":1',
])('an invalid file is ignored: %s', async (content) => {
  await fixture.agent();
  const before = await fixture.agent();
  await before.close();
  writeFileSync(join(fixture.directory, 'tablets', REMEMBERED_FILE), content);
  const agent = await fixture.agent();
  const asked: ObjectId[] = [];
  await agent.warmUp(async (tableId) => void asked.push(tableId));
  expect(asked).toEqual([]);
});
