import type { ScanTablet } from '../storage-agent.ts';

/** The maximum number of separate granule runs of one scan; each costs about a millisecond of planning. */
const MAX_RUNS = 64;

/**
 * Merges granule runs of tablets if there are too many, closing the smallest gaps first. If there are more
 * tablets than runs, the remaining tablets are read whole.
 */
export function withFewRuns(tablets: readonly ScanTablet[]): ScanTablet[] {
  const restricted = tablets.filter((scan) => scan.granules !== undefined).length;
  const each = Math.max(1, Math.floor(MAX_RUNS / Math.max(1, restricted)));
  const seen = new Set<string>();
  return tablets.map((scan) => {
    if (scan.granules === undefined) return scan;
    const granules = bridged(scan.granules, each);
    const key = granules.join();
    if (seen.size < MAX_RUNS) seen.add(key);
    return { ...scan, granules: seen.has(key) ? granules : undefined };
  });
}

function bridged(granules: readonly number[], maxRuns: number): readonly number[] {
  const gaps = granules
    .slice(1)
    .map((granule, i) => ({ from: granules[i]! + 1, to: granule }))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.to - a.from - (b.to - b.from));
  const filled = gaps.slice(0, Math.max(0, gaps.length + 1 - maxRuns));
  const taken = filled.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i));
  return taken.length === 0 ? granules : [...granules, ...taken].sort((a, b) => a - b);
}
