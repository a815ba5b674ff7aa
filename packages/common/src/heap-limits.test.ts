import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('./testing/kept-buffers-process.ts', import.meta.url));

test('V8 collects the whole heap less often for buffers that are noted', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM]);
  const { unnoted, noted } = JSON.parse(stdout);
  expect(unnoted).toBeGreaterThanOrEqual(3);
  expect(noted).toBeLessThan(unnoted);
});
