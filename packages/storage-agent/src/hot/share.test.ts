import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ScanRequest, ScanTablet, StorageAgent } from '../storage-agent.ts';
import { FaultyStore } from '../testing/faulty-store.ts';
import { Fixture } from '../testing/fixture.ts';
import { storeTablet, testTable, WIDE, withoutRows } from '../testing/tables.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.open();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const table = () => testTable('t', { a: 'BIGINT', b: 'VARCHAR' });
type Table = ReturnType<typeof table>;
const rowsFrom = (from: number, to: number) =>
  `SELECT i AS a, md5(i::VARCHAR) AS b FROM range(${from}, ${to}) t(i)`;
const rows = (...ranges: [start: number, end: number][]) => ({
  rows: ranges.map(([start, end]) => ({ start, end })),
});

const request = (table: Table, tablets: readonly ScanTablet[], more: Partial<ScanRequest> = {}) =>
  fixture.request({ table, tablets, columns: [1], ...more });

const read = (agent: StorageAgent, asked: ScanRequest) =>
  fixture.read(agent, asked, 'count(*) AS n, sum(a) AS s');

const sumOf = (...ranges: [number, number][]) => {
  let [n, s] = [0, 0];
  for (const [from, to] of ranges) for (let i = from; i < to; i++) [n, s] = [n + 1, s + i];
  return { n, s };
};

test('only the rows of a part are read, and only their granules are fetched', async () => {
  const store = new FaultyStore(fixture.store);
  const agent = await fixture.agent({ store });
  const t = table();
  const tablet = await storeTablet(fixture, t, rowsFrom(0, 40_000), WIDE);
  const part = { tablet, ...rows([8_192, 16_384]) };
  expect(await read(agent, request(t, [part]))).toMatchObject(sumOf([8_192, 16_384]));
  const fetched = agent.metrics().bytesFetched;
  expect(await read(agent, request(t, [{ tablet }]))).toMatchObject(sumOf([0, 40_000]));
  expect(agent.metrics().bytesFetched).toBeGreaterThan(2 * fetched);
  // The ranges do not match granule borders, needed granules are adjacent, and nothing has to be fetched any
  // more.
  for (const granules of [undefined, [4, 5, 6, 7]]) {
    const odd = { tablet, granules, ...rows([9_000, 9_001], [10_000, 13_000]) };
    expect(await read(agent, request(t, [odd]))).toMatchObject(sumOf([9_000, 9_001], [10_000, 13_000]));
  }
});

test('several parts of one tablet are read once each', async () => {
  const agent = await fixture.agent({ store: new FaultyStore(fixture.store) });
  const t = table();
  const tablet = await storeTablet(fixture, t, rowsFrom(0, 20_000), WIDE);
  const one = { tablet, ...rows([0, 4_096]) };
  const two = { tablet, ...rows([4_096, 6_144]) };
  const three = { tablet, ...rows([10_240, 20_000]) };
  const asked = request(t, [three, one, two]);
  expect(await read(agent, asked)).toMatchObject(sumOf([0, 6_144], [10_240, 20_000]));
  await read(agent, request(t, [{ tablet }], { wholeTableAt: 1 }));
  await agent.settled();
  expect(await read(agent, asked)).toEqual({ ...sumOf([0, 6_144], [10_240, 20_000]), hot: 1 });
});

test('the share of a node is read from memory without conditions, in addition to the whole table', async () => {
  const agent = await fixture.agent({ store: new FaultyStore(fixture.store) });
  const t = table();
  const [one, two, three] = [
    await storeTablet(fixture, t, rowsFrom(0, 10_000), WIDE),
    await storeTablet(fixture, t, rowsFrom(10_000, 20_000), WIDE),
    await storeTablet(fixture, t, rowsFrom(20_000, 21_000), WIDE),
  ];
  const cut = { tablet: two, ...rows([0, 4_096]) };
  const share = request(t, [{ tablet: one }, cut], { wholeTableAt: 5, share: 'a' });
  const whole = request(t, [{ tablet: one }, { tablet: two }], { wholeTableAt: 5 });
  const ofShare = sumOf([0, 14_096]);
  const ofWhole = sumOf([0, 20_000]);
  expect(await read(agent, share)).toEqual({ ...ofShare, hot: 0 });
  await agent.settled();
  const scan = await agent.prepareScan(share);
  expect(scan.sql).not.toMatch(/WHERE|UNION|read_parquet/);
  scan.release();
  expect(await read(agent, share)).toEqual({ ...ofShare, hot: 2 });
  // The version of the table is the same, but the rows differ.
  expect(await read(agent, whole)).toEqual({ ...ofWhole, hot: 0 });
  await agent.settled();
  expect(await read(agent, whole)).toEqual({ ...ofWhole, hot: 2 });
  expect(await read(agent, share)).toEqual({ ...ofShare, hot: 2 });
  const choice = { contents: { version: 5, tablets: undefined }, share: 'a' };
  expect(await read(agent, request(t, [cut], choice))).toEqual({ ...ofShare, hot: 1 });
  expect(await read(agent, request(t, [cut], { share: 'a' }))).toEqual({
    ...sumOf([10_000, 14_096]),
    hot: 1,
  });

  const grown = request(t, [...share.tablets, { tablet: three }], { wholeTableAt: 6, share: 'a' });
  expect(await read(agent, grown)).toMatchObject(sumOf([0, 14_096], [20_000, 21_000]));
  await agent.settled();
  expect(await read(agent, grown)).toEqual({ ...sumOf([0, 14_096], [20_000, 21_000]), hot: 3 });
  expect(await read(agent, share)).toMatchObject(ofShare);
});

test('a changed share of the same contents is updated in place; running scans keep theirs', async () => {
  const agent = await fixture.agent({ store: new FaultyStore(fixture.store) });
  const t = table();
  const [one, two] = [
    await storeTablet(fixture, t, rowsFrom(0, 10_000), WIDE),
    await storeTablet(fixture, t, rowsFrom(10_000, 20_000), WIDE),
  ];
  const gone = Array.from({ length: 50 }, (_, i) => i * 3);
  const part = (start: number, end: number): ScanTablet => ({
    ...withoutRows(two, gone),
    ...rows([start, end]),
  });
  const before = request(t, [{ tablet: one }, part(0, 6_144)], { wholeTableAt: 5, share: 'of two' });
  const after = request(t, [part(0, 2_048)], { wholeTableAt: 5, share: 'of three' });
  const deleted = gone.reduce((sum, i) => sum + 10_000 + i, 0);
  const less = ({ n, s }: { n: number; s: number }) => ({ n: n - 50, s: s - deleted });
  const ofBefore = less(sumOf([0, 16_144]));
  const ofAfter = less(sumOf([10_000, 12_048]));
  expect(await read(agent, before)).toMatchObject(ofBefore);
  await agent.settled();
  expect(await read(agent, before)).toEqual({ ...ofBefore, hot: 2 });
  const running = await agent.prepareScan(before);
  expect(await read(agent, after)).toMatchObject(ofAfter);
  const [still] = await fixture.rows(`SELECT count(*) AS n, sum(a) AS s FROM ${running.sql}`);
  expect(still).toEqual(ofBefore);
  running.release();
  await agent.settled();
  expect(await read(agent, after)).toEqual({ ...ofAfter, hot: 1 });
  expect(agent.metrics().tabletsHot).toBe(1);
  expect(await read(agent, before)).toMatchObject(ofBefore);
});
