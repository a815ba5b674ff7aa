import type { SetRelation } from '../../relational/relation.ts';
import { keyedWithin, readForwarded } from './co-located.ts';
import { gather, gatherWhenSmall, repartition } from './exchange.ts';
import {
  commonKeys,
  commonPlacement,
  type Fragment,
  type Place,
  type Placed,
  placedAs,
  sameColumns,
  singleFragment,
} from './fragment.ts';
import type { Planning } from './planning.ts';

/**
 * UNION ALL consists of the fragments of all branches, each where it is, so a branch that one task computes
 * is not computed by the tasks of another branch. INTERSECT and EXCEPT exchange rows by the hash of all
 * columns, which brings equal rows, including those with NULLs, together.
 */
export function placeSet(planning: Planning, relation: SetRelation, below: Place): Placed {
  const placed = relation.inputs.map((input) => below(input));
  const few = placed.map((input) => gatherWhenSmall(planning, input));
  const inputs = few.every((input) => singleFragment(input) !== undefined) ? few : placed;
  const there = inputs.map(singleFragment);
  const isUnion = relation.operation === 'union' && relation.isAll;
  if (there.every((fragment) => fragment !== undefined))
    return placedAs(relation, {
      relation: { ...relation, inputs: there.map((fragment) => fragment.relation) },
      placement: commonPlacement(there),
      hashKeyChoices: [],
    });
  if (isUnion) return placedAs(relation, ...inputs.flatMap(({ fragments }) => fragments));
  const keys = sameColumns(relation);
  const local = coLocatedInputs(planning, inputs);
  if (local !== undefined)
    return placedAs(relation, {
      relation: { ...relation, inputs: local.map((fragment) => fragment.relation) },
      placement: 'source',
      hashKeyChoices: [],
      keyed: commonKeys(local),
      forwardedFrom: local.find(({ forwardedFrom }) => forwardedFrom !== undefined)?.forwardedFrom,
    });
  const smallEnough = inputs.every(
    (input) => planning.estimates.of(input.relation).rows < planning.facts.cluster.gatherLimitRows / 1000,
  );
  if (smallEnough || keys.length === 0) {
    const fragments = inputs.map((input) => gather(planning, input));
    return placedAs(relation, {
      relation: { ...relation, inputs: fragments.map((fragment) => fragment.relation) },
      placement: commonPlacement(fragments),
      hashKeyChoices: [],
    });
  }
  const fragments = inputs.map((input) => repartition(planning, input, keys));
  return placedAs(relation, {
    relation: { ...relation, inputs: fragments.map((fragment) => fragment.relation) },
    placement: 'hash',
    hashKeyChoices: [keys],
  });
}

/** The inputs by ranges of a key that is the same column of all of them. */
function coLocatedInputs(planning: Planning, inputs: readonly Placed[]): readonly Fragment[] | undefined {
  const local = inputs.map((input) => keyedWithin(planning, input, new Set(sameColumns(input.relation))));
  const fragments = local.filter((fragment) => fragment !== undefined);
  if (fragments.length < inputs.length || commonKeys(fragments) === undefined) return undefined;
  return fragments.map((fragment) => readForwarded(planning, fragment));
}
