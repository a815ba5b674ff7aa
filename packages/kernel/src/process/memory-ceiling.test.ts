import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ALLOCATOR, V8_FLAGS } from '../client/kernel-process-handle.ts';

const PROGRAM = fileURLToPath(new URL('../testing/lowered-ceiling-process.ts', import.meta.url));

test.runIf(process.platform === 'linux')(
  'a lowered ceiling leaves a process its memory and a little more until it frees some; free blocks and stacks do not count',
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [...V8_FLAGS, PROGRAM], {
      env: { ...process.env, ...ALLOCATOR, UV_THREADPOOL_SIZE: '64' },
    });
    expect(JSON.parse(stdout)).toEqual({
      fitsWhileHeld: false,
      small: true,
      largeWhileHeld: false,
      large: true,
      largeBesideFreePieces: false,
      largeBesideReturnedPieces: true,
      callsBesideFullMemory: 100,
    });
  },
  120_000,
);
