import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ScanRequest, ScanTablet, StorageAgent } from '../storage-agent.ts';
import { Fixture } from '../testing/fixture.ts';
import { storeTablet, testTable } from '../testing/tables.ts';
import { DEFAULT_EVICTION } from './eviction-settings.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.open();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const HOUR_MS = 3_600_000;
let nowMs = 1_000_000_000;
const now = () => nowMs;

const table = () => testTable('t', { a: 'BIGINT', b: 'VARCHAR' });
const tabletOf = (t: ReturnType<typeof table>) =>
  storeTablet(fixture, t, 'SELECT i AS a, md5(i::VARCHAR) AS b FROM range(20000) t(i)');

const request = (
  table: ReturnType<typeof testTable>,
  tablets: readonly ScanTablet[],
  more: Partial<ScanRequest> = {},
) => fixture.request({ table, tablets, columns: [1, 2], ...more });

async function read(agent: StorageAgent, asked: ScanRequest) {
  const { n, hot } = await fixture.read(agent, asked, 'count(*) AS n');
  expect(n).toBe(20_000 * asked.tablets.length);
  await agent.settled();
  return hot;
}

/** A threshold that every use of memory exceeds, and one that none does. */
const ALWAYS = 1;
const NEVER = 0;

test('if memory is short, tablets above the minimum age leave it, stay on disk, and are loaded again when they are read', async () => {
  const eviction = {
    ...DEFAULT_EVICTION,
    tablet_eviction_soft_threshold: 0.98,
    tablet_eviction_threshold: NEVER,
    tablet_min_ttl_before_memory_eviction_seconds: 60,
  };
  const agent = await fixture.agent({ eviction, now });
  const t = table();
  const whole = request(t, [{ tablet: await tabletOf(t) }], { wholeTableAt: 1 });
  await read(agent, whole);
  expect(await read(agent, whole)).toBe(1);
  // The table occupies more than 2 % of 1 GB.
  await fixture.session.execute(
    'CREATE TEMP TABLE filler AS SELECT i, random() AS r FROM range(2000000) t(i)',
  );
  nowMs += 59_000;
  await agent.evict();
  expect(agent.metrics().tabletsHot).toBe(1);
  nowMs += 2_000;
  await agent.evict();
  expect(agent.metrics()).toMatchObject({ tabletsHot: 0, tabletsOnDisk: 1 });
  await fixture.session.execute('DROP TABLE filler');
  nowMs += HOUR_MS;
  expect(await read(agent, whole)).toBe(0);
  expect(await read(agent, whole)).toBe(1);
});

test('below the hard threshold nothing stays in memory, and tablets of a running scan leave when it has ended', async () => {
  const hard = {
    ...DEFAULT_EVICTION,
    tablet_eviction_soft_threshold: NEVER,
    tablet_eviction_threshold: ALWAYS,
  };
  const agent = await fixture.agent({ eviction: hard, now });
  const t = table();
  const whole = request(t, [{ tablet: await tabletOf(t) }], { wholeTableAt: 1 });
  await read(agent, whole);
  const scan = await agent.prepareScan(whole);
  expect(scan.use.tabletsHot).toBe(1);
  await fixture.session.execute('CREATE TEMP TABLE filler AS SELECT 1 AS a');
  await agent.evict();
  expect(agent.metrics().tabletsHot).toBe(0);
  expect(await fixture.session.scalar(`SELECT count(*) FROM ${scan.sql}`)).toBe(20_000);
  scan.release();
  await agent.settled();
  await expect(fixture.session.scalar(`SELECT count(*) FROM ${scan.sql}`)).rejects.toThrow(/does not exist/);
  await fixture.session.execute('DROP TABLE filler');
});

test('a kernel with little memory loads a table in parts, and tables leave it when its limit falls below what they occupy', async () => {
  let limitBytes = 40e6;
  const memory = fixture.kernel.memory.bind(fixture.kernel);
  using _ = vi
    .spyOn(fixture.kernel, 'memory')
    .mockImplementation(async () => ({ ...(await memory()), limitBytes }));
  using statements = vi.spyOn(Object.getPrototypeOf(fixture.session), 'execute');
  const eviction = { ...DEFAULT_EVICTION, tablet_min_ttl_before_memory_eviction_seconds: 60 };
  const agent = await fixture.agent({ eviction, now });
  const t = table();
  const tablets: ScanTablet[] = [];
  for (let i = 0; i < 8; i++) tablets.push({ tablet: await tabletOf(t) });
  const whole = request(t, tablets, { wholeTableAt: 1 });
  await read(agent, whole);
  expect(await read(agent, whole)).toBe(8);
  const isLoad = ([sql]: unknown[]) => String(sql).startsWith('INSERT INTO hot.');
  expect(statements.mock.calls.filter(isLoad)).toHaveLength(2);
  await agent.evict();
  expect(agent.metrics().tabletsHot).toBe(8);
  limitBytes = (await memory()).usedBytes;
  await agent.evict();
  await agent.settled();
  expect(agent.metrics().tabletsHot).toBeLessThan(8);
});

test('if there are too many tablets, those not read for the minimum age leave memory', async () => {
  // The kernel of these tests may use 1 GB.
  const eviction = { ...DEFAULT_EVICTION, max_tablets_per_mb_of_total_memory: 3.5 / (1e9 / 2 ** 20) };
  const agent = await fixture.agent({ eviction, now });
  const [t, u] = [table(), table()];
  const pair = [{ tablet: await tabletOf(t) }, { tablet: await tabletOf(t) }];
  const first = request(t, pair, { wholeTableAt: 1 });
  await read(agent, first);
  nowMs += HOUR_MS / 4;
  // Only one of the two tablets is read again, without information about the rest of the table.
  expect(await read(agent, request(t, [pair[1]!], { once: true }))).toBe(1);
  const second = request(u, [{ tablet: await tabletOf(u) }, { tablet: await tabletOf(u) }], {
    wholeTableAt: 1,
  });
  await read(agent, second);
  expect(agent.metrics().tabletsHot).toBe(3);
  nowMs += HOUR_MS / 4 + 1;
  await read(agent, second);
  await read(agent, second);
  expect(await read(agent, second)).toBe(2);
  expect(agent.metrics().tabletsHot).toBe(3);
  expect(await read(agent, request(t, pair, { once: true }))).toBe(1);
});

test('tablets that nobody reads for the full time leave memory and disk', async () => {
  const eviction = { ...DEFAULT_EVICTION, tablet_ttl_before_full_eviction_seconds: 8 * 3_600 };
  const agent = await fixture.agent({ eviction, now });
  const [t, u] = [table(), table()];
  const old = request(t, [{ tablet: await tabletOf(t) }], { wholeTableAt: 1 });
  const used = request(u, [{ tablet: await tabletOf(u) }], { wholeTableAt: 1, columns: [1] });
  await read(agent, old);
  await read(agent, used);
  nowMs += 7 * HOUR_MS;
  await read(agent, used);
  // The rows came from memory, so the file was not needed.
  const positions = request(u, used.tablets as ScanTablet[], { columns: [2], once: true });
  (await agent.prepareScan(positions)).release();
  expect(agent.metrics()).toMatchObject({ tabletsHot: 2, tabletsOnDisk: 2 });
  nowMs += HOUR_MS + 1;
  await agent.evict();
  await agent.settled();
  expect(agent.metrics()).toMatchObject({ tabletsHot: 1, tabletsOnDisk: 1 });
});

test('the file of a tablet that the catalog has leaves the disk soon, and is written again when it is read', async () => {
  const agent = await fixture.agent({ now });
  const t = table();
  const inline = await storeTablet(fixture, t, "SELECT 1 AS a, 'x' AS b");
  expect(inline.inline).toBeDefined();
  const tablets = [{ tablet: inline }, { tablet: await tabletOf(t) }];
  const asked = request(t, tablets, { once: true });
  const onDisk = () =>
    readdirSync(join(fixture.directory, 'tablets')).filter((name) => name.includes(inline.id));
  for (const _ of [1, 2]) {
    const scan = await agent.prepareScan(asked);
    nowMs += 11_000;
    await agent.evict();
    // A scan still reads it.
    expect(await fixture.session.scalar(`SELECT count(*) FROM ${scan.sql}`)).toBe(20_001);
    scan.release();
    await agent.evict();
    expect(onDisk()).toHaveLength(1);
    nowMs += 11_000;
    await agent.evict();
    expect(onDisk()).toEqual([]);
    expect(agent.metrics().tabletsOnDisk).toBe(1);
  }
});
