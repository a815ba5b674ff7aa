import type { WindowRelation } from '../../relational/relation.ts';
import { plainReference } from '../tree/expressions.ts';
import { coLocatedWithin } from './co-located.ts';
import { gather, gatherWhenSmall, hashKeysWithin, repartition } from './exchange.ts';
import { type Place, type Placed, placedAs, singleFragment, withOperator } from './fragment.ts';
import type { Planning } from './planning.ts';

/**
 * Computes a window where all rows of its partition are: hashed by the columns by which all windows
 * partition. Windows without a partition need all rows in one place.
 */
export function placeWindow(planning: Planning, relation: WindowRelation, below: Place): Placed {
  const input = gatherWhenSmall(planning, below(relation.input));
  const width = relation.input.columns.length;
  const sources = relation.columns.map((_, i) => (i < width ? i : undefined));
  const keys = commonPartition(relation);
  const there = singleFragment(input);
  if (there === undefined && keys.length > 0) {
    const local = coLocatedWithin(planning, input, new Set(keys));
    if (local !== undefined)
      return placedAs(relation, withOperator(local, { ...relation, input: local.relation }, sources));
    const hashed = hashKeysWithin(planning, input, new Set(keys));
    const fragment = repartition(planning, input, hashed ?? keys);
    return placedAs(relation, withOperator(fragment, { ...relation, input: fragment.relation }, sources));
  }
  const fragment = gather(planning, input);
  if (there === undefined)
    planning.gatherReason('a window without PARTITION BY sees all rows', relation.input);
  return placedAs(relation, {
    relation: { ...relation, input: fragment.relation },
    placement: fragment.placement === 'coordinator' ? 'coordinator' : 'single',
    hashKeyChoices: [],
  });
}

/** The columns by which all windows partition, in order. */
export function commonPartition({ windows }: WindowRelation): readonly number[] {
  const [first, ...others] = windows.map(
    ({ partitions = [] }) => new Set(partitions.map(plainReference).filter((at) => at !== undefined)),
  );
  if (first === undefined) return [];
  return [...first].filter((key) => others.every((other) => other.has(key))).sort((a, b) => a - b);
}
