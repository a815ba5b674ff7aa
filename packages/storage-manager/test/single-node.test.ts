import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asQueryId, newUlid, TesseraError } from '@tessera/common';
import { isLocated, type ObjectStore, openLocalStore } from '@tessera/object-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStorageManager, type ServedStorageManager, type StorageManagerOptions } from '../src/index.ts';
import { clusterConfig, log, TWO_NODES } from './cluster-nodes.ts';
import { type Fate, faultyStore } from './faulty-store.ts';
import { commit, location, relationNames, table, tablet, transaction, uploaded } from './transactions.ts';

let directory: string;
let store: ObjectStore;
let stack: AsyncDisposableStack;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-single-'));
  store = await openLocalStore(directory, { fsync: false });
  stack = new AsyncDisposableStack();
  stack.defer(() => store.close());
});

afterEach(async () => {
  await stack.disposeAsync();
  await rm(directory, { recursive: true, force: true });
});

async function open(options: Partial<StorageManagerOptions> = {}): Promise<ServedStorageManager> {
  const config = clusterConfig('storage:', '  gc_ttl_seconds: 0');
  const manager = await openStorageManager({ store, config, exclusive: true, log, ...options });
  stack.defer(() => manager.close());
  return manager;
}

const create = (name: string) => ({ kind: 'create', object: table(name) }) as const;

async function keys(prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of store.list(prefix)) found.push(key);
  return found;
}

it('a node alone whose objects were deleted fails what waits and ends', async () => {
  const manager = await open({ tuning: { leaseMs: 300 } });
  await commit(manager, create('t'));
  await rm(directory, { recursive: true });
  const refused = { name: 'METADATA_UNAVAILABLE', message: expect.stringContaining('meta/identity is gone') };
  const next = transaction(manager, create('u')).then((u) => manager.commit(u));
  await expect(next).rejects.toMatchObject(refused);
  await expect(manager.latest()).rejects.toMatchObject(refused);
  await manager.close();
});

describe.each([true, false])('a node alone (the store locked: %s)', (exclusive) => {
  it('finds again what it committed', async () => {
    const first = await open({ exclusive });
    const version = await commit(first, create('t'));
    await first.close();
    const second = await open({ exclusive });
    expect(second.current?.version).toBeGreaterThanOrEqual(version);
    expect(await relationNames(second)).toEqual(['t']);
  });

  it('groups concurrent commits into few entries, each with its own answer', async () => {
    const manager = await open({ exclusive });
    const before = (await manager.latest()).version;
    const names = Array.from({ length: 200 }, (_, i) => `t${String(i % 150).padStart(3, '0')}`);
    const { version: readVersion } = await manager.latest();
    const answers = await Promise.allSettled(
      names.map((name, i) =>
        manager.commit({
          idempotencyKey: `q${i}`,
          queryId: asQueryId(`q${i}`),
          readVersion,
          actions: [create(name)],
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(150);
    expect(answers.slice(150).every(({ status }) => status === 'rejected')).toBe(true);
    expect(await relationNames(manager)).toHaveLength(150);
    expect((await manager.latest()).version - before).toBeLessThan(10);
  });

  it('answers a transaction that it knows as it did before, also after a restart', async () => {
    const first = await open({ exclusive });
    const create1 = await transaction(first, create('t'));
    const answer = await first.commit(create1);
    await commit(first, create('u'));
    expect(await first.commit(create1)).toEqual(answer);
    await first.close();
    expect(await (await open({ exclusive })).commit(create1)).toEqual(answer);
  });

  it('commits once, whichever requests and answers are lost', async () => {
    const fates: Fate[] = ['answer_lost', 'refused', 'refused', 'answer_lost', 'none'];
    let request = 0;
    const faulty = faultyStore(store, (key) =>
      key.startsWith('meta/log/') ? fates[request++ % fates.length]! : 'none',
    );
    const manager = await open({ exclusive, store: faulty, tuning: { retryMs: 1 } });
    const names = Array.from({ length: 20 }, (_, i) => `t${String(i).padStart(2, '0')}`);
    for (const name of names) await commit(manager, create(name));
    expect(request).toBeGreaterThan(30);
    expect(await relationNames(manager)).toEqual(names);
    expect(await relationNames(await open({ exclusive: false }))).toEqual(names);
  });

  it('reports an unknown outcome when the store does not answer, and the outcome when asked again', async () => {
    let fate: Fate = 'none';
    const faulty = faultyStore(store, (key) => (key.startsWith('meta/log/') ? fate : 'none'));
    const manager = await open({
      exclusive,
      store: faulty,
      times: { commitTimeoutMs: 2_000, closeGraceMs: 0 },
      tuning: { retryMs: 1, retryMaxMs: 5 },
    });
    const unheard = await transaction(manager, create('t'));
    fate = 'answer_lost';
    await expect(manager.commit(unheard)).rejects.toMatchObject({ name: 'METADATA_UNAVAILABLE' });
    fate = 'none';
    const { version } = await manager.commit(unheard);
    expect(await relationNames(manager)).toEqual(['t']);
    expect(await manager.commit(unheard)).toEqual({ version });
  });
});

describe('the log', () => {
  it('stays short, because checkpoints replace earlier entries', async () => {
    const manager = await open({ tuning: { checkpointEntries: 10, logRetentionMs: 0, boundaryAgeMs: 0 } });
    const t = table('t');
    await commit(manager, { kind: 'create', object: t });
    let tablets = 0;
    const add = async () => {
      await commit(manager, {
        kind: 'add_tablet',
        tablet: { ...(await uploaded(store, t.id)), layout: 'compact' },
      });
      tablets += 1;
    };
    while (tablets < 200) await add();
    const left = async () => (await keys('meta/log/')).length + (await keys('meta/ckpt/')).length;
    // Checkpoints are written while commits go on, so there may be many commits between the last two of a busy machine.
    const leftAfterAnother = async () => {
      await add();
      return left();
    };
    await expect.poll(leftAfterAnother, { timeout: 20_000 }).toBeLessThan(40);
    await manager.close();
    const again = await open();
    expect((await again.latest()).tablets(t.id)).toHaveLength(tablets);
  });

  it('is read past a damaged checkpoint', async () => {
    const manager = await open({ tuning: { checkpointEntries: 5, logRetentionMs: 3_600_000 } });
    const names = Array.from({ length: 12 }, (_, i) => `t${String(i).padStart(2, '0')}`);
    for (const name of names) await commit(manager, create(name));
    await expect.poll(async () => (await keys('meta/ckpt/')).length).toBeGreaterThan(0);
    await manager.close();
    for (const key of await keys('meta/ckpt/')) await store.put(key, new TextEncoder().encode('damaged'));
    expect(await relationNames(await open())).toEqual(names);
  });

  describe('with a damaged entry', () => {
    const entry = 'meta/log/00000000000000000004.json';

    /** The store, which returns the entry damaged for the first `times` reads. */
    function damaging(times: number): ObjectStore {
      let left = times;
      return {
        ...faultyStore(store, () => 'none'),
        get: async (key, options) => {
          const found = await store.get(key, options);
          if (key !== entry || found === undefined || left-- <= 0) return found;
          const body = Uint8Array.from(found.body);
          body[body.length >> 1]! ^= 1;
          return { ...found, body };
        },
      };
    }

    beforeEach(async () => {
      const manager = await open();
      for (const name of ['a', 'b', 'c']) await commit(manager, create(name));
      await manager.close();
    });

    it('is read again if it was damaged in transit, even if it is the newest', async () => {
      expect(await relationNames(await open({ store: damaging(2) }))).toEqual(['a', 'b', 'c']);
    });

    it('is not used if it is damaged in the store', async () => {
      await expect(open({ store: damaging(Number.POSITIVE_INFINITY) })).rejects.toMatchObject({
        name: 'METADATA_UNAVAILABLE',
        message: expect.stringContaining('damaged'),
      });
    });
  });

  it('has no leader on a store that ignores conditions', async () => {
    const careless: ObjectStore = {
      ...faultyStore(store, () => 'none'),
      putIfAbsent: async (key, body, options) => {
        await store.put(key, body, options);
        return 'created';
      },
    };
    await expect(open({ store: careless, config: TWO_NODES, exclusive: false })).rejects.toMatchObject({
      name: 'STORAGE_UNSUITABLE',
    });
  });
});

describe('garbage', () => {
  it('is collected when no reader needs it; orphans are collected when they are old', async () => {
    const manager = await open({ tuning: { orphanAgeMs: 86_400_000 } });
    const t = table('t');
    const [kept, removed] = [await uploaded(store, t.id), await uploaded(store, t.id)];
    await commit(
      manager,
      { kind: 'create', object: t },
      { kind: 'add_tablet', tablet: kept },
      { kind: 'add_tablet', tablet: removed },
    );
    const yesterday = `tablets/${t.id}/01AAAAAAAA${newUlid().slice(10)}.parquet`;
    const young = `tablets/${t.id}/${newUlid()}.parquet`;
    const named = `tablets/${t.id}/not-one-of-ours.txt`;
    for (const key of [yesterday, young, named]) await store.put(key, new Uint8Array(1));
    const pin = manager.pin(await manager.latest());
    await commit(manager, { kind: 'remove_tablet', tableId: t.id, tabletId: removed.id, reason: 'delete' });
    expect(await manager.collectGarbage(0)).toEqual({ tablets: 0, objects: 1 });
    expect(await keys('tablets/')).toEqual([kept.key, removed.key, young, named].toSorted());
    pin.release();
    expect(await manager.collectGarbage(0)).toEqual({ tablets: 1, objects: 1 });
    expect(await keys('tablets/')).toEqual([kept.key, young, named].toSorted());
    expect(await manager.collectGarbage(0)).toEqual({ tablets: 0, objects: 0 });
  });

  it('is collected up to the limit', async () => {
    const manager = await open();
    const t = table('t');
    const tablets = await Promise.all(Array.from({ length: 5 }, () => uploaded(store, t.id)));
    await commit(
      manager,
      { kind: 'create', object: t },
      ...tablets.map((tablet) => ({ kind: 'add_tablet', tablet }) as const),
    );
    await commit(manager, { kind: 'drop', id: t.id });
    expect(await manager.collectGarbage(2)).toEqual({ tablets: 2, objects: 2 });
    expect(await keys('tablets/')).toHaveLength(3);
    expect(await manager.collectGarbage(0)).toEqual({ tablets: 3, objects: 3 });
  });

  it('is left at the location of a table that cannot be reached, and deleted everywhere else', async () => {
    let isReachable = false;
    const reach = () => {
      if (isReachable) return;
      throw TesseraError.of('STORAGE_UNAVAILABLE', {
        url: 's3://lake',
        reason: 'injected',
        outcome: 'failed',
      });
    };
    const [searched, deleted]: [string[], string[]] = [[], []];
    const divided: ObjectStore = {
      ...faultyStore(store, () => 'none'),
      list: async function* (prefix, options) {
        if (isLocated(prefix)) searched.push(prefix);
        if (isLocated(prefix)) reach();
        else yield* store.list(prefix, options);
      },
      delete: async (names, options) => {
        if (!isLocated(names[0]!)) return store.delete(names, options);
        reach();
        deleted.push(...names);
      },
    };
    const manager = await open({ store: divided });
    const lake = location('s3://lake/raw');
    const t = table('t', { location: lake.url, locationId: lake.id });
    const located = (storeId: string) =>
      tablet(t.id, { key: `s3://${lake.id}@lake/raw/${storeId}/tablets/${t.id}/${newUlid()}.parquet` });
    // A catalog that was copied with its tablets names objects in the folder of the original store.
    const [own, foreign] = [located(manager.store.id), located(newUlid())];
    await commit(
      manager,
      { kind: 'create', object: lake },
      { kind: 'create', object: t },
      ...[own, foreign, await uploaded(store, t.id)].map(
        (one) => ({ kind: 'add_tablet', tablet: one }) as const,
      ),
    );
    expect(await manager.collectGarbage(0)).toEqual({ tablets: 0, objects: 0 });
    await commit(manager, { kind: 'drop', id: t.id });
    expect(await manager.collectGarbage(0)).toEqual({ tablets: 1, objects: 1 });
    expect(await keys('tablets/')).toEqual([]);
    expect(deleted).toEqual([]);
    const folder = `s3://${lake.id}@lake/raw/${manager.store.id}/tablets/`;
    expect(searched).toEqual([folder, folder]);
    isReachable = true;
    expect(await manager.collectGarbage(0)).toEqual({ tablets: 1, objects: 1 });
    expect(deleted).toEqual([own.key]);
    expect(await manager.collectGarbage(0)).toEqual({ tablets: 0, objects: 0 });
  });

  it('an upload under way is no orphan, however old', async () => {
    const manager = await open({ tuning: { orphanAgeMs: 0 } });
    const write = manager.beginWrite();
    const t = table('t');
    const tablet = await uploaded(store, t.id);
    expect(await manager.collectGarbage(0)).toEqual({ tablets: 0, objects: 0 });
    await commit(manager, { kind: 'create', object: t }, { kind: 'add_tablet', tablet });
    write.release();
    expect(await manager.collectGarbage(0)).toEqual({ tablets: 0, objects: 0 });
    expect(await keys('tablets/')).toEqual([tablet.key]);
  });
});
