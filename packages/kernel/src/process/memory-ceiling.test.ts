import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../testing/lowered-ceiling-process.ts', import.meta.url));

test.runIf(process.platform === 'linux')(
  'a lowered ceiling leaves a process what it has and a little more, until it has less',
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', PROGRAM]);
    expect(JSON.parse(stdout)).toEqual({
      allowedWhileHeld: false,
      small: 1 << 20,
      refused: true,
      allowed: 100 << 20,
    });
  },
  120_000,
);
