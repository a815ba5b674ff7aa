import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ObjectStore, openLocalStore } from '@tessera/object-store';
import { test as base, expect, onTestFinished, vi } from 'vitest';
import { StoredHistory } from './stored-history.ts';

interface Entry {
  readonly time: Date;
  readonly text: string;
}

const PREFIX = 'history/engine/cluster/';

const test = base.extend<{ store: ObjectStore }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest requires the pattern
  store: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'stored-history-'));
    await use(await openLocalStore(directory, { fsync: false }));
    await rm(directory, { recursive: true });
  },
});

function historyIn(store: ObjectStore, node: number, warn = vi.fn()) {
  const history = new StoredHistory<Entry>({
    kind: 'queries',
    place: { store, prefix: PREFIX, node, log: { warn } as never },
    saveEveryMs: Number.POSITIVE_INFINITY,
    timeOf: ({ time }) => time,
    lengthOf: ({ text }) => text.length,
    fromJson: (entry) => ({ ...entry, time: new Date(entry.time) }),
  });
  onTestFinished(() => history.close());
  return history;
}

const entry = (ms: number, text = String(ms)): Entry => ({ time: new Date(ms), text });
const texts = async (history: StoredHistory<Entry>) => (await history.records()).map(({ text }) => text);
async function keys(store: ObjectStore): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of store.list(PREFIX)) found.push(key.slice(PREFIX.length));
  return found;
}

test('records of several nodes are read together, in the order of time', async ({ store }) => {
  const [a, b] = [historyIn(store, 0), historyIn(store, 1)];
  a.add(entry(1));
  b.add(entry(2));
  a.add(entry(3));
  expect(await texts(a)).toEqual(['1', '3']);
  await Promise.all([a.save(), b.save()]);
  expect(await texts(a)).toEqual(['1', '2', '3']);
  a.add(entry(4));
  await a.save();
  expect(await texts(b)).toEqual(['1', '2', '3', '4']);
  expect(await keys(store)).toHaveLength(2);
});

test('a save without new records writes nothing', async ({ store }) => {
  const put = vi.spyOn(store, 'put');
  const history = historyIn(store, 0);
  await history.save();
  history.add(entry(1));
  await history.save();
  await history.save();
  expect(put).toHaveBeenCalledOnce();
});

test('a complete segment leaves memory, and the next records go to another one', async ({ store }) => {
  const history = historyIn(store, 0);
  for (let i = 0; i < 2_000; i += 1) history.add(entry(i));
  await history.save();
  history.add(entry(2_000));
  await history.save();
  expect(await keys(store)).toHaveLength(2);
  expect(await texts(history)).toEqual(Array.from({ length: 2_001 }, (_, i) => String(i)));
  history.add(entry(2_001));
  expect(await texts(history)).toHaveLength(2_002);
});

test('records that could not be stored are kept, and stored by the next save', async ({ store }) => {
  const warn = vi.fn();
  const history = historyIn(store, 0, warn);
  const put = vi.spyOn(store, 'put').mockRejectedValueOnce(new Error('the store is away'));
  history.add(entry(1));
  await history.save();
  expect(warn).toHaveBeenCalledOnce();
  history.add(entry(2));
  await history.save();
  expect(put).toHaveBeenCalledTimes(2);
  expect(await texts(historyIn(store, 1))).toEqual(['1', '2']);
});

test('a read returns the newest records within its limits', async ({ store }) => {
  const [a, b] = [historyIn(store, 0), historyIn(store, 1)];
  const long = 'x'.repeat(9_000_000);
  a.add(entry(1, long));
  b.add(entry(2, long));
  await Promise.all([a.save(), b.save()]);
  expect((await a.records()).map(({ time }) => time.getTime())).toEqual([2]);
});

test('without a store, memory is bounded', async () => {
  const history = new StoredHistory<Entry>({
    kind: 'queries',
    place: undefined,
    saveEveryMs: 1,
    timeOf: ({ time }) => time,
    lengthOf: ({ text }) => text.length,
    fromJson: (record) => record,
  });
  for (let i = 0; i <= 20_000; i += 1) history.add(entry(i));
  const records = await history.records();
  await history.close();
  expect(records.length).toBeLessThanOrEqual(20_000);
  expect(records.length).toBeGreaterThan(15_000);
  expect(records.at(-1)!.text).toBe('20000');
});

test('segments older than a week are deleted, and those that a node has too many of', async ({ store }) => {
  const text = (time: Date) => time.toISOString().replaceAll(/[-:.]/g, '');
  const name = (time: Date, node: number, i = 0) => `queries/${text(time)}-${node}-${i}.jsonl.gz`;
  const old = name(new Date(Date.now() - 8 * 86_400_000), 7);
  const recent = Array.from({ length: 100 }, (_, i) => name(new Date(Date.now() - 60_000 + i), 0, i));
  const ofAnother = name(new Date(Date.now() - 120_000), 1);
  for (const key of [old, ofAnother, ...recent]) await store.put(PREFIX + key, new Uint8Array());
  const history = historyIn(store, 0);
  history.add(entry(Date.now()));
  await history.save();
  const left = await keys(store);
  expect(left).not.toContain(old);
  expect(left).not.toContain(recent[0]);
  expect(left).toEqual(expect.arrayContaining([ofAnother, ...recent.slice(1)]));
});

test('a segment that cannot be read is left out and named', async ({ store }) => {
  const warn = vi.fn();
  const key = `${PREFIX}queries/20260101T000000000Z-1-0.jsonl.gz`;
  await store.put(key, Buffer.from('not compressed'));
  const history = historyIn(store, 0, warn);
  history.add(entry(1));
  expect(await texts(history)).toEqual(['1']);
  expect(warn.mock.calls[0]![0]).toMatchObject({ key });
});
