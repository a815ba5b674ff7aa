import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ALLOCATOR, V8_FLAGS } from '../client/kernel-process-handle.ts';

const LOWERED_CEILING = new URL('../testing/lowered-ceiling-process.ts', import.meta.url);
const FREED_MEMORY = new URL('../testing/freed-memory-process.ts', import.meta.url);

async function printed(program: URL): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [...V8_FLAGS, fileURLToPath(program)], {
    env: { ...process.env, ...ALLOCATOR, UV_THREADPOOL_SIZE: '64' },
  });
  return JSON.parse(stdout);
}

test.runIf(process.platform === 'linux')(
  'a lowered ceiling leaves a process its memory and a little more until it frees some; free blocks and stacks do not count',
  async () => {
    expect(await printed(LOWERED_CEILING)).toEqual({
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

test.runIf(process.platform === 'linux')(
  'near the ceiling, memory that one thread has freed is there for another at once',
  async () => {
    expect(await printed(FREED_MEMORY)).toEqual({ first: 1_800, second: 1_800, keptMs: 1_000 });
  },
  120_000,
);
