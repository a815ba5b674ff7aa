import { expect, test } from 'vitest';
import { freeSpent, gathered } from './spent-memory.ts';

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

test('chunks are gathered without a change to their bytes', async () => {
  const source = Array.from({ length: 21 }, (_, i) => Buffer.alloc(SIZE, i));
  const expected = Buffer.concat(source);
  const pieces: Buffer[] = [];
  async function* chunks() {
    yield* source;
  }
  for await (const piece of gathered(chunks())) pieces.push(Buffer.from(piece));
  expect(Buffer.concat(pieces).equals(expected)).toBe(true);
  expect(pieces.map((piece) => piece.length)).toEqual([...Array(5).fill(4 * SIZE), SIZE]);
});
