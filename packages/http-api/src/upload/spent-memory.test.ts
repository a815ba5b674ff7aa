import { expect, test } from 'vitest';
import { freeSpent } from './spent-memory.ts';

const SIZE = 64 * 1024;
const HALF = SIZE / 2;

test('memory read to its end is freed, other memory is left alone', () => {
  const whole = Buffer.alloc(SIZE);
  const end = Buffer.alloc(SIZE);
  const start = Buffer.alloc(SIZE);
  freeSpent([whole, end.subarray(HALF), start.subarray(0, HALF)]);
  expect([whole.byteLength, end.byteLength, start.byteLength]).toEqual([0, 0, SIZE]);
});

test('the shared pool of small buffers is never freed', () => {
  const pooled = Array.from({ length: 100 }, () => Buffer.allocUnsafe(Buffer.poolSize / 4));
  freeSpent(pooled);
  expect(pooled.every((buffer) => buffer.byteLength === Buffer.poolSize / 4)).toBe(true);
});
