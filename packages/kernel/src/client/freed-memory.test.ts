import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const MODULE = JSON.stringify(new URL('./freed-memory.ts', import.meta.url).href);

/** Frees buffers that lie in the heap, and prints the resident bytes before and after their memory is returned. */
const PROGRAM = `
  const { returned } = await import(${MODULE});
  const MIB = 1 << 20;
  let buffers = Array.from({ length: 40 }, () => new Uint8Array(4 * MIB).fill(1));
  buffers = [];
  // Another thread frees them.
  do {
    gc();
    await new Promise(setImmediate);
  } while (process.memoryUsage().arrayBuffers > 10 * MIB);
  const before = process.memoryUsage.rss();
  await returned();
  console.log(before, process.memoryUsage.rss());
`;

test('memory that the C library keeps is returned to the system', () => {
  const printed = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', PROGRAM], {
    encoding: 'utf8',
    // As in a process that has freed larger buffers, these come from the heap; the library keeps them as if a piece in use lay behind.
    env: { ...process.env, MALLOC_MMAP_THRESHOLD_: '33554432', MALLOC_TRIM_THRESHOLD_: '1073741824' },
  });
  const [before, after] = printed.split(' ').map(Number);
  expect(before! - after!).toBeGreaterThan(100 << 20);
});
