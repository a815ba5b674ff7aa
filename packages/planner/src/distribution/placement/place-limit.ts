import type { LimitRelation, Relation } from '../../relational/relation.ts';
import { constantNumber } from '../estimate/estimate.ts';
import { firstRows, sort } from '../tree/build.ts';
import { forward, gather, gatherWhenSmall, materializedBefore } from './exchange.ts';
import { type Place, type Placed, placedAs, sameColumns, singleFragment, withOperator } from './fragment.ts';
import type { Planning } from './planning.ts';

/** With more rows than this, sorting twice does not pay. */
const MOST_ROWS = 1_000_000;

/**
 * The first rows of the result are among the first rows of each task.
 *     limit k offset o        limit k offset o
 *       sort x           →      sort x                     one task
 *         input                   limit k + o
 *                                   sort x                 each task
 *                                     input
 * The offset counts rows of all tasks, so no task may skip any, and the outer limit stays: each task returns
 * up to `k + o` rows.
 */
export function placeLimit(planning: Planning, relation: LimitRelation, place: Place): Placed {
  const sorted = relation.input.kind === 'sort' ? relation.input : undefined;
  const most = rowsToKeep(relation);
  const below = sorted?.input ?? relation.input;
  const partial = planning.once(relation, 'first rows of each task', () => first(below));
  const before = materializedBefore(planning, partial);
  if (before !== undefined) return finish(gather(planning, before));
  const input = gatherWhenSmall(planning, place(below));
  const there = singleFragment(input);
  if (there !== undefined) return finish(there);
  if (most === undefined) {
    planning.gatherReason('a limit that is no small number is applied in one task', relation.input);
    return finish(gather(planning, input));
  }
  const early: Placed = {
    relation: partial,
    fragments: input.fragments.map((fragment) => {
      const here = forward(planning, fragment);
      return { ...withOperator(here, first(here.relation), sameColumns(here.relation)), hashed: [] };
    }),
  };
  return finish(gather(planning, early));

  function first(inner: Relation): Relation {
    return firstRows(sorted === undefined ? inner : sort(inner, sorted.keys), most ?? 0);
  }

  /** Finishes in one task: another task could return other rows among equal ones. */
  function finish({ relation: inner, placement }: { relation: Relation; placement: string }): Placed {
    return placedAs(relation, {
      relation: { ...relation, input: sorted === undefined ? inner : { ...sorted, input: inner } },
      placement: placement === 'coordinator' ? 'coordinator' : 'single',
      hashKeyChoices: [],
    });
  }
}

function rowsToKeep({ limit, offset, isPercent }: LimitRelation): number | undefined {
  if (isPercent || limit === undefined) return undefined;
  const rows = constantNumber(limit);
  const skipped = offset === undefined ? 0 : constantNumber(offset);
  if (rows === undefined || skipped === undefined) return undefined;
  return rows + skipped <= MOST_ROWS ? rows + skipped : undefined;
}
