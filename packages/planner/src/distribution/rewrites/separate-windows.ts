import type { Relation, WindowRelation } from '../../relational/relation.ts';
import { commonPartition } from '../placement/place-window.ts';
import { pick } from '../tree/build.ts';

/**
 * Splits windows that partition by different columns into one relation each, so that each gets its own hash
 * exchange instead of gathering all rows into one task.
 *     window (by a), (by b)    →    project in order
 *                                     window (by b)
 *                                       window (by a)
 */
export function separateWindows(relation: Relation): Relation {
  if (relation.kind !== 'window' || relation.windows.length < 2 || commonPartition(relation).length > 0)
    return relation;
  const groups = new Map<string, number[]>();
  for (const [i, window] of relation.windows.entries()) {
    const key = commonPartition({ ...relation, windows: [window] }).join();
    groups.set(key, [...(groups.get(key) ?? []), i]);
  }
  if (groups.size < 2) return relation;
  const width = relation.input.columns.length;
  const at = new Map<number, number>();
  let below: Relation = relation.input;
  for (const places of groups.values()) {
    for (const [i, place] of places.entries()) at.set(place, below.columns.length + i);
    below = {
      kind: 'window',
      input: below,
      windows: places.map((place) => relation.windows[place]!),
      columns: [...below.columns, ...places.map((place) => relation.columns[width + place]!)],
    } satisfies WindowRelation;
  }
  return pick(
    below,
    relation.columns.map((_, i) => (i < width ? i : at.get(i - width)!)),
  );
}
