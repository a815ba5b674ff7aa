/** The result of a test run. A test file that did not load or did not end counts as one failure. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly skips: readonly { readonly test: string; readonly reason: string }[];
  /** Failures outside of any test: files that did not load, uncaught errors. */
  readonly other: readonly string[];
}

export const sumLine = (t: Tally): string => `${t.passed} passed, ${t.failed} failed, ${t.skipped} skipped`;

/** A run is good only if some test ran and nothing failed. */
export const isGood = (t: Tally): boolean => t.failed === 0 && t.other.length === 0 && t.passed > 0;
