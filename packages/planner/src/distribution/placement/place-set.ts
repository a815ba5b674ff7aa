import type { SetRelation } from '../../relational/relation.ts';
import { gatheredWhenFew, inBuckets, inOne } from './exchange.ts';
import { inOnePlace, type Place, type Placed, placedAs, placeOfAll, sameColumns } from './fragment.ts';
import type { Planning } from './planning.ts';

/**
 * UNION ALL is the fragments of all branches, each where it is: a branch that one task computes is not computed by the tasks of
 * another. INTERSECT and EXCEPT meet in buckets of all columns, where equal rows, NULLs in them or not, are together.
 */
export function placeSet(planning: Planning, relation: SetRelation, below: Place): Placed {
  const placed = relation.inputs.map((input) => below(input));
  const few = placed.map((input) => gatheredWhenFew(planning, input));
  const inputs = few.every((input) => inOnePlace(input) !== undefined) ? few : placed;
  const there = inputs.map(inOnePlace);
  const isUnion = relation.operation === 'union' && relation.isAll;
  if (there.every((fragment) => fragment !== undefined))
    return placedAs(relation, {
      relation: { ...relation, inputs: there.map((fragment) => fragment.relation) },
      placement: placeOfAll(there),
      hashed: [],
    });
  if (isUnion) return placedAs(relation, ...inputs.flatMap(({ fragments }) => fragments));
  const keys = sameColumns(relation);
  const smallEnough = inputs.every(
    (input) => planning.estimates.of(input.relation).rows < planning.facts.cluster.gatherLimitRows / 1000,
  );
  if (smallEnough || keys.length === 0) {
    const fragments = inputs.map((input) => inOne(planning, input));
    return placedAs(relation, {
      relation: { ...relation, inputs: fragments.map((fragment) => fragment.relation) },
      placement: placeOfAll(fragments),
      hashed: [],
    });
  }
  const fragments = inputs.map((input) => inBuckets(planning, input, keys));
  return placedAs(relation, {
    relation: { ...relation, inputs: fragments.map((fragment) => fragment.relation) },
    placement: 'buckets',
    hashed: [keys],
  });
}
