import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  rmdir,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeStoreConformance } from '../testing/store-conformance.ts';
import { openLocalStore } from './local-store.ts';

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tessera-local-store-'));
});

afterAll(() => rm(root, { recursive: true }));

const newDirectory = () => mkdtemp(join(root, 'store-'));

describeStoreConformance('local directory', {
  open: async () => openLocalStore(await newDirectory(), { fsync: false }),
  largeFileBytes: 20_000_000,
});

function startWriter(directory: string, writer: number, mode: 'create' | 'count'): ChildProcess {
  const program = join(import.meta.dirname, '../testing/local-writer-process.ts');
  return spawn(process.execPath, [program, directory, String(writer), mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

describe('local store', () => {
  it('is consistent after its writers were killed: each object is complete, from one writer, and not lost', async () => {
    const directory = await newDirectory();
    const created = new Map<string, number>();
    for (let round = 0; round < 3; round++) {
      const writers = [1, 2].map((number) => startWriter(directory, number, 'create'));
      const ends = writers.map((writer) => once(writer, 'close'));
      const target = created.size + 40;
      const enough = writers.map(async (writer, index) => {
        let rest = '';
        for await (const chunk of writer.stdout!) {
          const lines = (rest + String(chunk)).split('\n');
          rest = lines.pop() ?? '';
          for (const key of lines) {
            expect(created.has(key)).toBe(false);
            created.set(key, index + 1);
          }
          if (created.size >= target) for (const one of writers) one.kill('SIGKILL');
        }
      });
      await Promise.all([...enough, ...ends]);
    }
    const store = await openLocalStore(directory);
    const keys: string[] = [];
    for await (const { key } of store.list('race/')) keys.push(key);
    expect([...created.keys()].filter((key) => !keys.includes(key))).toEqual([]);
    for (const key of keys) {
      const body = Buffer.from((await store.get(key))!.body);
      expect(body.length).toBe(262_144);
      expect(body.equals(Buffer.alloc(262_144, body.toString('latin1', 0, 1)))).toBe(true);
      if (created.has(key)) expect(body.toString('latin1', 0, 1)).toBe(String(created.get(key)));
    }
    await store.close();
  });

  it('replaces conditionally between processes', async () => {
    const directory = await newDirectory();
    const store = await openLocalStore(directory, { fsync: false });
    await store.put('counter', Buffer.from('0'));
    const writers = [1, 2, 3].map((number) => startWriter(directory, number, 'count'));
    const ends = await Promise.all(writers.map((writer) => once(writer, 'close')));
    expect(ends.map(([code]) => code)).toEqual([0, 0, 0]);
    expect(Buffer.from((await store.get('counter'))!.body).toString()).toBe('300');
    await store.close();
  });

  it('lets nobody else read the metadata log, also where an earlier version let everybody', async () => {
    const directory = await newDirectory();
    await mkdir(join(directory, 'meta'), { mode: 0o755 });
    await chmod(directory, 0o755);
    const store = await openLocalStore(directory, { fsync: false });
    await store.putIfAbsent('meta/log/1.json', Buffer.from('x'));
    await store.put('meta/leader', Buffer.from('x'));
    const modes = ['', 'meta', 'meta/log', 'meta/log/1.json', 'meta/leader'].map(
      async (path) => (await stat(join(directory, path))).mode & 0o777,
    );
    expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o700, 0o600, 0o600]);
    await store.close();
  });

  it('removes files that never got their name, and lists neither these nor foreign files', async () => {
    const directory = await newDirectory();
    const staged = join(directory, '%private/staged');
    await mkdir(staged, { recursive: true });
    await writeFile(join(staged, 'fresh'), 'x');
    await writeFile(join(directory, '.hidden'), 'x');
    const store = await openLocalStore(directory, { fsync: false });
    await store.put('a', Buffer.from('x'));
    expect(await readdir(staged)).toEqual(['fresh']);
    for await (const { key } of store.list('')) expect(key).toBe('a');
    await store.close();
  });

  it('leaves no empty directory behind, and creates one again that another writer needs', async () => {
    const directory = await newDirectory();
    const store = await openLocalStore(directory, { fsync: false });
    await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        await store.put(`deep/er/${n}`, Buffer.from('x'));
        await store.delete([`deep/er/${n}`]);
      }),
    );
    expect(await readdir(directory)).toEqual(['%private']);
    await store.close();
  });

  it('puts objects while their directory is removed again and again', async () => {
    const directory = await newDirectory();
    const store = await openLocalStore(directory, { fsync: false });
    let putting = true;
    const remove = async () => {
      while (putting) {
        for (const path of ['deep/er', 'deep']) await rmdir(join(directory, path)).catch(() => undefined);
      }
    };
    const put = async () => {
      for (let n = 0; n < 50; n++) {
        await store.put('deep/er/object', Buffer.from('x'));
        await store.delete(['deep/er/object']);
      }
    };
    const removing = remove();
    await Promise.all([put(), put(), put()]).finally(() => {
      putting = false;
    });
    await removing;
    await store.close();
  });

  it('keeps a file that is put when its source is removed, and does not show it under its own path', async () => {
    const directory = await newDirectory();
    const store = await openLocalStore(directory, { fsync: false });
    const source = join(root, 'source');
    await writeFile(source, 'content');
    await utimes(source, 1, 1);
    await store.putFile('kept', source);
    await rm(source);
    expect(await readFile(store.localPath('kept'), 'utf8')).toBe('content');
    expect((await store.head('kept'))!.modifiedAt.getFullYear()).toBeGreaterThan(2_000);
    await store.close();
  });

  it.each(['', '/a', 'a//b', 'a/', 'x'.repeat(300)])('refuses the key "%s"', async (key) => {
    const store = await openLocalStore(await newDirectory(), { fsync: false });
    await expect(store.put(key, new Uint8Array())).rejects.toMatchObject({ name: 'INVALID_ARGUMENT' });
    await store.close();
  });

  it('reports a key that continues the key of an object', async () => {
    const store = await openLocalStore(await newDirectory(), { fsync: false });
    await store.put('a', new Uint8Array());
    await expect(store.put('a/b', new Uint8Array())).rejects.toMatchObject({ name: 'STORAGE_UNAVAILABLE' });
    expect(await store.get('a/b')).toBeUndefined();
    await store.close();
  });
});
