/**
 * Slowly changing dimensions keep earlier revisions of a row. In each group of six rows, the first is the only
 * revision of its entity, the next two are revisions of one entity, and the last three of another.
 */
const PATTERN = [
  { first: 0, revision: 0, of: 1 },
  { first: 1, revision: 0, of: 2 },
  { first: 1, revision: 1, of: 2 },
  { first: 3, revision: 0, of: 3 },
  { first: 3, revision: 1, of: 3 },
  { first: 3, revision: 2, of: 3 },
] as const;
/** For each number of revisions, the days after the first one on which each begins. */
const STARTS: readonly (readonly number[])[] = [[], [0], [0, 1096], [0, 731, 1461]];

export interface Revision {
  /** The key of the first revision of the entity that a row belongs to. */
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

/** The number of entities in the given number of rows. */
export function thingsIn(rows: number): number {
  const rest = rows % PATTERN.length;
  return Math.floor(rows / PATTERN.length) * 3 + (rest >= 4 ? 3 : Math.min(rest, 2));
}

/** The key of the revision that was valid on a day. @param thing the entity, from 0 */
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
