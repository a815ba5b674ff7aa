import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockDataDirectory } from './data-directory.ts';

test('a data directory is created with those above it, and locked', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tessera-data-directory-'));
  try {
    const directory = join(root, 'a', 'b');
    const unlock = await lockDataDirectory(directory);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    await unlock();
    await (await lockDataDirectory(directory))();
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test.skipIf(process.platform !== 'linux')(
  'a directory that cannot be created is refused (skipped where there is no /proc)',
  async () => {
    for (const directory of ['/proc/nosuch', '/proc/nosuch/deeper', '/dev/null/data'])
      await expect(lockDataDirectory(directory)).rejects.toMatchObject({ name: 'INVALID_ARGUMENT' });
  },
);
