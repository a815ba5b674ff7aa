import type { PlanExpression } from '../../plan-nodes.ts';
import { isVolatile } from '../../relational/expressions/volatility.ts';
import type { Relation, SortKey, SortRelation } from '../../relational/relation.ts';
import { append, pick, sort } from '../tree/build.ts';
import { call, constant, VARCHAR } from '../tree/expressions.ts';
import { gather, materialize, materializedBefore } from './exchange.ts';
import { type Fragment, type Place, type Placed, placedAs, sameColumns } from './fragment.ts';
import type { Planning } from './planning.ts';

/** Fewer bytes are only sorted in the session of the query: sending a key with each row costs more than it saves. */
const LARGE_BYTES = 4 << 20;

/**
 * Sorted rows are in one place, and the operators above keep them there up to the result. A large result is also sorted by the
 * tasks that compute it, so that it can be read while it is merged:
 *     sort x       →    sort x                          the session of the query
 *       input             sort x                        each task
 *                           project …, key of x
 *                             input
 * The outer sort puts the rows of several tasks in order that make up one part of the result.
 */
export function placeSort(
  planning: Planning,
  relation: SortRelation,
  below: Place,
  isResult: boolean,
): Placed {
  const early = planning.once(relation, 'rows sorted by each task', () => sortedWithKey(relation.input));
  const before = isResult ? materializedBefore(planning, early) : undefined;
  if (before !== undefined) return finish(withoutKey(gather(planning, before)));
  const input = below(relation.input);
  const divided = isResult && isWorthMerging() ? dividedFragment(input) : undefined;
  if (divided !== undefined) {
    const sorted = { ...divided, relation: sortedWithKey(divided.relation), hashKeyChoices: [] };
    const [output] = materialize(planning, placedAs(early, sorted));
    planning.draft(output!.output!.stage).sortKey = relation.columns.length;
    return finish(withoutKey(output!));
  }
  const fragment = gather(planning, input);
  if (fragment.placement === 'replicated' && !isResult)
    planning.gatherReason('rows are put in order before the result', relation.input);
  return finish(fragment);

  /** A volatile key would have another value in the outer sort. */
  function isWorthMerging(): boolean {
    return (
      planning.estimates.of(relation).bytes >= LARGE_BYTES &&
      planning.facts.cluster.storesResult !== true &&
      !relation.keys.some(({ expression }) => isVolatile(expression))
    );
  }

  function sortedWithKey(rows: Relation): SortRelation {
    return sort(append(rows, [orderedBytes(relation.keys)]), relation.keys);
  }

  function withoutKey(fragment: Fragment): Fragment {
    return { ...fragment, relation: pick(fragment.relation, sameColumns(relation)) };
  }

  function finish({ relation: rows, placement }: Fragment): Placed {
    return placedAs(relation, {
      relation: { ...relation, input: rows },
      placement: placement === 'coordinator' ? 'coordinator' : 'single',
      hashKeyChoices: [],
    });
  }
}

/** The fragment if several tasks have its rows, which no stage has put out yet. */
function dividedFragment({ fragments }: Placed): Fragment | undefined {
  const [only] = fragments;
  const isDivided = only?.placement === 'source' || only?.placement === 'hash';
  return fragments.length === 1 && isDivided ? only : undefined;
}

/** A BLOB whose bytes have the order of the keys. The constant makes it one: short keys alone have an integer. */
function orderedBytes(keys: readonly SortKey[]): PlanExpression {
  const parts = [...keys, { expression: constant(VARCHAR, ''), descending: false, nullsFirst: false }];
  const items = parts.flatMap(({ expression, descending, nullsFirst }) => [
    expression,
    constant(VARCHAR, `${descending ? 'DESC' : 'ASC'} NULLS ${nullsFirst ? 'FIRST' : 'LAST'}`),
  ]);
  return call('create_sort_key', items, { id: 'BLOB' });
}
