import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { paceFromNow } from './pace.ts';

const BUSY = 'for (;;) {}';

test('work takes longer while other processes use the processors', async () => {
  const others = Array.from({ length: 3 * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', BUSY], { stdio: 'ignore' }),
  );
  try {
    await expect
      .poll(
        () => {
          const pace = paceFromNow();
          const until = performance.now() + 200;
          while (performance.now() < until);
          return pace();
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThan(1.2);
  } finally {
    for (const other of others) other.kill();
  }
});
