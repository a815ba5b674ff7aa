import { expect, test } from 'vitest';
import type { ScanTablet } from '../storage-agent.ts';
import { withFewRuns } from './granule-runs.ts';

const scan = (granules?: number[]) => ({ granules }) as unknown as ScanTablet;
const runsOf = (granules: readonly number[]) => granules.filter((g, i) => granules[i - 1] !== g - 1).length;

test('few runs stay unchanged', () => {
  expect(withFewRuns([scan([1, 2, 9]), scan()]).map((s) => s.granules)).toEqual([[1, 2, 9], undefined]);
});

test('the smallest gaps are included until the runs are few enough', () => {
  const tablets = Array.from({ length: 32 }, (_, i) => scan([i, i + 2, i + 10, i + 30]));
  for (const [i, { granules }] of withFewRuns(tablets).entries()) {
    expect(runsOf(granules!)).toBe(2);
    expect(granules).toEqual([...Array.from({ length: 11 }, (_, g) => i + g), i + 30]);
  }
});

test('if there are more tablets than runs, the others are read whole unless they equal an earlier one', () => {
  const tablets = Array.from({ length: 80 }, (_, i) => scan([i, i + 5]));
  const granules = withFewRuns([...tablets, scan([0, 5])]).map((s) => s.granules);
  expect(granules[63]).toEqual([63, 64, 65, 66, 67, 68]);
  expect(granules[64]).toBeUndefined();
  expect(granules[80]).toEqual([0, 1, 2, 3, 4, 5]);
});
