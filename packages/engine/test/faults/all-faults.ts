import { it } from 'vitest';

/** Tests that take long beside the others run when TESSERA_FAULTS is `all`; else they are skipped, and say so. */
export const ALL_FAULTS = process.env.TESSERA_FAULTS === 'all';

/** A test that runs with TESSERA_FAULTS=all. */
export function itTakesLong(title: string, test: () => Promise<void>, timeoutMs: number): void {
  it.skipIf(!ALL_FAULTS)(
    ALL_FAULTS ? title : `${title}: skipped, TESSERA_FAULTS is not all`,
    test,
    timeoutMs,
  );
}
