import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Column, TableObject, Tablet } from '@tessera/catalog';
import { readHeader } from '@tessera/tablet';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { REMEMBERED_FILE } from '../hot/remembered-tables.ts';
import type { StorageAgentOptions } from '../open-storage-agent.ts';
import type { ScanRequest, ScanTablet } from '../storage-agent.ts';
import { FaultyStore, flipByteAt, lengthen, truncate } from '../testing/faulty-store.ts';
import { Fixture } from '../testing/fixture.ts';
import { storeTablet, testTable, WIDE } from '../testing/tables.ts';

let fixture: Fixture;
let store: FaultyStore;
let table: TableObject;
let wide: Tablet;

beforeAll(async () => {
  fixture = await Fixture.open();
  table = {
    ...testTable('facts', { a: 'BIGINT', b: 'VARCHAR', c: 'DOUBLE', d: 'BIGINT' }),
    primaryIndex: [1],
    indexGranularity: 20_480,
  };
  const rows =
    'SELECT i AS a, md5(i::VARCHAR) AS b, i / 7 AS c, hash(i)::BIGINT % 1000000 AS d FROM range(100000) t(i)';
  wide = await storeTablet(fixture, table, rows.replace('hash(i)::BIGINT', '(hash(i) >> 1)::BIGINT'), WIDE);
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(async () => {
  await fixture.renewTablets();
  store = new FaultyStore(fixture.store);
});

const agentOver = (options: Partial<StorageAgentOptions> = {}) => fixture.agent({ store, ...options });
const request = (tablets: readonly ScanTablet[], columns: number[], more: Partial<ScanRequest> = {}) =>
  fixture.request({ table, tablets, columns, once: true, ...more });

const object = async () => (await fixture.store.get(wide.key!))!.body;
const headerOf = async () => readHeader((await object()).subarray(wide.headerOffset), wide);

test('two columns of a wide tablet cost at most 1.1 times their compressed bytes, besides the header', async () => {
  expect(wide.layout).toBe('wide');
  const header = await headerOf();
  const needed = header.columns
    .filter((c) => c.id === 1 || c.id === 3)
    .flatMap((c) => c.granules)
    .reduce((sum, granule) => sum + granule.bytes, 0);
  const tail = wide.bytes - wide.headerOffset;
  const agent = await agentOver();
  const scan = await agent.prepareScan(request([{ tablet: wide }], [1, 3]));
  expect(store.bytes).toBe(scan.use.bytesFetched);
  expect(store.bytes - tail).toBeLessThanOrEqual(1.1 * needed);
  expect(store.bytes).toBeLessThan(wide.bytes / 2);
  expect(await fixture.rows(`SELECT sum(a) AS a, count(c) AS c FROM ${scan.sql}`)).toEqual([
    { a: 4999950000, c: 100000 },
  ]);
  scan.release();

  const before = store.bytes;
  const again = await agent.prepareScan(request([{ tablet: wide }], [3]));
  expect(store.bytes).toBe(before);
  expect(again.use).toMatchObject({ bytesFetched: 0 });
  expect(again.use.bytesCached).toBeGreaterThan(0);
  again.release();
});

test('only the granules that are needed are fetched, and holes are never read', async () => {
  const agent = await agentOver();
  const scan = await agent.prepareScan(request([{ tablet: wide, granules: [1, 2, 4] }], [1]));
  expect(
    await fixture.rows(`SELECT count(*) AS n, min(a) AS first, max(a) AS last FROM ${scan.sql}`),
  ).toEqual([{ n: 59040, first: 20480, last: 99999 }]);
  expect(
    await fixture.rows(`SELECT count(*) AS n FROM ${scan.sql} WHERE a + 0 BETWEEN 30000 AND 80004`),
  ).toEqual([{ n: 31440 }]);
  scan.release();
  // Later fetches fill the same file.
  const rest = await agent.prepareScan(request([{ tablet: wide }], [1]));
  expect(await fixture.rows(`SELECT count(*) AS n, sum(a) AS s FROM ${rest.sql}`)).toEqual([
    { n: 100000, s: 4999950000 },
  ]);
  rest.release();
});

test('the file is sparse', async () => {
  const agent = await agentOver();
  (await agent.prepareScan(request([{ tablet: wide, granules: [0] }], [1]))).release();
  const name = readdirSync(fixture.tablets).find((n) => n.endsWith('.parquet'))!;
  const { size, blocks } = statSync(join(fixture.tablets, name));
  expect(size).toBe(wide.bytes);
  expect(blocks * 512).toBeLessThan(size / 2);
});

test.each([
  ['truncated', truncate],
  ['too long', lengthen],
  ['with a flipped byte', flipByteAt(0)],
] as const)('an answer %s is asked for once more, then the tablet is named', async (_, damage) => {
  const agent = await agentOver();
  const [granule] = (await headerOf()).columns[1]!.granules;
  const apply = damage === truncate || damage === lengthen ? damage : flipByteAt(granule!.offset + 5);
  await agent.header(table, wide, new AbortController().signal);
  store.damage = { apply, times: 1 };
  const scan = await agent.prepareScan(request([{ tablet: wide }], [2]));
  expect(await fixture.rows(`SELECT count(DISTINCT b) AS n FROM ${scan.sql}`)).toEqual([{ n: 100000 }]);
  scan.release();
  expect(agent.metrics().corruptRefetches).toBe(1);

  store.damage = {
    apply:
      damage === truncate || damage === lengthen
        ? damage
        : (body, start) => flipByteAt(start + 9)(body, start),
    times: 1000,
  };
  const failure = await agent.prepareScan(request([{ tablet: wide }], [4])).catch((error) => error);
  expect(failure).toMatchObject({ name: 'CORRUPT_TABLET' });
  expect(failure.message).toContain(wide.id);
  expect(failure.message).toContain('facts');
  // The node recovers once the object is intact again.
  store.damage = undefined;
  const healed = await agent.prepareScan(request([{ tablet: wide }], [4]));
  expect(await fixture.rows(`SELECT count(d) AS n FROM ${healed.sql}`)).toEqual([{ n: 100000 }]);
  healed.release();
});

test('a damaged tail and a damaged compact object are detected too', async () => {
  const agent = await agentOver();
  store.damage = { apply: flipByteAt(wide.headerOffset + 30), times: 2 };
  await expect(agent.prepareScan(request([{ tablet: wide }], [1]))).rejects.toMatchObject({
    name: 'CORRUPT_TABLET',
  });
  const compact = await storeTablet(
    fixture,
    table,
    'SELECT i AS a, md5(i::VARCHAR) AS b, 1 AS c, 1 AS d FROM range(20000) t(i)',
  );
  expect(compact.layout).toBe('compact');
  store.damage = { apply: flipByteAt(100), times: 1 };
  (await agent.prepareScan(request([{ tablet: compact }], [1]))).release();
  expect(agent.metrics().corruptRefetches).toBe(2);
});

test('a damaged file of the local store is detected before it is read', async () => {
  const path = fixture.store.localPath!(wide.key!);
  const intact = readFileSync(path);
  onTestFinished(() => writeFileSync(path, intact));
  const bytes = Buffer.from(intact);
  const { columns } = await headerOf();
  bytes[columns[1]!.granules[2]!.offset + 100]! ^= 1;
  writeFileSync(path, bytes);
  const agent = await fixture.agent();
  const whole = await agent.prepareScan(request([{ tablet: wide }], [1]));
  expect(await fixture.rows(`SELECT sum(a) AS a FROM ${whole.sql}`)).toEqual([{ a: 4999950000 }]);
  whole.release();
  await expect(agent.prepareScan(request([{ tablet: wide }], [2]))).rejects.toMatchObject({
    name: 'CORRUPT_TABLET',
  });
});

test('concurrent requests for the same chunks fetch them once, with bounded parallelism', async () => {
  const agent = await agentOver();
  await agent.header(table, wide, new AbortController().signal);
  const before = store.bytes;
  const gate = Promise.withResolvers<void>();
  store.gate = gate.promise;
  const scans = Promise.all(
    Array.from({ length: 20 }, () => agent.prepareScan(request([{ tablet: wide }], [1, 2]))),
  );
  gate.resolve();
  const bytes = (await scans).map((scan) => {
    scan.release();
    return scan.use.bytesFetched;
  });
  expect(store.bytes - before).toBe(Math.max(...bytes));
  expect(store.mostRunning).toBeLessThanOrEqual(64);
});

test('cancelling a scan does not affect another one', async () => {
  const agent = await agentOver();
  const gate = Promise.withResolvers<void>();
  store.gate = gate.promise;
  const cancelled = new AbortController();
  const first = agent.prepareScan(request([{ tablet: wide }], [2], { signal: cancelled.signal }));
  const second = agent.prepareScan(request([{ tablet: wide }], [2]));
  cancelled.abort();
  await expect(first).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
  gate.resolve();
  const scan = await second;
  expect(await fixture.rows(`SELECT count(b) AS n FROM ${scan.sql}`)).toEqual([{ n: 100000 }]);
  scan.release();
});

test('fetched tablets survive a restart; unfinished ones do not', async () => {
  const first = await agentOver();
  (await first.prepareScan(request([{ tablet: wide }], [1]))).release();
  await first.close();
  writeFileSync(join(fixture.tablets, 'unfinished-1.parquet'), 'half');
  const before = store.bytes;
  const second = await agentOver();
  const scan = await second.prepareScan(request([{ tablet: wide }], [1]));
  expect(scan.use.bytesFetched).toBe(0);
  expect(store.bytes).toBe(before);
  expect(await fixture.rows(`SELECT sum(a) AS a FROM ${scan.sql}`)).toEqual([{ a: 4999950000 }]);
  scan.release();
  expect(existsSync(join(fixture.tablets, 'unfinished-1.parquet'))).toBe(false);
  const more = await second.prepareScan(request([{ tablet: wide }], [1, 4]));
  expect(more.use.bytesFetched).toBeGreaterThan(0);
  expect(await fixture.rows(`SELECT count(d) AS d FROM ${more.sql}`)).toEqual([{ d: 100000 }]);
  more.release();
});

test('a file that has shrunk is not used', async () => {
  const first = await agentOver();
  (await first.prepareScan(request([{ tablet: wide }], [1]))).release();
  await first.close();
  const directory = fixture.tablets;
  const name = readdirSync(directory).find((n) => n.endsWith('.parquet'))!;
  writeFileSync(join(directory, name), readFileSync(join(directory, name)).subarray(0, 1000));
  const second = await agentOver();
  const scan = await second.prepareScan(request([{ tablet: wide }], [1]));
  expect(scan.use.bytesFetched).toBeGreaterThan(0);
  expect(await fixture.rows(`SELECT sum(a) AS a FROM ${scan.sql}`)).toEqual([{ a: 4999950000 }]);
  scan.release();
});

test('a full disk fails the scan with DISK_FULL and not the node; files that no scan uses are deleted first', async () => {
  let freeBytes = 2 ** 40;
  const agent = await agentOver({ diskSpace: async () => ({ freeBytes, totalBytes: 2 ** 41 }) });
  const other = await storeTablet(
    fixture,
    table,
    'SELECT i AS a, md5(i::VARCHAR) AS b, 1 AS c, 1 AS d FROM range(30000) t(i)',
  );
  const held = await agent.prepareScan(request([{ tablet: wide }], [1]));
  (await agent.prepareScan(request([{ tablet: other }], [1]))).release();
  expect(agent.metrics().tabletsOnDisk).toBe(2);
  freeBytes = 2 ** 20;
  await expect(agent.prepareScan(request([{ tablet: wide }], [1, 2]))).rejects.toMatchObject({
    name: 'DISK_FULL',
  });
  expect(agent.metrics().tabletsOnDisk).toBe(1);
  expect(await fixture.rows(`SELECT sum(a) AS a FROM ${held.sql}`)).toEqual([{ a: 4999950000 }]);
  held.release();
  freeBytes = 2 ** 40;
  const scan = await agent.prepareScan(request([{ tablet: wide }], [1, 2]));
  expect(await fixture.rows(`SELECT count(b) AS b FROM ${scan.sql}`)).toEqual([{ b: 100000 }]);
  scan.release();
});

test('deleted files are fetched again, and a directory that cannot be written fails scans with its name', async () => {
  const directory = fixture.tablets;
  const agent = await agentOver();
  (await agent.prepareScan(request([{ tablet: wide }], [1]))).release();
  for (const name of readdirSync(directory)) rmSync(join(directory, name));
  const scan = await agent.prepareScan(request([{ tablet: wide }], [1, 2]));
  expect(await fixture.rows(`SELECT sum(a) AS a, count(b) AS b FROM ${scan.sql}`)).toEqual([
    { a: 4999950000, b: 100000 },
  ]);
  scan.release();

  rmSync(directory, { recursive: true });
  writeFileSync(directory, 'no directory');
  await expect(agent.prepareScan(request([{ tablet: wide }], [3]))).rejects.toMatchObject({
    name: 'DISK_FAILED',
  });
  rmSync(directory);
  await expect(agent.prepareScan(request([{ tablet: wide }], [3]))).rejects.toMatchObject({
    name: 'DISK_FAILED',
  });
  mkdirSync(directory);
  const healed = await agent.prepareScan(request([{ tablet: wide }], [3]));
  expect(await fixture.rows(`SELECT count(c) AS c FROM ${healed.sql}`)).toEqual([{ c: 100000 }]);
  healed.release();
});

const filesOfTablets = () => readdirSync(fixture.tablets).filter((name) => name !== REMEMBERED_FILE);

test('a tablet written here is read from its own file, also after a restart, until it is forgotten', async () => {
  const agent = await agentOver();
  const staged = join(fixture.directory, 'staged', 'written.parquet');
  writeFileSync(staged, await object());
  await agent.adopt(wide, staged);
  expect(existsSync(staged)).toBe(false);
  const scan = await agent.prepareScan(request([{ tablet: wide }], [1, 2, 3, 4]));
  expect(scan.use).toMatchObject({ bytesFetched: 0, bytesCached: scan.use.read.bytes });
  expect(scan.use.read.rows).toBe(wide.rows);
  expect(scan.use.read.bytes).toBeGreaterThan(wide.bytes / 2);
  expect(scan.use.read.bytes).toBeLessThan(wide.bytes);
  expect(await fixture.rows(`SELECT sum(a) AS a, count(b) AS b FROM ${scan.sql}`)).toEqual([
    { a: 4999950000, b: 100000 },
  ]);
  scan.release();
  await agent.close();
  const after = await agentOver();
  const again = await after.prepareScan(request([{ tablet: wide }], [2]));
  expect(again.use.bytesFetched).toBe(0);
  expect(store.bytes).toBe(0);
  await after.forget([wide]);
  // The scan can still read its file.
  expect(await fixture.rows(`SELECT count(b) AS b FROM ${again.sql}`)).toEqual([{ b: 100000 }]);
  again.release();
  await expect.poll(() => filesOfTablets()).toEqual([]);
});

test('a tablet of a local store has no second copy', async () => {
  const agent = await fixture.agent();
  const staged = join(fixture.directory, 'staged', 'written.parquet');
  writeFileSync(staged, await object());
  await agent.adopt(wide, staged);
  const name = filesOfTablets().find((n) => n.endsWith('.parquet'));
  const own = statSync(join(fixture.tablets, name!));
  expect(own.ino).toBe(statSync(fixture.store.localPath!(wide.key!)).ino);
  const scan = await agent.prepareScan(request([{ tablet: wide }], [1]));
  expect(await fixture.rows(`SELECT sum(a) AS a FROM ${scan.sql}`)).toEqual([{ a: 4999950000 }]);
  scan.release();
});

test('columns may have been added or dropped since a tablet was written', async () => {
  const added: Column = {
    id: 9,
    name: 'e',
    storedName: 'e9',
    type: 'INTEGER',
    nullable: true,
    since: 2,
    initialSql: '42',
  };
  const later: TableObject = { ...table, schemaVersion: 2, columns: [table.columns[0]!, added] };
  const newer = await storeTablet(fixture, later, 'SELECT 5 AS a, 6 AS e');
  const agent = await agentOver();
  const scan = await agent.prepareScan({
    ...request([{ tablet: newer }, { tablet: wide }], [1, 9]),
    table: later,
  });
  expect(await fixture.rows(`SELECT e, count(*) AS n FROM ${scan.sql} GROUP BY e ORDER BY e`)).toEqual([
    { e: 6, n: 1 },
    { e: 42, n: 100000 },
  ]);
  scan.release();
});
