import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RegisteredMemory } from './registered-memory.ts';

const BYTES = 256 << 10;
const lockedBytes = () =>
  1024 * Number(/^VmLck:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);

test('registered memory is locked until it is closed', (t) => {
  const before = lockedBytes();
  const memory = RegisteredMemory.open(BYTES)!;
  if (!memory.isLocked) t.skip(`RLIMIT_MEMLOCK is ${memory.limitBytes} bytes`);
  expect(lockedBytes() - before).toBe(BYTES);
  new Uint8Array(memory.view(4096, 4096)).fill(7);
  expect(new Uint8Array(memory.view(0, BYTES)).subarray(4095, 4097)).toEqual(new Uint8Array([0, 7]));
  memory.close();
  expect(lockedBytes()).toBe(before);
});
