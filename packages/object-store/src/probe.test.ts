import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalStore, openLocalStore } from './local/local-store.ts';
import type { ObjectStore } from './object-store.ts';
import { probeConditionalWrites } from './probe.ts';

let root: string;
let sound: LocalStore;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tessera-probe-'));
  sound = await openLocalStore(root, { fsync: false });
});

afterAll(async () => {
  await sound.close();
  await rm(root, { recursive: true });
});

/** A store that is defective in one respect, like some S3-compatible servers. */
const broken = (change: Partial<ObjectStore>) =>
  new Proxy<ObjectStore>(sound, {
    get: (_, name) => {
      const value: unknown = Reflect.get(change, name) ?? Reflect.get(sound, name);
      return typeof value === 'function' ? value.bind(sound) : value;
    },
  });

describe('probe of conditional writes', () => {
  it.each<[string, Partial<ObjectStore>]>([
    [
      'overwrites an object that was to be created',
      { putIfAbsent: (key, body) => sound.put(key, body).then(() => 'created') },
    ],
    [
      'does not hold the object created first',
      {
        putIfAbsent: async (key, body) => {
          const there = (await sound.head(key)) !== undefined;
          await sound.put(key, body);
          return there ? 'exists' : 'created';
        },
      },
    ],
    [
      'replaces an object that has changed',
      { putIfMatch: (key, body) => sound.put(key, body).then(() => 'replaced') },
    ],
    ['that it did not make', { putIfMatch: async () => 'changed' }],
    ['listing does not show', { list: async function* () {} }],
    ['does not show an object that was just written', { head: async () => undefined }],
  ])('refuses a store that %s, and cleans up', async (reason, change) => {
    await expect(probeConditionalWrites(broken(change))).rejects.toMatchObject({
      name: 'STORAGE_UNSUITABLE',
      message: expect.stringContaining(reason),
    });
    for await (const left of sound.list('')) expect(left).toBeUndefined();
  });

  it('recognises its own write after a lost response', async () => {
    const echoing = broken({
      putIfAbsent: (key, body) => sound.putIfAbsent(key, body).then(() => 'exists'),
    });
    await probeConditionalWrites(echoing);
  });
});
