import type { JoinRelation, JoinType, Relation } from '../../relational/relation.ts';
import { filter } from '../tree/build.ts';
import { isNotNull, referenceTo } from '../tree/expressions.ts';
import { readForwarded } from './co-located.ts';
import { buildFilter, filterByBuild, isWorthSummarising } from './dynamic-filter.ts';
import { equalKeys, type KeyPair } from './equal-keys.ts';
import { broadcast, forward, gather, gatherWhenSmall, repartition } from './exchange.ts';
import {
  commonPlacement,
  type Fragment,
  keyedBy,
  type Place,
  type Placed,
  placedAs,
  singleFragment,
  withOperator,
} from './fragment.ts';
import { joinStrategy } from './join-strategy.ts';
import { limitToKeys } from './key-limit.ts';
import { mayBroadcast } from './may-broadcast.ts';
import { nullAwareMark } from './null-aware-mark.ts';
import type { Planning } from './planning.ts';
import { replicate } from './replicate.ts';
import { possibleReduction, rowReduction } from './row-reduction.ts';
import { dropsUnmatched } from './unmatched-rows.ts';
import type { CoLocatedSides, JoinStrategy } from './weighed-strategy.ts';

/** The choice of strategy is deferred until the actual size is known if the estimate is within this factor of the broadcast limit. */
const WAIT_SHARE = 8;
/** The choice is also deferred if one side is estimated to be smaller than the other by this factor. */
const MUCH_LESS = 4;
/**
 * The uncertainty of estimates: a side that is estimated to be larger by up to this factor may turn out to be
 * the smaller one.
 */
const ABOUT_AS_MUCH = 3;

/**
 * Places a join: every task of one side computes the other side (replicated) or is sent it (broadcast), or
 * both sides are hashed by equal keys.
 *     join k                 join k                       join k                     join k
 *       scan a (source)  →     scan a (source)       or     scan a (source)     or     input a (hash of k)
 *       scan b (source)        scan b (replicated)          input b (broadcast)        input b (hash of k)
 * A side whose unmatched rows are returned (the left side of a LEFT join) must not be broadcast or
 * replicated: each task without a match would return the row again.
 */
export function placeJoin(planning: Planning, join: JoinRelation, below: Place): Placed {
  const rewritten = planning.once(join, 'hashed mark join', () => hashableMark(planning, join));
  if (rewritten !== undefined) return { ...below(rewritten), relation: join };
  const [left, right] = gatherSmallSides(planning, below(join.left), below(join.right));
  const strategy = joinStrategy(planning, join, left, right);
  switch (strategy.kind) {
    case 'single': {
      const sides = [gather(planning, left), gather(planning, right)] as const;
      return placedAs(join, {
        relation: withSides(join, sides[0].relation, sides[1].relation),
        placement: commonPlacement(sides),
        hashKeyChoices: [],
      });
    }
    case 'replicated':
    case 'broadcast':
      return strategy.side === 'right'
        ? broadcastJoin(planning, join, left, right, strategy)
        : broadcastJoin(planning, join, right, left, strategy);
    case 'co-located':
      return coLocatedJoin(planning, join, strategy.sides);
    case 'hash':
      return hashJoin(planning, join, left, right, strategy.leftKeys, strategy.rightKeys);
  }
}

/** Gathers both sides into one task if both are small. */
function gatherSmallSides(planning: Planning, left: Placed, right: Placed): readonly [Placed, Placed] {
  const few = [gatherWhenSmall(planning, left), gatherWhenSmall(planning, right)] as const;
  return few.every((side) => singleFragment(side) !== undefined) ? few : [left, right];
}

/** Rewrites a mark join that cannot be broadcast into a form that can be hashed. */
function hashableMark(planning: Planning, join: JoinRelation): Relation | undefined {
  if (join.type !== 'mark' || equalKeys(join).length > 0) return undefined;
  const { bytes } = planning.estimates.of(join.right);
  if (bytes <= planning.facts.cluster.broadcastLimitBytes) return undefined;
  return nullAwareMark(join, planning.newSharedId());
}

function broadcastJoin(
  planning: Planning,
  join: JoinRelation,
  probe: Placed,
  build: Placed,
  { kind, side }: JoinStrategy & { readonly side: 'left' | 'right' },
): Placed {
  const pairs = equalKeys(join);
  const buildKeys = pairs.map((pair) => pair[side]);
  const replicated = kind === 'replicated' ? replicate(planning, build) : undefined;
  const { rows } = planning.estimates.of(build.relation);
  const isReplicated =
    replicated !== undefined && !isWorthSummarising(planning, join, probe, side, pairs, replicated, rows);
  if (isReplicated) limitToKeys(planning, join, side, { other: probe, own: build, replicated });
  // The broadcast is decided again when the actual size is known, so the output gets hash buckets too.
  const whole = isReplicated ? replicated : broadcast(planning, computedOnce(build), buildKeys);
  const fragments = probe.fragments.map((fragment): Fragment => {
    const here = forward(planning, fragment);
    const relation =
      side === 'right'
        ? withSides(join, here.relation, whole.relation)
        : withSides(join, whole.relation, here.relation);
    const placed = withOperator(here, relation, keptColumns(join, side === 'right' ? 'left' : 'right'));
    if (join.type !== 'inner') return placed;
    const { keyed, hashKeyChoices } = placed;
    return {
      ...placed,
      hashKeyChoices: withEqual(hashKeyChoices, join, pairs),
      keyed: keyedBy(keyed, withEqual(keyed?.columns.map((column) => [column]) ?? [], join, pairs).flat()),
    };
  });
  const sides = side === 'right' ? { left: probe, right: build } : { left: build, right: probe };
  const reduction = rowReduction(planning, join, { ...sides, isProbeMoved: false }, pairs, side);
  filterByBuild(planning, join, probe.fragments, side, pairs, whole.relation, reduction?.pair);
  return placedAs(join, ...fragments);
}

/** Computes in one task what every task could compute, so that the rows are the output of a stage. */
function computedOnce(placed: Placed): Placed {
  const [only] = placed.fragments;
  return placed.fragments.length === 1 && only?.placement === 'replicated'
    ? { ...placed, fragments: [{ ...only, placement: 'single' }] }
    : placed;
}

function coLocatedJoin(
  planning: Planning,
  join: JoinRelation,
  { left, right, keys }: CoLocatedSides,
): Placed {
  const width = join.left.columns.length;
  const { type } = join;
  const ofLeft = keepsPartitioning(type, 'left') ? left.keyed.columns : [];
  const ofRight = keepsPartitioning(type, 'right')
    ? right.keyed.columns.map((column) => column + (isRightOnly(type) ? 0 : width))
    : [];
  planning.coLocated.set(join.conditions, keys.left);
  for (const side of [left, right]) readForwarded(planning, side);
  return placedAs(join, {
    relation: withSides(join, left.relation, right.relation),
    placement: 'source',
    hashKeyChoices: [],
    keyed: keyedBy(left.keyed, [...ofLeft, ...ofRight]),
    forwardedFrom: left.forwardedFrom ?? right.forwardedFrom,
  });
}

function hashJoin(
  planning: Planning,
  join: JoinRelation,
  left: Placed,
  right: Placed,
  leftKeys: readonly number[],
  rightKeys: readonly number[],
): Placed {
  const pairs = equalKeys(join);
  const sides = { left, right };
  const later = deferredSide(planning, join);
  const reduction = rowReduction(planning, join, { ...sides, isProbeMoved: true }, pairs, later);
  const first = later ?? reduction?.buildSide ?? 'right';
  const before = new Set(planning.drafts);
  const keys = { left: leftKeys, right: rightKeys };
  const repartitionSide = (side: 'left' | 'right') =>
    repartition(planning, withoutNullKeys(planning, join, sides[side], side, pairs), keys[side]);
  const build = repartitionSide(first);
  const builds = planning.drafts.filter((draft) => !before.has(draft));
  const probe = repartitionSide(first === 'left' ? 'right' : 'left');
  const probes = planning.drafts.filter((draft) => !before.has(draft) && !builds.includes(draft));
  if (later !== undefined) for (const draft of probes) for (const { id } of builds) draft.after.add(id);
  const [l, r] = first === 'left' ? [build, probe] : [probe, build];
  filterByBuild(planning, join, probes, first, pairs, build.relation, reduction?.pair);
  if (later !== undefined && reduction === undefined) {
    const possible = possibleReduction(planning, join, { ...sides, isProbeMoved: true }, pairs, later);
    if (possible !== undefined) buildFilter(planning, build.relation, possible[later]);
  }
  const width = l.relation.columns.length;
  const { type } = join;
  const ofLeft = keepsPartitioning(type, 'left') ? l.hashKeyChoices : [];
  const ofRight = keepsPartitioning(type, 'right')
    ? r.hashKeyChoices.map((choice) => choice.map((key) => key + (isRightOnly(type) ? 0 : width)))
    : [];
  return placedAs(join, {
    relation: withSides(join, l.relation, r.relation),
    placement: 'hash',
    hashKeyChoices: [...ofLeft, ...ofRight],
  });
}

/** The side whose actual size should be awaited, because it may turn out small enough to be broadcast. */
function deferredSide(planning: Planning, join: JoinRelation): 'left' | 'right' | undefined {
  const limit = planning.facts.cluster.broadcastLimitBytes * WAIT_SHARE;
  const sides = (['right', 'left'] as const).filter((side) => {
    if (!mayBroadcast(join.type, side)) return false;
    const estimate = planning.estimates.of(join[side]);
    const other = planning.estimates.of(side === 'left' ? join.right : join.left);
    return !estimate.isCertain && (estimate.bytes <= limit || estimate.bytes * MUCH_LESS <= other.bytes);
  });
  const bytesOf = (side: 'left' | 'right') => planning.estimates.of(join[side]).bytes;
  const [smallest] = sides.sort((a, b) => bytesOf(a) - bytesOf(b));
  if (smallest === undefined) return undefined;
  const other = bytesOf(smallest === 'left' ? 'right' : 'left');
  return bytesOf(smallest) < other * ABOUT_AS_MUCH ? smallest : undefined;
}

/**
 * Filters out rows with a NULL key, which cannot match: they need not move, and would all be in one bucket.
 */
function withoutNullKeys(
  planning: Planning,
  join: JoinRelation,
  placed: Placed,
  side: 'left' | 'right',
  pairs: readonly KeyPair[],
): Placed {
  if (!dropsUnmatched(join.type, side) || join.isAsof) return placed;
  const keys = [...new Set(pairs.filter(({ isNullSafe }) => !isNullSafe).map((pair) => pair[side]))];
  if (keys.length === 0) return placed;
  const isTravelling = placed.fragments.some(
    ({ placement }) => placement === 'source' || placement === 'hash',
  );
  if (!isTravelling) return placed;
  if (planning.materialized.has(placed.relation)) return placed;
  return {
    relation: placed.relation,
    fragments: placed.fragments.map((fragment) =>
      fragment.placement !== 'source'
        ? fragment
        : {
            ...fragment,
            relation: filter(
              fragment.relation,
              keys.map((key) => isNotNull(referenceTo(fragment.relation, key))),
            ),
          },
    ),
  };
}

/** Whether rows returned by the join are still hashed by the keys of the side. */
function keepsPartitioning(type: JoinType, side: 'left' | 'right'): boolean {
  if (type === 'inner') return true;
  if (type === 'full') return false;
  const isByRight = type === 'right' || isRightOnly(type);
  return side === (isByRight ? 'right' : 'left');
}

const isRightOnly = (type: JoinType): boolean => type === 'right_semi' || type === 'right_anti';

/** For each column of the join, the column of the side that it passes through. */
function keptColumns(join: JoinRelation, side: 'left' | 'right'): readonly (number | undefined)[] {
  const width = join.left.columns.length;
  if (isRightOnly(join.type)) return join.columns.map((_, i) => (side === 'right' ? i : undefined));
  return join.columns.map((_, i) =>
    side === 'left' ? (i < width ? i : undefined) : i >= width ? i - width : undefined,
  );
}

/** Rows that are hashed by a column are also hashed by a column that the join makes equal to it. */
function withEqual(
  hashed: readonly (readonly number[])[],
  join: JoinRelation,
  pairs: readonly KeyPair[],
): readonly (readonly number[])[] {
  const width = join.left.columns.length;
  const choices = [...hashed];
  for (const keys of hashed)
    for (const { left, right } of pairs)
      for (const [from, to] of [
        [left, right + width],
        [right + width, left],
      ] as const)
        if (keys.includes(from) && choices.length < 8)
          choices.push(keys.map((key) => (key === from ? to : key)));
  return choices;
}

const withSides = (join: JoinRelation, left: Relation, right: Relation): JoinRelation => ({
  ...join,
  left,
  right,
});
