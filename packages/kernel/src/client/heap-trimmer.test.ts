import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const MODULE = JSON.stringify(new URL('./shared-memory.ts', import.meta.url).href);

/**
 * Frees buffers that lie in the heap of a process that has more memory than its share, which is nothing, and waits until the system has
 * most of their memory again. Prints the resident bytes before and after.
 */
const PROGRAM = `
  const { SharedMemory } = await import(${MODULE});
  const { scheduler } = await import('node:timers/promises');
  const MIB = 1 << 20;
  let buffers = Array.from({ length: 40 }, () => new Uint8Array(4 * MIB).fill(1));
  const before = process.memoryUsage.rss();
  const limits = { ceilingBytes: 1024 * MIB, memoryLimitBytes: 512 * MIB };
  const memory = new SharedMemory(limits, 0, { serving: undefined, retired: [] });
  buffers = [];
  while (process.memoryUsage.rss() > before - 100 * MIB) {
    gc();
    await scheduler.wait(20);
  }
  memory.close();
  console.log(before, process.memoryUsage.rss());
`;

test('a process with more memory than its share returns what the C library keeps of freed buffers', () => {
  const printed = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', PROGRAM], {
    encoding: 'utf8',
    timeout: 30_000,
    // As in a process that has freed larger buffers, these come from the heap; the library keeps them as if a piece in use lay behind.
    env: { ...process.env, MALLOC_MMAP_THRESHOLD_: '33554432', MALLOC_TRIM_THRESHOLD_: '1073741824' },
  });
  const [before, after] = printed.split(' ').map(Number);
  expect(before! - after!).toBeGreaterThanOrEqual(100 << 20);
});
