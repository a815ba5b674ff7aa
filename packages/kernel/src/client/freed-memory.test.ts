import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const MODULE = JSON.stringify(new URL('./freed-memory.ts', import.meta.url).href);

/** Frees all buffers but the last one, which lies at the end of the heap, and prints the resident bytes before and after. */
const PROGRAM = `
  const { returned } = await import(${MODULE});
  const MIB = 1 << 20;
  let buffers = Array.from({ length: 40 }, () => new Uint8Array(4 * MIB).fill(1));
  const last = new Uint8Array(100_000).fill(1);
  buffers = [];
  // Another thread frees them.
  do {
    gc();
    await new Promise(setImmediate);
  } while (process.memoryUsage().arrayBuffers > 10 * MIB);
  const before = process.memoryUsage.rss();
  await returned();
  console.log(before, process.memoryUsage.rss(), last.length);
`;

test('memory that was freed below a piece in use is returned to the system', () => {
  const printed = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', PROGRAM], {
    encoding: 'utf8',
    // The buffers come from the heap, as those of this size do in a process that has freed larger ones.
    env: { ...process.env, MALLOC_MMAP_THRESHOLD_: '33554432' },
  });
  const [before, after] = printed.split(' ').map(Number);
  expect(before! - after!).toBeGreaterThan(100 << 20);
});
