import type { KeyRange } from '@tessera/tablet';
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

const ROWS = 20_000;
const table = (type = 'BIGINT') => ({
  ...testTable('t', { k: type, v: 'BIGINT', text: 'VARCHAR' }),
  primaryIndex: [1],
});
type Table = ReturnType<typeof table>;
/** Keys 0 to 9,999 with two rows each, and 100 rows without a key. */
const sql = (key = 'i // 2') =>
  `SELECT CASE WHEN i < ${ROWS} THEN ${key} END AS k, i AS v, md5(i::VARCHAR) AS text FROM range(${ROWS + 100}) t(i)`;
const LOW: readonly KeyRange[] = [{ to: '1000' }, { from: '4000', to: '4001' }, { from: '9000' }];
const HIGH: readonly KeyRange[] = [
  { from: '1000', to: '4000' },
  { from: '4001', to: '9000' },
];

const keys = (ranges: readonly KeyRange[], rows: number) => ({ keys: { column: 1, ranges, rows } });

const request = (table: Table, tablets: readonly ScanTablet[], more: Partial<ScanRequest> = {}) =>
  fixture.request({ table, tablets, columns: [1, 2, 3], ...more });

const read = (agent: StorageAgent, asked: ScanRequest) =>
  fixture.read(agent, asked, 'count(*) AS n, sum(v) AS s, count(k) AS keyed');

/** The number of rows of the table whose key matches. */
function expected(isIn: (key: number | undefined) => boolean, from = 0, to = ROWS + 100) {
  let [n, s, keyed] = [0, 0, 0];
  for (let i = from; i < to; i++) {
    const key = i < ROWS ? Math.floor(i / 2) : undefined;
    if (!isIn(key)) continue;
    [n, s, keyed] = [n + 1, s + i, keyed + (key === undefined ? 0 : 1)];
  }
  return { n, s, keyed };
}
const isLow = (key: number | undefined) => key === undefined || key < 1_000 || key === 4_000 || key >= 9_000;
const isHigh = (key: number | undefined) => !isLow(key);

test('only rows of the given keys are read, NULL with the first ones, and only their granules are fetched', async () => {
  const agent = await fixture.agent({ store: new FaultyStore(fixture.store) });
  const t = table();
  const tablet = await storeTablet(fixture, t, sql(), WIDE);
  const low = { tablet, ...keys(LOW, 4_102) };
  const high = { tablet, ...keys([{ from: '6000', to: '6500' }], 1_000) };
  expect(await read(agent, request(t, [high]))).toMatchObject(
    expected((key) => key !== undefined && key >= 6_000 && key < 6_500),
  );
  const fetched = agent.metrics().bytesFetched;
  expect(await read(agent, request(t, [low]))).toMatchObject(expected(isLow));
  expect(await read(agent, request(t, [{ tablet, ...keys(HIGH, 15_998) }]))).toMatchObject(expected(isHigh));
  expect(agent.metrics().bytesFetched).toBeGreaterThan(4 * fetched);
  // The same with granules chosen for another reason, and with deleted rows.
  const other = await storeTablet(fixture, t, sql(), WIDE);
  const some = { ...withoutRows(other, [0, 1, 19_999]), granules: [0, 9], ...keys(LOW, 4_102) };
  const inGranules = (from: number, to: number) => expected(isLow, from, to);
  const [first, last] = [inGranules(2, 2_048), inGranules(18_432, 19_999)];
  const tail = inGranules(20_000, ROWS + 100);
  expect(await read(agent, request(t, [some]))).toMatchObject({
    n: first.n + last.n + tail.n,
    s: first.s + last.s + tail.s,
  });
});

test('the query need not read the key column for anything else', async () => {
  const agent = await fixture.agent({ store: new FaultyStore(fixture.store) });
  const t = table();
  const tablet = await storeTablet(fixture, t, sql(), WIDE);
  const asked = request(t, [{ tablet, ...keys(LOW, 4_102) }], {
    columns: [2],
    unnamed: [1, 3],
    wholeTableAt: 5,
    share: 'keys/low',
  });
  const { n, s } = expected(isLow);
  expect(await read(agent, asked)).toMatchObject({ n, s, keyed: 0, hot: 0 });
  await agent.settled();
  expect(await read(agent, asked)).toMatchObject({ n, s, keyed: 0, hot: 1 });
});

test.each([
  ['VARCHAR', "lpad((i // 2)::VARCHAR, 5, '0')", ['05000', '07500']],
  ['DATE', "DATE '2000-01-01' + (i // 2)::INTEGER", ['2013-09-09', '2020-07-14']],
  ['DECIMAL(18,2)', 'i // 2', ['5000.00', '7500.00']],
  [
    'TIMESTAMPTZ',
    "TIMESTAMPTZ '2000-01-01 00:00:00+00' + to_seconds(i // 2)",
    ['2000-01-01 01:23:20.000000+00', '2000-01-01 02:05:00.000000+00'],
  ],
])('keys of type %s', async (type, key, [from, to]) => {
  const agent = await fixture.agent({ store: new FaultyStore(fixture.store) });
  const t = table(type);
  const tablet = await storeTablet(fixture, t, sql(key), WIDE);
  const inside = expected((k) => k !== undefined && k >= 5_000 && k < 7_500);
  const outside = expected((k) => k === undefined || k < 5_000 || k >= 7_500);
  expect(await read(agent, request(t, [{ tablet, ...keys([{ from, to }], 5_000) }]))).toMatchObject(inside);
  const others = keys([{ to: from }, { from: to }], 15_100);
  expect(await read(agent, request(t, [{ tablet, ...others }]))).toMatchObject(outside);
});

test('adjacent parts of a tablet by keys are read once', async () => {
  const agent = await fixture.agent({ store: new FaultyStore(fixture.store) });
  const t = table();
  const tablet = await storeTablet(fixture, t, sql(), WIDE);
  const parts = [
    { tablet, ...keys(HIGH, 15_998) },
    { tablet, ...keys(LOW, 4_102) },
  ];
  const scan = await agent.prepareScan(request(t, parts));
  expect(scan.sql).not.toMatch(/WHERE|UNION/);
  scan.release();
  expect(await read(agent, request(t, parts))).toMatchObject(expected(() => true));
  const half = [parts[0]!, { tablet, ...keys([{ to: '1000' }, { from: '9000' }], 4_100) }];
  expect(await read(agent, request(t, half))).toMatchObject(expected((key) => key !== 4_000));
});

test('a share of keys is in memory without the other rows, follows the table, and becomes another share', async () => {
  const agent = await fixture.agent({ store: new FaultyStore(fixture.store) });
  const t = table();
  const tablet = await storeTablet(fixture, t, sql(), WIDE);
  const low = { tablet, ...keys(LOW, 4_102) };
  const share = request(t, [low], { wholeTableAt: 5, share: 'keys/low' });
  expect(await read(agent, share)).toEqual({ ...expected(isLow), hot: 0 });
  await agent.settled();
  const scan = await agent.prepareScan(share);
  expect(scan.sql).not.toMatch(/WHERE|UNION|read_parquet/);
  expect(scan.use.read.rows).toBe(4_102);
  const running = await fixture.rows(`SELECT count(*) AS n FROM ${scan.sql}`);
  expect(running).toEqual([{ n: expected(isLow).n }]);
  // Another node's part of the same tablet, and the whole tablet, are not in memory.
  expect(await read(agent, request(t, [{ tablet, ...keys(HIGH, 15_998) }]))).toEqual({
    ...expected(isHigh),
    hot: 0,
  });
  expect(await read(agent, request(t, [{ tablet }]))).toEqual({ ...expected(() => true), hot: 0 });

  // Rows are deleted and others are inserted.
  const smaller = { ...withoutRows(tablet, [0, 1, 2, 5_000]), ...keys(LOW, 4_102) };
  const more = await storeTablet(fixture, t, "SELECT 10 AS k, 7 AS v, '' AS text FROM range(10)");
  const grown = request(t, [smaller, { tablet: more }], { wholeTableAt: 6, share: 'keys/low' });
  const { n, s, keyed } = expected(isLow, 3);
  expect(await read(agent, grown)).toMatchObject({ n: n + 10, s: s + 70, keyed: keyed + 10 });
  scan.release();
  await agent.settled();
  expect(await read(agent, grown)).toEqual({ n: n + 10, s: s + 70, keyed: keyed + 10, hot: 2 });

  const high = request(t, [{ tablet, ...keys(HIGH, 15_998) }], { wholeTableAt: 6, share: 'keys/high' });
  expect(await read(agent, high)).toMatchObject(expected(isHigh));
  await agent.settled();
  expect(await read(agent, high)).toEqual({ ...expected(isHigh), hot: 1 });
});

test('the parts of a tablet by keys count together what the whole tablet counts, from files, in memory, and with deleted rows', async () => {
  const agent = await fixture.agent({ store: new FaultyStore(fixture.store) });
  const t = table();
  const tablet = await storeTablet(fixture, t, sql(), WIDE);
  const use = async (scan: ScanTablet, more: Partial<ScanRequest>) => {
    const { use, release } = await agent.prepareScan(request(t, [scan], more));
    release();
    return use;
  };
  /** Two placements of the same keys may estimate the rows in different ways, and be wrong. */
  const addsUp = async (part: ScanTablet, more: Partial<ScanRequest>, hot?: number) => {
    const all = (await use(part, {})).read;
    for (const rows of [4_102, 500]) {
      const low = await use({ ...part, ...keys(LOW, rows) }, { ...more, share: 'keys/low' });
      const high = await use({ ...part, ...keys(HIGH, tablet.rows - rows) }, { share: 'keys/high' });
      if (hot !== undefined) expect(low.tabletsHot).toBe(hot);
      expect(low.read.rows).toBe(Math.round((all.rows * rows) / tablet.rows));
      expect(low.read.rows + high.read.rows).toBe(all.rows);
      expect(Math.abs(low.read.bytes + high.read.bytes - all.bytes)).toBeLessThanOrEqual(5);
    }
  };
  const deleted = withoutRows(tablet, Array(ROWS / 2 + 50).keys());
  for (const part of [{ tablet }, { tablet, granules: [3, 8] }, deleted]) await addsUp(part, {});
  const whole = { wholeTableAt: 5 };
  await addsUp({ tablet }, whole);
  await agent.settled();
  for (const more of [{}, whole]) await addsUp({ tablet }, more, 1);
});
