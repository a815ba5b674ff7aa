/**
 * The work that is assumed to be done where nobody counts it: what goes on as fast as before comes closer to its end, but never
 * reaches it.
 *
 * @param expected the work that would be done by now at the speed of what was counted
 * @param left the work that is left, in the same unit
 * @returns less than `left`
 */
export function expectedProgress(expected: number, left: number): number {
  if (left <= 0) return 0;
  const share = expected / left;
  return (left * share) / (1 + share ** 4) ** 0.25;
}
