import type { AggregateRelation, DistinctRelation } from '../../relational/relation.ts';
import { plainReference, referenceTo } from '../tree/expressions.ts';
import { coLocatedWithin } from './co-located.ts';
import {
  forward,
  gather,
  gatherWhenSmall,
  hashKeysWithin,
  materializedBefore,
  repartition,
} from './exchange.ts';
import { type Place, type Placed, placedAs, sameColumns, singleFragment, withOperator } from './fragment.ts';
import { placeAggregate } from './place-aggregate.ts';
import type { Planning } from './planning.ts';

/**
 * Places DISTINCT as a grouping by all columns. DISTINCT ON keeps the first row of each key in each task,
 * then the first of these.
 */
export function placeDistinct(planning: Planning, relation: DistinctRelation, place: Place): Placed {
  if (relation.on === undefined && relation.columns.length > 0) {
    const grouped = planning.once(relation, 'grouping', () => grouping(relation));
    const placed = placeAggregate(planning, grouped, place);
    return { ...placed, relation };
  }
  const keys = (relation.on ?? []).map(plainReference).filter((key) => key !== undefined);
  const partial = planning.once(relation, 'of each task', (): DistinctRelation => ({ ...relation }));
  const before = materializedBefore(planning, partial);
  const input = before ?? gatherWhenSmall(planning, place(relation.input));
  const there = singleFragment(input);
  if (there !== undefined) return single(there.relation, there.placement);
  if (keys.length === 0 || keys.length !== relation.on?.length) {
    planning.gatherReason('DISTINCT ON something else than columns', relation.input);
    return single(gather(planning, input).relation, 'replicated');
  }
  const local = before === undefined ? coLocatedWithin(planning, input, new Set(keys)) : undefined;
  if (local !== undefined)
    return placedAs(
      relation,
      withOperator(local, { ...relation, input: local.relation }, sameColumns(relation)),
    );
  const hashed = hashKeysWithin(planning, input, new Set(keys));
  if (hashed !== undefined && before === undefined && input.fragments.length === 1) {
    const fragment = repartition(planning, input, hashed);
    return placedAs(
      relation,
      withOperator(fragment, { ...relation, input: fragment.relation }, sameColumns(relation)),
    );
  }
  const early: Placed =
    before ??
    ({
      relation: partial,
      fragments: input.fragments.map((fragment) => {
        const here = forward(planning, fragment);
        return {
          ...here,
          hashKeyChoices: [],
          keyed: undefined,
          relation: { ...relation, input: here.relation },
        };
      }),
    } satisfies Placed);
  const fragment = repartition(planning, early, keys);
  return placedAs(relation, {
    relation: { ...relation, input: fragment.relation },
    placement: 'hash',
    hashKeyChoices: [keys],
  });

  function single(inner: DistinctRelation['input'], placement: string): Placed {
    return placedAs(relation, {
      relation: { ...relation, input: inner },
      placement: placement === 'coordinator' ? 'coordinator' : 'single',
      hashKeyChoices: [],
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
