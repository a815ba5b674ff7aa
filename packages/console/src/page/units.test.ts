import { expect, test } from 'vitest';
import { partitionText } from './units.ts';

test.each([
  [null, ''],
  ['["2026-04-01"]', '2026-04-01'],
  ['["2026-04-01",null,"7"]', '2026-04-01, NULL, 7'],
])('the partition %s is shown as "%s"', (partition, text) => {
  expect(partitionText(partition)).toBe(text);
});
