import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TesseraError } from '@tessera/common';
import { type ObjectStore, openLocalStore } from '@tessera/object-store';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  holdGarbage,
  openStorageManager,
  restoreBackup,
  type ServedStorageManager,
  takeBackup,
} from '../src/index.ts';
import { clusterConfig, clusterNode, log, TOKEN, TWO_NODES } from './cluster-nodes.ts';
import { commit, relationNames, table, uploaded } from './transactions.ts';

let directory: string;
let stack: AsyncDisposableStack;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-backups-'));
  stack = new AsyncDisposableStack();
});

afterEach(async () => {
  await stack.disposeAsync();
  await rm(directory, { recursive: true, force: true });
});

async function storeOf(name: string): Promise<ObjectStore> {
  const store = await openLocalStore(join(directory, name), { fsync: false });
  stack.defer(() => store.close());
  return store;
}

async function managerOf(store: ObjectStore): Promise<ServedStorageManager> {
  const manager = await openStorageManager({ store, config: clusterConfig(), exclusive: true, log });
  stack.defer(() => manager.close());
  return manager;
}

const NO_HOLD = { from: async () => false, release: () => {} };
const signal = new AbortController().signal;
const common = () => ({ scratch: directory, concurrency: 2, signal, log });
const back = (source: ObjectStore, target: ObjectStore, hold = NO_HOLD) =>
  takeBackup({ ...common(), source, target, hold });
const restore = (backup: ObjectStore, target: ObjectStore | undefined) =>
  restoreBackup({ ...common(), backup, target });

/** A store with a table `t` of this many tablets, and its manager. */
async function filled(tablets: number) {
  const source = await storeOf('source');
  const manager = await managerOf(source);
  const t = table('t');
  await commit(manager, { kind: 'create', object: t });
  const added = await Promise.all(Array.from({ length: tablets }, () => uploaded(source, t.id)));
  await commit(manager, ...added.map((tablet) => ({ kind: 'add_tablet', tablet }) as const));
  return { source, manager, t, tablets: added };
}

/** The same store, in which one request for a matching key fails once. */
function failingOnce(store: ObjectStore, isStruck: (key: string) => boolean, error: TesseraError) {
  let failed = false;
  return new Proxy(store, {
    get: (target, property) => {
      const value = target[property as keyof ObjectStore];
      if (typeof value !== 'function') return value;
      return (key: string, ...rest: unknown[]) => {
        if ((property === 'head' || property === 'put') && !failed && isStruck(key)) {
          failed = true;
          return Promise.reject(error);
        }
        return (value as (...args: unknown[]) => unknown).call(target, key, ...rest);
      };
    },
  });
}

const gone = TesseraError.of('OBJECT_NOT_FOUND', { url: 'it' });
const unreachable = TesseraError.of('STORAGE_UNAVAILABLE', { url: 'it', reason: 'gone', outcome: 'failed' });

it('continues after an interruption, and copies only new objects the next time', async () => {
  const { source, manager, t, tablets } = await filled(5);
  const target = await storeOf('target');
  const last = tablets.map(({ key }) => key!).toSorted()[4]!;
  await expect(
    back(
      source,
      failingOnce(target, (key) => key === last, unreachable),
    ),
  ).rejects.toThrow('gone');
  await expect(restore(target, undefined)).rejects.toThrow('was not finished');
  // Everything that was copied since the last progress note is copied again.
  expect(await back(source, target)).toMatchObject({ copied: 5 });
  const added = await uploaded(source, t.id);
  const [removed] = tablets;
  await commit(
    manager,
    { kind: 'add_tablet', tablet: added },
    {
      kind: 'remove_tablet',
      tableId: t.id,
      tabletId: removed!.id,
      reason: 'delete',
    },
  );
  const { copied, manifest } = await back(source, target);
  expect(copied).toBe(1);
  expect(manifest.objects.map(({ key }) => key)).not.toContain(removed!.key);
  expect(await target.head(removed!.key!)).toBeUndefined();
  expect(await restore(target, undefined)).toEqual(manifest);
});

it('starts again with a newer version if an object is collected meanwhile', async () => {
  const { source, tablets } = await filled(3);
  const target = await storeOf('target');
  const key = tablets[1]!.key!;
  const { manifest } = await back(
    failingOnce(source, (one) => one === key, gone),
    target,
  );
  expect(manifest.objects).toHaveLength(3);
  await source.delete([key]);
  await expect(back(source, await storeOf('other'))).rejects.toThrow(key);
});

it('keeps the leader from collecting what it copies', async () => {
  const config = { ...TWO_NODES, storage: { ...TWO_NODES.storage, gc_ttl_seconds: 0 } };
  const node = stack.use(await clusterNode(join(directory, 'source'), 0, { config }));
  const { store, manager } = node;
  const t = table('t');
  await commit(manager, { kind: 'create', object: t });
  const tablet = await uploaded(store, t.id);
  const version = await commit(manager, { kind: 'add_tablet', tablet });
  // A new leader waits for reports of pins before its first collection, as long as a report is valid.
  await manager.collectGarbage(0);
  const hold = await holdGarbage(store, config, { clusterToken: TOKEN }, log);
  stack.defer(() => hold.release());
  await expect.poll(() => hold.from(version)).toBe(true);
  const removal = { kind: 'remove_tablet', tableId: t.id, tabletId: tablet.id, reason: 'delete' } as const;
  await commit(manager, removal);
  expect(await manager.collectGarbage(0)).toEqual({ tablets: 0, objects: 0 });
  expect(await store.head(tablet.key!)).toBeDefined();
  hold.release();
  // The last report of pins is still valid for a while.
  await expect.poll(() => manager.collectGarbage(0), { timeout: 20_000 }).toEqual({ tablets: 1, objects: 1 });
});

it('refuses a place that holds something else', async () => {
  const { source } = await filled(1);
  const other = await storeOf('other');
  await other.put('notes.txt', new Uint8Array(3));
  await expect(back(source, other)).rejects.toThrow('is not empty and no backup: it holds notes.txt');
  await expect(back(source, source)).rejects.toThrow('is not empty and no backup');
  await expect(back(await storeOf('empty'), await storeOf('target'))).rejects.toThrow(
    'there is nothing to back up',
  );
  await expect(restore(await storeOf('empty'), await storeOf('target'))).rejects.toThrow('holds no backup');
});

it('refuses a damaged object, and a store that is not empty', async () => {
  const { source, tablets } = await filled(2);
  const target = await storeOf('target');
  await back(source, target);
  const used = await storeOf('used');
  await managerOf(used);
  await expect(restore(target, used)).rejects.toThrow('is not empty');
  await target.put(tablets[0]!.key!, new Uint8Array(8).fill(1));
  await expect(restore(target, undefined)).rejects.toThrow(`${tablets[0]!.key} is damaged`);
  await expect(restore(target, await storeOf('restored'))).rejects.toThrow('is damaged');
});

it('a partly restored store is not mistaken for an empty one, and restoring again completes it', async () => {
  const { source, manager } = await filled(4);
  const target = await storeOf('target');
  const { manifest } = await back(source, target);
  const restored = await storeOf('restored');
  const last = manifest.objects.at(-1)!.key;
  await expect(
    restore(
      target,
      failingOnce(restored, (key) => key === last, unreachable),
    ),
  ).rejects.toThrow('gone');
  await cp(join(directory, 'restored'), join(directory, 'half'), { recursive: true });
  await expect(
    openStorageManager({
      store: await storeOf('half'),
      config: clusterConfig(),
      exclusive: true,
      log,
      times: { readTimeoutMs: 300 },
    }),
  ).rejects.toMatchObject({ name: 'METADATA_UNAVAILABLE' });
  expect((await restore(target, restored)).version).toBe(manifest.version);
  await expect(restore(target, restored)).rejects.toThrow('is not empty');
  const other = await managerOf(restored);
  expect(await relationNames(other)).toEqual(await relationNames(manager));
  expect(await commit(other, { kind: 'create', object: table('u') })).toBeGreaterThan(manifest.version);
});
