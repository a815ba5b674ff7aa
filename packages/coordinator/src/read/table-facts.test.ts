import { afterAll, beforeAll, expect, test } from 'vitest';
import { TableFixture } from '../testing/table-fixture.ts';
import { tableFacts } from './table-facts.ts';

let fixture: TableFixture;

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
  const facts = tableFacts(fixture.snapshot, table);
  expect(facts).toMatchObject({ rows: 3000, tablets: 2, isDimension: false });
  expect(facts.bytes).toBeGreaterThan(1000);
  expect(Object.fromEntries(facts.distinct)).toEqual({ k: 10, d: 30, amount: 601, flag: 2, code: 5 });
});

test('what is known of columns follows a table that grows', async () => {
  const table = await fixture.table('growing', 'SELECT (i % 3)::INTEGER AS k FROM range(100) r(i)');
  expect(tableFacts(fixture.snapshot, table).distinct.get('k')).toBe(3);
  await fixture.insert(table, 'SELECT (i % 50)::INTEGER AS k FROM range(900) r(i)');
  expect(tableFacts(fixture.snapshot, table)).toMatchObject({ rows: 1000, distinct: new Map([['k', 50]]) });
});

test('an empty table', async () => {
  const table = await fixture.table('empty', 'SELECT 1 AS k WHERE false');
  expect(tableFacts(fixture.snapshot, table)).toMatchObject({ rows: 0, distinct: new Map() });
});

test('rows are kept together by the first key, when tablets have ranges of their own', async () => {
  const ordered = (from: number, to: number) =>
    `SELECT i::BIGINT AS a, (hash(i) % 1000)::BIGINT AS b FROM range(${from}, ${to}) r(i)`;
  const byRange = await fixture.table('by_range', ordered(0, 1000), { primaryIndex: ['a', 'b'] });
  await fixture.insert(byRange, ordered(1000, 2000));
  expect([...tableFacts(fixture.snapshot, byRange).clusteredBy!]).toEqual(['a']);
  const mixed = await fixture.table('mixed', ordered(0, 1000), { primaryIndex: ['b'] });
  await fixture.insert(mixed, ordered(1000, 2000));
  await fixture.insert(mixed, ordered(2000, 3000));
  expect([...tableFacts(fixture.snapshot, mixed).clusteredBy!]).toEqual([]);
});
