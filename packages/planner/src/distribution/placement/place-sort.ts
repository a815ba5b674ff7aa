import type { SortRelation } from '../../relational/relation.ts';
import { gather } from './exchange.ts';
import { type Place, type Placed, placedAs } from './fragment.ts';
import type { Planning } from './planning.ts';

/** Sorted rows are in one place, and the operators above keep them there up to the result. */
export function placeSort(
  planning: Planning,
  relation: SortRelation,
  below: Place,
  isResult: boolean,
): Placed {
  const input = below(relation.input);
  const fragment = gather(planning, input);
  if (fragment.placement === 'replicated' && !isResult)
    planning.gatherReason('rows are put in order before the result', relation.input);
  return placedAs(relation, {
    relation: { ...relation, input: fragment.relation },
    placement: fragment.placement === 'coordinator' ? 'coordinator' : 'single',
    hashKeyChoices: [],
  });
}
