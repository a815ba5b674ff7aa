import type { TableObject } from '@tessera/catalog';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { TableFixture } from '../testing/table-fixture.ts';
import { ColumnStatisticsCache } from './column-statistics-cache.ts';
import { type ValueSampler, valueSampler } from './sample-values.ts';
import { tableFacts } from './table-facts.ts';

let fixture: TableFixture;
let sampler: ValueSampler;

beforeAll(async () => {
  fixture = await TableFixture.open();
  sampler = valueSampler({
    kernel: fixture.kernel,
    agent: fixture.agent,
    contentsOf: async (id) => {
      const { snapshot } = fixture;
      const table = snapshot.object(id);
      if (table?.kind !== 'table') return undefined;
      const tablets = snapshot
        .tablets(id)
        .map((tablet) => ({ tablet, vector: snapshot.deletionVector(id, tablet.id) }));
      return { table, version: snapshot.contentsVersion(id), tablets, release: () => undefined };
    },
  });
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** The common values of a column with their shares, rounded to hundredths. */
async function commonOf(table: TableObject, column: string): Promise<Readonly<Record<string, number>>> {
  const sample = await sampler(table.id, new Set([column]));
  return rounded(sample!.common.get(column)!);
}

const rounded = (common: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...common].map(([value, share]) => [value, Math.round(share * 100) / 100]));

test('values that are more common than others are found, with their shares of all rows', async () => {
  const table = await fixture.table(
    'skewed',
    `SELECT CASE WHEN i % 10 < 6 THEN 'view' WHEN i % 10 < 8 THEN NULL ELSE 'other ' || i END AS kind,
       CASE WHEN i % 4 = 0 THEN -1.50 ELSE i END::DECIMAL(12,2) AS amount, DATE '2020-01-01' + (i % 2)::INTEGER AS day,
       i AS id, repeat('x', 65) AS long, [1] AS list
     FROM range(50000) r(i)`,
  );
  expect(await commonOf(table, 'kind')).toEqual({ view: 0.6 });
  expect(await commonOf(table, 'amount')).toEqual({ '-1.50': 0.25 });
  expect(await commonOf(table, 'day')).toEqual({ '2020-01-01': 0.5, '2020-01-02': 0.5 });
  expect(await commonOf(table, 'id')).toEqual({});
  expect(await commonOf(table, 'long')).toEqual({});
  const sample = await sampler(table.id, new Set(['list', 'no such column']));
  expect([...sample!.common]).toEqual([]);
});

test('a value that fills some blocks of a sorted table is not common, but one that fills many is', async () => {
  const rows = 32 * 2048 * 16;
  const sorted = await fixture.table(
    'sorted',
    `SELECT i // 1000 AS a, i // 40000 AS b FROM range(${rows}) r(i)`,
    {
      maxBytes: 1e6,
    },
  );
  expect(await commonOf(sorted, 'a')).toEqual({});
  expect(await commonOf(sorted, 'b')).toEqual({});
  const half = `SELECT CASE WHEN i < ${rows / 2} THEN 0 ELSE i // 1000 END AS a FROM range(${rows}) r(i)`;
  expect(await commonOf(await fixture.table('half', half), 'a')).toEqual({ 0: 0.5 });
});

test('values that are frequent in the sample by chance only are not common', async () => {
  const table = await fixture.table('even', 'SELECT hash(i) % 10000 AS a, i AS id FROM range(200000) r(i)', {
    maxBytes: 1e5,
  });
  expect(await commonOf(table, 'a')).toEqual({});
});

test('small tablets are sampled too', async () => {
  const rows = (from: number) =>
    `SELECT CASE WHEN i % 3 = 0 THEN 'x' ELSE 'y' || i END AS t FROM range(${from}, ${from + 300}) r(i)`;
  const table = await fixture.table('small', rows(0));
  for (let i = 1; i < 50; i++) await fixture.insert(table, rows(i * 300));
  expect(await commonOf(table, 't')).toEqual({ x: 0.33 });
});

const named = (value: string, count: number) =>
  `SELECT CASE WHEN i % 2 = 0 THEN '${value}' ELSE 'other' || i END AS kind FROM range(${count}) r(i)`;

test('columns are sampled in the background once an estimate asks for them, and again when the table has changed', async () => {
  const table = await fixture.table('changing', named('old', 20_000));
  const cache = new ColumnStatisticsCache(1 << 20, sampler);
  const values = async () => {
    const { snapshot } = await fixture.committedSnapshot();
    return tableFacts(snapshot, table, cache).values!;
  };
  const common = async () => rounded((await values()).of('kind')!.common);
  const { version } = await values();
  expect(await common()).toEqual({});
  await cache.settled();
  expect(await common()).toEqual({ old: 0.5 });
  const { version: sampled } = await values();
  expect(sampled).not.toBe(version);

  // All rows are replaced by as many others. The old sample is used until there is a new one.
  const [before] = fixture.snapshot.tablets(table.id);
  await fixture.insert(table, named('new', 20_000));
  fixture.change({ kind: 'remove_tablet', tableId: table.id, tabletId: before!.id, reason: 'delete' });
  expect(await common()).toEqual({ old: 0.5 });
  await cache.settled();
  expect(await common()).toEqual({ new: 0.5 });
  expect((await values()).version).not.toBe(sampled);

  // The table grows.
  await fixture.insert(table, named('third', 80_000));
  expect(await common()).toEqual({ new: 0.5 });
  await cache.settled();
  expect(await common()).toEqual({ third: 0.4, new: 0.1 });
});

test('samples count towards the size of the cache, and nothing is sampled that would not be kept', async () => {
  const table = await fixture.table('limited', named('a', 20_000));
  const cache = new ColumnStatisticsCache(1 << 20, sampler);
  tableFacts(fixture.snapshot, table, cache).values!.of('kind');
  const without = cache.bytes;
  await cache.settled();
  expect(cache.bytes).toBeGreaterThan(without);
  const small = new ColumnStatisticsCache(without, sampler);
  tableFacts(fixture.snapshot, table, small).values!.of('kind');
  await small.settled();
  expect(small.bytes).toBe(0);

  let asked = 0;
  const none = new ColumnStatisticsCache(0, async () => {
    asked += 1;
    return undefined;
  });
  tableFacts(fixture.snapshot, table, none).values!.of('kind');
  await none.settled();
  expect(asked).toBe(0);
});

test('the tablets can be collected again if the kernel does not open a session', async () => {
  const table = await fixture.table('pinned', named('a', 20_000));
  let released = 0;
  const failing = valueSampler({
    agent: fixture.agent,
    kernel: { session: () => Promise.reject(new Error('The kernel has ended')) },
    contentsOf: async () => ({ table, version: 1, tablets: [], release: () => (released += 1) }),
  });
  await expect(failing(table.id, new Set(['kind']))).rejects.toThrow('The kernel has ended');
  expect(released).toBe(1);
});

test('a table that is gone or cannot be read leaves the estimates as they are, and is read again later', async () => {
  const table = await fixture.table('gone', named('a', 20_000));
  const { snapshot } = fixture;
  expect(await sampler('t_none' as TableObject['id'], new Set(['kind']))).toBeUndefined();
  let attempts = 0;
  const cache = new ColumnStatisticsCache(1 << 20, () => {
    attempts += 1;
    return Promise.reject(new Error('The store cannot be reached'));
  });
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const values = tableFacts(snapshot, table, cache).values!;
  values.of('kind');
  await cache.settled();
  expect(values.of('kind')).toEqual({ nulls: 0, common: new Map() });
  expect(attempts).toBe(1);
  vi.runOnlyPendingTimers();
  await cache.settled();
  expect(attempts).toBe(2);
});
