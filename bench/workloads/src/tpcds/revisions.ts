/**
 * Dimensions that change slowly keep what a row was. Of six rows the first stands for itself, the next two are of one
 * thing and the last three of another.
 */
const PATTERN = [
  { first: 0, revision: 0, of: 1 },
  { first: 1, revision: 0, of: 2 },
  { first: 1, revision: 1, of: 2 },
  { first: 3, revision: 0, of: 3 },
  { first: 3, revision: 1, of: 3 },
  { first: 3, revision: 2, of: 3 },
] as const;
/** Days after the first revision on which each begins, by how many there are. */
const STARTS: readonly (readonly number[])[] = [[], [0], [0, 1096], [0, 731, 1461]];

export interface Revision {
  /** The key of the row that is its thing's first. */
  readonly first: number;
  /** Days since 1970. */
  readonly start: number;
  readonly end: number | null;
}

/** @param key from 1 @param start when first revisions begin, in days since 1970 */
export function revisionOf(key: number, start: number): Revision {
  const group = Math.floor((key - 1) / PATTERN.length) * PATTERN.length;
  const { first, revision, of } = PATTERN[key - 1 - group]!;
  const starts = STARTS[of]!;
  const next = starts[revision + 1];
  return {
    first: group + first + 1,
    start: start + starts[revision]!,
    end: next === undefined ? null : start + next - 1,
  };
}

/** How many things there are in so many rows. */
export function thingsIn(rows: number): number {
  const rest = rows % PATTERN.length;
  return Math.floor(rows / PATTERN.length) * 3 + (rest >= 4 ? 3 : Math.min(rest, 2));
}

/** The key of the row that was in force on a day. @param thing from 0 */
export function keyOnDay(
  thing: number,
  day: number,
  { start, rows }: { readonly start: number; readonly rows: number },
): number {
  const place = thing % 3;
  const first = Math.floor(thing / 3) * PATTERN.length + [1, 2, 4][place]!;
  let key = first;
  STARTS[place + 1]!.forEach((days, revision) => {
    if (day >= start + days && first + revision <= rows) key = first + revision;
  });
  return key;
}
