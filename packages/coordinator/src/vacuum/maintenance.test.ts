import { AUTO_VACUUM_DEFAULTS } from '@tessera/config';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Maintenance } from './maintenance.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('tables are assessed as often as assessment_frequency says, also when that is more than 2^31 ms', async () => {
  const assessed = vi.fn().mockResolvedValue({ databases: () => [] });
  const autoVacuum = { ...AUTO_VACUUM_DEFAULTS, enabled: true, assessment_frequency: 3_000_000 };
  const maintenance = new Maintenance({ manager: { latest: assessed } } as never, {} as never, {
    autoVacuum,
    mergeCommittedTablets: false,
    memoryLimitBytes: 1e9,
    log: { info: vi.fn(), warn: vi.fn() },
  });
  await vi.advanceTimersByTimeAsync(2_999_999_999);
  expect(assessed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(assessed).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(3_000_000_000);
  expect(assessed).toHaveBeenCalledTimes(2);
  await maintenance.close();
});
