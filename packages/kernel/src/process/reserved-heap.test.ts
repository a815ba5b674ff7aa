import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ALLOCATOR, V8_FLAGS } from '../client/kernel-process-handle.ts';

const PROGRAM = fileURLToPath(new URL('../testing/full-memory-process.ts', import.meta.url));

test.runIf(process.platform === 'linux').each(['symbols', 'texts'])(
  'V8 continues in its heap, reserved with %s, when the system gives the process no more memory',
  async (kind) => {
    const { stdout } = await promisify(execFile)(process.execPath, [...V8_FLAGS, PROGRAM, kind], {
      env: { ...process.env, ...ALLOCATOR },
    });
    expect(stdout).toBe('done');
  },
  120_000,
);
