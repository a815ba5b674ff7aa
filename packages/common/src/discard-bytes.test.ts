import { expect, it } from 'vitest';
import { discardBytes } from './discard-bytes.ts';

it('memory is freed unless it is a part of a larger buffer', () => {
  const whole = new Uint8Array(100_000);
  discardBytes(whole.subarray(5));
  expect(whole.buffer.detached).toBe(true);
  const large = new Uint8Array(1_000_000);
  discardBytes(large.subarray(0, 100_000));
  expect(large.length).toBe(1_000_000);
});
