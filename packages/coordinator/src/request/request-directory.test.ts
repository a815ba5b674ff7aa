import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { clearRequestDirectories, LazyRequestDirectory } from './request-directory.ts';

async function newRoot(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-requests-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return join(directory, 'data', 'uploads');
}

it('is created when a request first needs it, private to the engine, and removed with its files', async () => {
  const root = await newRoot();
  const directory = new LazyRequestDirectory(root);
  const path = await directory.open();
  expect(await directory.open()).toBe(path);
  expect(await new LazyRequestDirectory(root).open()).not.toBe(path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  await writeFile(join(path, '1'), 'content');
  await directory.remove();
  await directory.remove();
  expect(await readdir(root)).toHaveLength(1);
});

it('leaves nothing if it was not needed, and no second failure if it could not be created', async () => {
  const root = await newRoot();
  await new LazyRequestDirectory(root).remove();
  await expect(readdir(root)).rejects.toThrow('ENOENT');
  await mkdir(join(root, '..'), { recursive: true });
  await writeFile(root, 'a file in its place');
  const directory = new LazyRequestDirectory(root);
  await expect(directory.open()).rejects.toThrow('EEXIST');
  await directory.remove();
});

it('removes what a crash left behind', async () => {
  const root = await newRoot();
  expect(await clearRequestDirectories(root)).toBe(0);
  for (const request of ['a', 'b']) {
    await mkdir(join(root, request), { recursive: true });
    await writeFile(join(root, request, '1'), 'left over');
  }
  expect(await clearRequestDirectories(root)).toBe(2);
  expect(await readdir(root)).toEqual([]);
});
