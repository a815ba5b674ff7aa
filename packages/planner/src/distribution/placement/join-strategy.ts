import type { JoinRelation, JoinType } from '../../relational/relation.ts';
import { equalKeys, type KeyPair } from './equal-keys.ts';
import { hashedWithin } from './exchange.ts';
import { type Fragment, inOnePlace, type Placed } from './fragment.ts';
import type { Planning } from './planning.ts';
import { rowsRead } from './shard-whole.ts';

/** How the rows of the sides of a join come together. */
export type JoinStrategy =
  | { readonly kind: 'in one place' }
  /** All rows of a side are in every task of the other. */
  | { readonly kind: 'broadcast'; readonly side: 'left' | 'right' }
  | { readonly kind: 'hashed'; readonly leftKeys: readonly number[]; readonly rightKeys: readonly number[] };

/** Sides whose rows are given only together with rows of the other: another task may have all of them too. */
const BROADCAST_RIGHT: ReadonlySet<JoinType> = new Set(['inner', 'left', 'semi', 'anti', 'mark', 'single']);
const BROADCAST_LEFT: ReadonlySet<JoinType> = new Set(['inner', 'right', 'right_semi', 'right_anti']);

/** Rows of whole tables that are sooner read once and sent, when few are left of them. */
const HEAVY_ROWS = 2_000_000;

/** What sending a row costs besides its bytes, in bytes. */
const ROW_COST = 16;
/** What one more exchange costs, in bytes that could be sent for it: its tasks have to be started. */
const EXCHANGE_COST = 2 ** 22;

export const mayBroadcast = (type: JoinType, side: 'left' | 'right'): boolean =>
  (side === 'right' ? BROADCAST_RIGHT : BROADCAST_LEFT).has(type);

/**
 * The cheapest way that gives right answers, by what travels: a broadcast sends the side to all other nodes, a hash
 * exchange sends both sides once, unless one is there already. What is broadcast must be under the limit, when there is a choice.
 */
export function joinStrategy(
  planning: Planning,
  join: JoinRelation,
  left: Placed,
  right: Placed,
): JoinStrategy {
  const isLeftThere = inOnePlace(left);
  const isRightThere = inOnePlace(right);
  if (isLeftThere && isRightThere) return { kind: 'in one place' };
  const hashed = hashedKeys(planning, join, left, right);
  const costs: (readonly [cost: number, strategy: JoinStrategy])[] = [];
  for (const side of ['right', 'left'] as const) {
    if (!mayBroadcast(join.type, side) || (join.isAsof && side === 'left')) continue;
    costs.push([broadcastCost(planning, side === 'right' ? right : left), { kind: 'broadcast', side }]);
  }
  if (hashed !== undefined) {
    const moved = (placed: Placed, isThere: boolean) =>
      isThere ? 0 : sendingCost(planning, placed) + EXCHANGE_COST;
    const cost = moved(left, hashed.isLeftThere) + moved(right, hashed.isRightThere);
    costs.push([cost, { kind: 'hashed', leftKeys: hashed.leftKeys, rightKeys: hashed.rightKeys }]);
  }
  const [best] = costs.sort(([a], [b]) => a - b);
  if (best === undefined) {
    for (const side of [join.left, join.right])
      planning.gatherReason(`a ${join.type} join without equality runs in one task`, side);
    return { kind: 'in one place' };
  }
  const [cost, strategy] = best;
  if (cost < Number.POSITIVE_INFINITY) return strategy;
  // Over the limit, but there is no other way: the smaller one.
  const sides = costs.flatMap(([, { ...s }]) => (s.kind === 'broadcast' ? [s] : []));
  const bytesOf = (side: 'left' | 'right') =>
    planning.estimates.of(side === 'left' ? join.left : join.right).bytes;
  const smallest = sides.sort((a, b) => bytesOf(a.side) - bytesOf(b.side))[0]!;
  planning.gatherReason(
    `a ${join.type} join without equality needs all rows of a side in every task`,
    smallest.side === 'left' ? join.left : join.right,
  );
  return smallest;
}

/** Of having all rows in every task; infinite over the limit. */
function broadcastCost(planning: Planning, placed: Placed): number {
  const there = inOnePlace(placed);
  const { bytes, rows } = planning.estimates.of(placed.relation);
  if (there?.placement === 'whole' && !isHeavy(planning, there, rows)) return 0;
  if (bytes > planning.facts.cluster.broadcastLimitBytes) return Number.POSITIVE_INFINITY;
  return sendingCost(planning, placed) * Math.max(1, planning.nodes - 1) + EXCHANGE_COST;
}

function sendingCost(planning: Planning, { relation }: Placed): number {
  const { rows, bytes } = planning.estimates.of(relation);
  return bytes + rows * ROW_COST;
}

/** Much is read to give few rows: sooner once than by every task. */
export function isHeavy(planning: Planning, fragment: Fragment, rows: number): boolean {
  const read = rowsRead(planning, fragment.relation);
  return read > HEAVY_ROWS && rows < read / 4;
}

interface HashedKeys {
  readonly leftKeys: readonly number[];
  readonly rightKeys: readonly number[];
  readonly isLeftThere: boolean;
  readonly isRightThere: boolean;
}

/** The keys to hash both sides by: those by which one is hashed already, if these are among the equal ones. */
function hashedKeys(
  planning: Planning,
  join: JoinRelation,
  left: Placed,
  right: Placed,
): HashedKeys | undefined {
  const pairs = equalKeys(join);
  if (pairs.length === 0) return undefined;
  const choices = [
    choiceBy(planning, pairs, 'left', left, right),
    choiceBy(planning, pairs, 'right', right, left),
  ].filter((choice) => choice !== undefined);
  const both = choices.find(({ isLeftThere, isRightThere }) => isLeftThere && isRightThere);
  return (
    both ??
    choices[0] ?? {
      leftKeys: pairs.map((pair) => pair.left),
      rightKeys: pairs.map((pair) => pair.right),
      isLeftThere: false,
      isRightThere: false,
    }
  );
}

function choiceBy(
  planning: Planning,
  pairs: readonly KeyPair[],
  side: 'left' | 'right',
  placed: Placed,
  other: Placed,
): HashedKeys | undefined {
  const keys = hashedWithin(planning, placed, new Set(pairs.map((pair) => pair[side])));
  if (keys === undefined) return undefined;
  const across = side === 'left' ? 'right' : 'left';
  const otherKeys = keys.map((key) => pairs.find((pair) => pair[side] === key)![across]);
  const isOtherThere = hashedWithin(planning, other, new Set(otherKeys))?.join() === otherKeys.join();
  return side === 'left'
    ? { leftKeys: keys, rightKeys: otherKeys, isLeftThere: true, isRightThere: isOtherThere }
    : { leftKeys: otherKeys, rightKeys: keys, isLeftThere: isOtherThere, isRightThere: true };
}
