/** What a test run came to; a test file that did not load or end counts as one failure. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly skips: readonly { readonly test: string; readonly reason: string }[];
  /** Failures outside any test: files that did not load, errors nobody caught. */
  readonly other: readonly string[];
}

export const sumLine = (t: Tally): string => `${t.passed} passed, ${t.failed} failed, ${t.skipped} skipped`;

/** Good only if something ran and nothing failed. */
export const isGood = (t: Tally): boolean => t.failed === 0 && t.other.length === 0 && t.passed > 0;
