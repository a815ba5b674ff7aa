import type { AggregateRelation } from '../../relational/relation.ts';
import { type SplitAggregate, splitAggregate } from '../aggregates/split-aggregate.ts';
import { commonShare, sharesOf } from '../estimate/common-values.ts';
import { groupCount } from '../estimate/estimate.ts';
import { plainReference } from '../tree/expressions.ts';
import { coLocatedWithin } from './co-located.ts';
import { scanOf } from './column-origin.ts';
import { exchangeBelow, hashCost, KEYS_FOR_EACH_NODE } from './early-exchange.ts';
import {
  broadcast,
  forward,
  gather,
  gatherWhenSmall,
  hashKeysWithin,
  materializedBefore,
  repartition,
} from './exchange.ts';
import { type Fragment, keyedBy, type Place, type Placed, placedAs, singleFragment } from './fragment.ts';
import { partitionReplicated } from './partition-replicated.ts';
import type { Planning } from './planning.ts';
import { isSameEverywhere } from './same-everywhere.ts';

/** Up to this number of partial rows, one task merges them. */
const FEW_ROWS = 100_000;
/** Partial aggregation pays if it leaves less than this fraction of the rows. */
const REDUCES = 0.75;

/**
 * Places an aggregate. If all rows of each group are in one task already, that task computes the group. Otherwise each task
 * aggregates its rows and the partial results are merged; aggregates that must see all rows of a group get an exchange first.
 */
export function placeAggregate(planning: Planning, relation: AggregateRelation, place: Place): Placed {
  const split = planning.once(relation, 'split', () => splitAggregate(relation));
  if (split !== undefined) {
    planning.partials.add(split.partial);
    const before = materializedBefore(planning, split.partial);
    if (before !== undefined) return finish(planning, relation, split, before);
  }
  preferGroupsAbove(planning, relation);
  const placed = gatherWhenSmall(planning, place(relation.input));
  const input = {
    ...placed,
    fragments: placed.fragments.map((fragment) => partitionReplicated(planning, fragment)),
  };
  const there = singleFragment(input);
  if (there !== undefined) return placedAs(relation, together(relation, there));
  const keys = commonGroups(relation);
  const local = coLocatedWithin(planning, input, new Set(keys));
  if (local !== undefined) return placedAs(relation, inEachTask(relation, local));
  const hashed = hashKeysWithin(planning, input, new Set(keys));
  if (hashed !== undefined && input.fragments.length === 1)
    return placedAs(relation, inEachTask(relation, repartition(planning, input, hashed)));
  const isReduced = split !== undefined && reduces(planning, relation, input);
  const early = exchangeBelow(
    planning,
    input,
    keys,
    isReduced ? partialCost(planning, relation, split) : hashCost(planning, relation.input, keys),
  );
  if (early !== undefined) return placedAs(relation, inEachTask(relation, early));
  if (isReduced)
    return finish(planning, relation, split, {
      relation: split.partial,
      fragments: input.fragments.map((fragment): Fragment => {
        const here = forward(planning, fragment);
        const { relation: input } = here;
        return { ...here, hashKeyChoices: [], keyed: undefined, relation: { ...split.partial, input } };
      }),
    });
  if (keys.length > 0) {
    const preferred = preferredGroups(planning, relation)?.map(
      (group) => plainReference(relation.groups[group]!)!,
    );
    return placedAs(relation, inEachTask(relation, repartition(planning, input, preferred ?? keys)));
  }
  planning.gatherReason(`an aggregate that sees all rows`, relation.input);
  return placedAs(relation, together(relation, gather(planning, input)));
}

function finish(
  planning: Planning,
  relation: AggregateRelation,
  split: SplitAggregate,
  partial: Placed,
): Placed {
  const groups = planning.estimates.of(relation).rows;
  const known = planning.fixed.has(partial.relation)
    ? planning.estimates.of(partial.relation).rows
    : undefined;
  const rows = known ?? groups * planning.nodes;
  const isWhole =
    split.keys.length === 0 || rows <= Math.min(FEW_ROWS, planning.facts.cluster.gatherLimitRows);
  if (isWhole) {
    const { relation: rowsThere } = broadcast(planning, partial, split.keys);
    return placedAs(relation, {
      relation: split.finish(rowsThere),
      placement: isSameEverywhere(relation) ? 'replicated' : 'single',
      hashKeyChoices: [],
    });
  }
  const keys = preferredGroups(planning, relation) ?? split.keys;
  const fragment = repartition(planning, partial, keys);
  const isPlain = split.keys.length === relation.groups.length;
  return placedAs(relation, {
    relation: split.finish(fragment.relation),
    placement: 'hash',
    // With grouping sets, the number of the set is a key too and is not among the columns.
    hashKeyChoices: isPlain ? [keys] : [],
  });
}

/** Aggregates rows that are all in one place. */
function together(relation: AggregateRelation, fragment: Fragment): Fragment {
  return {
    relation: { ...relation, input: fragment.relation },
    placement:
      fragment.placement === 'replicated' && !isSameEverywhere(relation) ? 'single' : fragment.placement,
    hashKeyChoices: [],
  };
}

/** Aggregates in each task, which has all rows of its groups. */
function inEachTask(relation: AggregateRelation, fragment: Fragment): Fragment {
  const groupOf = (key: number) => relation.groups.findIndex((group) => plainReference(group) === key);
  return {
    ...fragment,
    relation: { ...relation, input: fragment.relation },
    hashKeyChoices: fragment.hashKeyChoices
      .map((keys) => keys.map(groupOf))
      .filter((keys) => !keys.includes(-1)),
    keyed: keyedBy(
      fragment.keyed,
      (fragment.keyed?.columns ?? []).map(groupOf).filter((group) => group !== -1),
    ),
    output: undefined,
  };
}

/** The input positions of the group columns that are in every grouping set. */
function commonGroups({ groups, groupingSets }: AggregateRelation): readonly number[] {
  const [first = [], ...others] = groupingSets;
  const common = first.filter((i) => others.every((set) => set.includes(i)));
  const keys = common.map((i) => plainReference(groups[i]!)).filter((key) => key !== undefined);
  return [...new Set(keys)];
}

/** The cost in CPU µs of exchanging the partial rows of all tasks. */
function partialCost(planning: Planning, relation: AggregateRelation, { partial }: SplitAggregate): number {
  const input = planning.estimates.of(relation.input).rows;
  const rows = Math.max(1, planning.estimates.of(relation).rows);
  const copies = Math.min(planning.nodes, Math.max(1, input / rows));
  return copies * hashCost(planning, partial, []);
}

/** Whether partial aggregation reduces the rows enough to be worth its work. */
function reduces(planning: Planning, relation: AggregateRelation, placed: Placed): boolean {
  // Without a group column common to all sets, the alternative is to gather all rows into one task.
  if (commonGroups(relation).length === 0) return true;
  const input = planning.estimates.of(relation.input).rows;
  const groups = planning.estimates.of(relation).rows;
  if (input < FEW_ROWS) return true;
  if (isClustered(planning, relation, placed)) return true;
  const { few, rest } = commonGroupRows(planning, relation);
  const each = Math.min(input, few + groupCount([groups], (input * rest) / planning.nodes) * planning.nodes);
  const left = Math.min(input * relation.groupingSets.length, each);
  return left < input * REDUCES;
}

/**
 * Returns how many rows all tasks together send for the groups of common values after partial aggregation, and the share of the
 * input that belongs to other groups.
 */
function commonGroupRows(
  planning: Planning,
  { input, groups }: AggregateRelation,
): { readonly few: number; readonly rest: number } {
  const { rows, tableColumns } = planning.estimates.of(input);
  let [share, combinations] = [1, 1];
  for (const group of groups) {
    const key = plainReference(group);
    const shares = key === undefined ? undefined : sharesOf(tableColumns[key]);
    share *= commonShare(shares);
    combinations *= 1 + (shares?.common.size ?? 0);
  }
  return { few: Math.min(rows * share, combinations * planning.nodes), rest: 1 - share };
}

/** Whether most groups have all their rows in one task because the table is clustered by a group column. */
const isClustered = (planning: Planning, { groups }: AggregateRelation, { fragments }: Placed): boolean =>
  fragments.every(
    ({ placement, relation }) =>
      placement === 'source' &&
      groups.some((group) => {
        const key = plainReference(group);
        const found = key === undefined ? undefined : scanOf(relation, key);
        if (found === undefined || !planning.partitionedScans.has(found.scan)) return false;
        return planning.facts.tables.get(found.scan.relation)?.clusteredBy?.has(found.column) === true;
      }),
  );

/** The group columns that the operator above wants to hash by, if they have enough values to keep all nodes busy. */
function preferredGroups(planning: Planning, relation: AggregateRelation): readonly number[] | undefined {
  const preferred = planning.preferredKeys.get(relation);
  if (preferred === undefined) return undefined;
  const { rows, distinct } = planning.estimates.of(relation);
  const groups = groupCount(
    preferred.map((key) => distinct[key] ?? 1),
    rows,
  );
  return groups < KEYS_FOR_EACH_NODE * planning.nodes ? undefined : preferred;
}

/** Hashes an inner aggregate by the groups of the outer one, so that its rows need not move again. */
function preferGroupsAbove(planning: Planning, { input, groups, groupingSets }: AggregateRelation): void {
  if (input.kind !== 'aggregate' || groups.length === 0 || groupingSets.length !== 1) return;
  const keys = groups.map(plainReference).filter((key) => key !== undefined && key < input.groups.length);
  if (keys.length === groups.length && keys.every((key) => key !== undefined))
    planning.preferredKeys.set(input, keys);
}
