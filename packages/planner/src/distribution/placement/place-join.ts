import type { JoinRelation, JoinType, Relation } from '../../relational/relation.ts';
import { nullAwareMark } from '../rewrites/null-aware-mark.ts';
import { filter } from '../tree/build.ts';
import { isNotNull, referenceTo } from '../tree/expressions.ts';
import { filterByBuild, isWorthTelling } from './dynamic-filter.ts';
import { equalKeys, type KeyPair } from './equal-keys.ts';
import { everywhere, forwarded, gatheredWhenFew, inBuckets, inOne } from './exchange.ts';
import {
  type Fragment,
  inOnePlace,
  over,
  type Place,
  type Placed,
  placedAs,
  placeOfAll,
} from './fragment.ts';
import { isHeavy, joinStrategy, mayBroadcast } from './join-strategy.ts';
import type { Planning } from './planning.ts';
import { dropsUnmatched } from './unmatched-rows.ts';

/** Of the limit for broadcasts, so much a side may have by its estimate and still be waited for to see what it has. */
const WAIT_SHARE = 8;
/** A side of so much less than the other is waited for too. */
const MUCH_LESS = 4;
/** A side may turn out to be less than the other although it is thought to be so much more. */
const ABOUT_AS_MUCH = 3;

/**
 * Brings the rows of a join together: one side in every task of the other, or both hashed by equal keys.
 *
 *     join k                  join k                     join k
 *       scan a (shards)  →      scan a (shards)     or     input a (buckets of k)
 *       scan b (shards)         input b (broadcast)        input b (buckets of k)
 *
 * Broadcasting a side whose unmatched rows are given too (the left of a LEFT join) would give them once for each task that
 * finds no match for them.
 */
export function placeJoin(planning: Planning, join: JoinRelation, below: Place): Placed {
  const rewritten = planning.once(join, 'hashed mark join', () => hashedMark(planning, join));
  if (rewritten !== undefined) return { ...below(rewritten), relation: join };
  const [left, right] = sidesOf(planning, below(join.left), below(join.right));
  const strategy = joinStrategy(planning, join, left, right);
  switch (strategy.kind) {
    case 'in one place': {
      const sides = [inOne(planning, left), inOne(planning, right)] as const;
      return placedAs(join, {
        relation: over2(join, sides[0].relation, sides[1].relation),
        placement: placeOfAll(sides),
        hashed: [],
      });
    }
    case 'broadcast':
      return strategy.side === 'right'
        ? broadcastJoin(planning, join, left, right, 'right')
        : broadcastJoin(planning, join, right, left, 'left');
    case 'hashed':
      return hashedJoin(planning, join, left, right, strategy.leftKeys, strategy.rightKeys);
  }
}

/** In one place both, when few rows are left of both. */
function sidesOf(planning: Planning, left: Placed, right: Placed): readonly [Placed, Placed] {
  const few = [gatheredWhenFew(planning, left), gatheredWhenFew(planning, right)] as const;
  return few.every((side) => inOnePlace(side) !== undefined) ? few : [left, right];
}

/** A mark join of which no side can be everywhere, in a form that can be hashed. */
function hashedMark(planning: Planning, join: JoinRelation): Relation | undefined {
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
  side: 'left' | 'right',
): Placed {
  const pairs = equalKeys(join);
  const lone = build.fragments.length === 1 ? build.fragments[0] : undefined;
  const rows = planning.estimates.of(build.relation).rows;
  const buildKeys = pairs.map((pair) => pair[side]);
  // A choice by sizes is made again when they are known: so the rows are left in buckets too.
  const prepared =
    lone?.placement === 'whole' &&
    (isHeavy(planning, lone, rows) || isWorthTelling(planning, join, probe, side, pairs, lone, rows))
      ? { ...build, fragments: [{ ...lone, placement: 'single' as const }] }
      : build;
  const whole = everywhere(planning, prepared, buildKeys);
  const fragments = probe.fragments.map((fragment): Fragment => {
    const here = forwarded(planning, fragment);
    const relation =
      side === 'right'
        ? over2(join, here.relation, whole.relation)
        : over2(join, whole.relation, here.relation);
    const placed = over(here, relation, keptColumns(join, side === 'right' ? 'left' : 'right'));
    return join.type === 'inner' ? { ...placed, hashed: withEqual(placed.hashed, join, pairs) } : placed;
  });
  filterByBuild(planning, join, probe, side, pairs, whole.relation);
  return placedAs(join, ...fragments);
}

function hashedJoin(
  planning: Planning,
  join: JoinRelation,
  left: Placed,
  right: Placed,
  leftKeys: readonly number[],
  rightKeys: readonly number[],
): Placed {
  const pairs = equalKeys(join);
  const later = decidedLater(planning, join);
  const first = later === 'left' ? 'left' : 'right';
  const before = new Set(planning.drafts);
  const sides = { left, right };
  const keys = { left: leftKeys, right: rightKeys };
  const cutSide = (side: 'left' | 'right') =>
    inBuckets(planning, withoutNullKeys(planning, join, sides[side], side, pairs), keys[side]);
  const build = cutSide(first);
  const builds = planning.drafts.filter((draft) => !before.has(draft));
  const probe = cutSide(first === 'left' ? 'right' : 'left');
  const probes = planning.drafts.filter((draft) => !before.has(draft) && !builds.includes(draft));
  if (later !== undefined) for (const draft of probes) for (const { id } of builds) draft.after.add(id);
  const [l, r] = first === 'left' ? [build, probe] : [probe, build];
  filterByBuild(planning, join, sides[first === 'left' ? 'right' : 'left'], first, pairs, build.relation);
  const width = l.relation.columns.length;
  const { type } = join;
  const ofLeft = keepsPlace(type, 'left') ? l.hashed : [];
  const ofRight = keepsPlace(type, 'right')
    ? r.hashed.map((choice) => choice.map((key) => key + (isRightOnly(type) ? 0 : width)))
    : [];
  return placedAs(join, {
    relation: over2(join, l.relation, r.relation),
    placement: 'buckets',
    hashed: [...ofLeft, ...ofRight],
  });
}

/** The side that is waited for, since it may turn out small enough to be broadcast. */
function decidedLater(planning: Planning, join: JoinRelation): 'left' | 'right' | undefined {
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

/** Rows that match none because a key is NULL need not travel, and would all meet in one bucket. */
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
    ({ placement }) => placement === 'shards' || placement === 'buckets',
  );
  if (!isTravelling) return placed;
  if (planning.cuts.has(placed.relation)) return placed;
  return {
    relation: placed.relation,
    fragments: placed.fragments.map((fragment) =>
      fragment.placement !== 'shards'
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

/** Whether rows given by the join lie in the buckets of their keys of the side. */
function keepsPlace(type: JoinType, side: 'left' | 'right'): boolean {
  if (type === 'inner') return true;
  if (type === 'full') return false;
  const isByRight = type === 'right' || isRightOnly(type);
  return side === (isByRight ? 'right' : 'left');
}

const isRightOnly = (type: JoinType): boolean => type === 'right_semi' || type === 'right_anti';

/** For each column of the join the one of a side that it is. */
function keptColumns(join: JoinRelation, side: 'left' | 'right'): readonly (number | undefined)[] {
  const width = join.left.columns.length;
  if (isRightOnly(join.type)) return join.columns.map((_, i) => (side === 'right' ? i : undefined));
  return join.columns.map((_, i) =>
    side === 'left' ? (i < width ? i : undefined) : i >= width ? i - width : undefined,
  );
}

/** Rows hashed by a column are hashed by the one that is equal to it too. */
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

const over2 = (join: JoinRelation, left: Relation, right: Relation): JoinRelation => ({
  ...join,
  left,
  right,
});
