import { distance } from 'fastest-levenshtein';

/** Returns the candidate that a misspelt name most likely means; undefined if none is similar enough. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    const d = distance(name, candidate);
    // Short names of which no character is the same are not similar.
    if (d < bestDistance && d < Math.max(name.length, candidate.length))
      [best, bestDistance] = [candidate, d];
  }
  return best;
}

/** Whether two names differ at most in case. */
export const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
