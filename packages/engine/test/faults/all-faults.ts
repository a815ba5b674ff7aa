import { it } from 'vitest';

/** Slow tests only run if TESSERA_FAULTS is `all`; otherwise they are reported as skipped. */
export const ALL_FAULTS = process.env.TESSERA_FAULTS === 'all';

/** A test that runs with TESSERA_FAULTS=all. */
export function itTakesLong(title: string, test: () => Promise<void>, timeoutMs: number): void {
  it.skipIf(!ALL_FAULTS)(
    ALL_FAULTS ? title : `${title}: skipped, TESSERA_FAULTS is not all`,
    test,
    timeoutMs,
  );
}
