import { expect, it } from 'vitest';
import { Pins } from './pins.ts';

it('reports the oldest version read and the oldest upload, or the present', () => {
  const pins = new Pins();
  expect(pins.report(9, 1_000)).toEqual({ oldestVersion: 9, oldestWriteMs: 1_000 });
  const held = [pins.pinVersion(4), pins.pinVersion(4), pins.pinVersion(7), pins.pinWrite(300)];
  expect(pins.report(9, 1_000)).toEqual({ oldestVersion: 4, oldestWriteMs: 300 });
  held[0]!.release();
  held[0]!.release();
  expect(pins.report(9, 1_000).oldestVersion).toBe(4);
  for (const pin of held) pin.release();
  expect(pins.report(9, 1_000)).toEqual({ oldestVersion: 9, oldestWriteMs: 1_000 });
});
