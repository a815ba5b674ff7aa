import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { MemoryWatch } from './resident-memory.ts';

const HELD_BYTES = 64 * 1024 * 1024;
const HOLD = `
  const { fork } = require('node:child_process');
  let held;
  if (process.argv[2] === 'inner') {
    process.on('message', () => { held = Buffer.alloc(${HELD_BYTES}, 1); });
  } else {
    const inner = fork(__filename, ['inner']);
    process.on('message', (message) => inner.send(message));
    process.on('disconnect', () => inner.disconnect());
  }
  process.send('ready');
`;

test('measures the peak memory of the child processes too, and can be reset', async () => {
  const program = join(tmpdir(), `hold-memory-${process.pid}.cjs`);
  await writeFile(program, HOLD);
  const outer = fork(program);
  await once(outer, 'message');
  const watch = new MemoryWatch(outer.pid!);
  try {
    watch.restart();
    const before = watch.peakBytes;
    expect(before).toBeGreaterThan(0);
    outer.send('hold');
    await vi.waitUntil(() => watch.peakBytes > before + HELD_BYTES, { timeout: 20_000 });
  } finally {
    await watch.stop();
    const gone = once(outer, 'exit');
    outer.disconnect();
    await gone;
    await rm(program);
  }
  watch.restart();
  expect(watch.peakBytes).toBe(0);
});
