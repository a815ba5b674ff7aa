import type { AggregateRelation, DistinctRelation } from '../../relational/relation.ts';
import { plainReference, referenceTo } from '../tree/expressions.ts';
import { cutBefore, forwarded, gatheredWhenFew, hashedWithin, inBuckets, inOne } from './exchange.ts';
import { inOnePlace, over, type Place, type Placed, placedAs, sameColumns } from './fragment.ts';
import { placeAggregate } from './place-aggregate.ts';
import type { Planning } from './planning.ts';

/**
 * DISTINCT is a grouping by all columns. DISTINCT ON keeps the first row of each key in each task, and then the first of
 * these.
 */
export function placeDistinct(planning: Planning, relation: DistinctRelation, place: Place): Placed {
  if (relation.on === undefined && relation.columns.length > 0) {
    const grouped = planning.once(relation, 'grouping', () => grouping(relation));
    const placed = placeAggregate(planning, grouped, place);
    return { ...placed, relation };
  }
  const keys = (relation.on ?? []).map(plainReference).filter((key) => key !== undefined);
  const partial = planning.once(relation, 'of each task', (): DistinctRelation => ({ ...relation }));
  const before = cutBefore(planning, partial);
  const input = before ?? gatheredWhenFew(planning, place(relation.input));
  const there = inOnePlace(input);
  if (there !== undefined) return single(there.relation, there.placement);
  if (keys.length === 0 || keys.length !== relation.on?.length) {
    planning.gatherReason('DISTINCT ON something else than columns', relation.input);
    return single(inOne(planning, input).relation, 'whole');
  }
  const hashed = hashedWithin(planning, input, new Set(keys));
  if (hashed !== undefined && before === undefined && input.fragments.length === 1) {
    const fragment = inBuckets(planning, input, hashed);
    return placedAs(
      relation,
      over(fragment, { ...relation, input: fragment.relation }, sameColumns(relation)),
    );
  }
  const early: Placed =
    before ??
    ({
      relation: partial,
      fragments: input.fragments.map((fragment) => {
        const here = forwarded(planning, fragment);
        return { ...here, hashed: [], relation: { ...relation, input: here.relation } };
      }),
    } satisfies Placed);
  const fragment = inBuckets(planning, early, keys);
  return placedAs(relation, {
    relation: { ...relation, input: fragment.relation },
    placement: 'buckets',
    hashed: [keys],
  });

  function single(inner: DistinctRelation['input'], placement: string): Placed {
    return placedAs(relation, {
      relation: { ...relation, input: inner },
      placement: placement === 'coordinator' ? 'coordinator' : 'single',
      hashed: [],
    });
  }
}

const grouping = ({ input, columns }: DistinctRelation): AggregateRelation => ({
  kind: 'aggregate',
  input,
  groups: columns.map((_, i) => referenceTo(input, i)),
  groupingSets: [columns.map((_, i) => i)],
  aggregates: [],
  groupingCalls: [],
  columns,
});
