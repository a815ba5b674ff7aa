import type { TableObject } from '@tessera/catalog';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TableFixture } from '../testing/table-fixture.ts';
import { ColumnStatisticsCache } from './column-statistics-cache.ts';
import { tableFacts } from './table-facts.ts';

let fixture: TableFixture;
const statistics = new ColumnStatisticsCache(1 << 20);

beforeAll(async () => {
  fixture = await TableFixture.open();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const rows = (from: number, to: number) =>
  `SELECT i::INTEGER AS id, (i % 10)::BIGINT - 5 AS k, DATE '2020-01-01' + (i % 30)::INTEGER AS d,
     (i % 7)::DECIMAL(9,2) AS amount, i % 2 = 0 AS flag, 'x' || i AS t, chr(65 + (i % 5)::INTEGER) AS code, NULL::INTEGER AS none
   FROM range(${from}, ${to}) r(i)`;

test('rows, bytes, tablets, and how many values fit between the smallest and the largest', async () => {
  const table = await fixture.table('t', rows(0, 1000));
  await fixture.insert(table, rows(1000, 3000));
  const facts = tableFacts(fixture.snapshot, table, statistics);
  expect(facts).toMatchObject({ rows: 3000, tablets: 2, isDimension: false });
  expect(facts.bytes).toBeGreaterThan(1000);
  expect(Object.fromEntries(facts.distinct)).toEqual({
    k: 10,
    d: 30,
    amount: 7,
    flag: 2,
    code: 5,
    t: 3000,
  });
});

test('dictionaries give the number of distinct values, also of texts and of distant numbers', async () => {
  const table = await fixture.table(
    'counted',
    `SELECT ['AIR', 'RAIL', 'SHIP'][1 + i % 3] AS way, ['AIR', 'RAIL'][1 + i % 2] || (i % 40) AS kind,
       (i % 20) * 1000000007 AS far, 'comment ' || hash(i) AS comment
     FROM range(40000) r(i)`,
  );
  await fixture.insert(
    table,
    `SELECT 'MAIL' AS way, 'x' AS kind, 1::BIGINT AS far, 'y' || i AS comment FROM range(1000) r(i)`,
  );
  const { distinct } = tableFacts(fixture.snapshot, table, statistics);
  expect(Object.fromEntries(distinct)).toEqual({ way: 3, kind: 40, far: 20, comment: 41000 });
});

test('column statistics follow a growing table', async () => {
  const table = await fixture.table('growing', 'SELECT (i % 3)::INTEGER AS k FROM range(100) r(i)');
  expect(tableFacts(fixture.snapshot, table, statistics).distinct.get('k')).toBe(3);
  await fixture.insert(table, 'SELECT (i % 50)::INTEGER AS k FROM range(900) r(i)');
  expect(tableFacts(fixture.snapshot, table, statistics)).toMatchObject({
    rows: 1000,
    distinct: new Map([['k', 50]]),
  });
});

test('an empty table', async () => {
  const table = await fixture.table('empty', 'SELECT 1 AS k WHERE false');
  expect(tableFacts(fixture.snapshot, table, statistics)).toMatchObject({ rows: 0, distinct: new Map() });
});

test('rows are kept together by the first key, when tablets have ranges of their own', async () => {
  const ordered = (from: number, to: number) =>
    `SELECT i::BIGINT AS a, (hash(i) % 1000)::BIGINT AS b FROM range(${from}, ${to}) r(i)`;
  const byRange = await fixture.table('by_range', ordered(0, 1000), { primaryIndex: ['a', 'b'] });
  await fixture.insert(byRange, ordered(1000, 2000));
  expect([...tableFacts(fixture.snapshot, byRange, statistics).clusteredBy!]).toEqual(['a']);
  const mixed = await fixture.table('mixed', ordered(0, 1000), { primaryIndex: ['b'] });
  await fixture.insert(mixed, ordered(1000, 2000));
  await fixture.insert(mixed, ordered(2000, 3000));
  expect([...tableFacts(fixture.snapshot, mixed, statistics).clusteredBy!]).toEqual([]);
});

test('keeps no more than cache_max_size_bytes, the least recently used go first', async () => {
  const tables = [];
  for (const name of ['a', 'b', 'c']) tables.push(await fixture.table(`${name}_kept`, rows(0, 100)));
  const [a, b, c] = tables as [TableObject, TableObject, TableObject];
  const whole = new ColumnStatisticsCache(1 << 20);
  const first = whole.of(fixture.snapshot, a);
  expect(whole.of(fixture.snapshot, a)).toBe(first);
  const cache = new ColumnStatisticsCache(2 * whole.bytes);
  const known = [a, b].map((table) => cache.of(fixture.snapshot, table));
  expect(cache.of(fixture.snapshot, a)).toBe(known[0]);
  cache.of(fixture.snapshot, c);
  expect(cache.bytes).toBe(2 * whole.bytes);
  expect(cache.of(fixture.snapshot, a)).toBe(known[0]);
  expect(cache.of(fixture.snapshot, b)).not.toBe(known[1]);
  const none = new ColumnStatisticsCache(0);
  expect(none.of(fixture.snapshot, a)).toEqual(first);
  expect(none.bytes).toBe(0);
});
