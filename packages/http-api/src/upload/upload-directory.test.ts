import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newDirectory } from './multipart-fixture.ts';
import { clearUploadDirectories, openUploadDirectory } from './upload-directory.ts';

it('makes a directory for one request, private to the engine, and removes it with its files', async () => {
  const root = join(await newDirectory(), 'data', 'uploads');
  const directory = await openUploadDirectory(root, 'request-1');
  expect((await stat(directory.path)).mode & 0o777).toBe(0o700);
  await writeFile(join(directory.path, '1'), 'content');
  await expect(openUploadDirectory(root, 'request-1')).rejects.toThrow('EEXIST');
  await directory.remove();
  await directory.remove();
  expect(await readdir(root)).toEqual([]);
});

it('clears what a crash left behind', async () => {
  const root = join(await newDirectory(), 'uploads');
  expect(await clearUploadDirectories(root)).toBe(0);
  for (const request of ['a', 'b']) {
    await mkdir(join(root, request), { recursive: true });
    await writeFile(join(root, request, '1'), 'left over');
  }
  expect(await clearUploadDirectories(root)).toBe(2);
  expect(await readdir(root)).toEqual([]);
});
