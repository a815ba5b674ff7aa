import type { JoinRelation, JoinType } from '../../relational/relation.ts';
import { equalKeys, type KeyPair } from './equal-keys.ts';
import { hashKeysWithin } from './exchange.ts';
import { type Fragment, type Placed, singleFragment } from './fragment.ts';
import { rowsRead } from './partition-replicated.ts';
import type { Planning } from './planning.ts';

/** How the two sides of a join are brought together. */
export type JoinStrategy =
  | { readonly kind: 'single' }
  /** Every task of the other side reads all rows of this side. */
  | { readonly kind: 'broadcast'; readonly side: 'left' | 'right' }
  | { readonly kind: 'hash'; readonly leftKeys: readonly number[]; readonly rightKeys: readonly number[] };

/** Join types whose right (left) side may be broadcast: they emit rows of that side only together with a row of the other. */
const BROADCAST_RIGHT: ReadonlySet<JoinType> = new Set(['inner', 'left', 'semi', 'anti', 'mark', 'single']);
const BROADCAST_LEFT: ReadonlySet<JoinType> = new Set(['inner', 'right', 'right_semi', 'right_anti']);

/** A replicated scan of more rows than this is replaced by one scan and a broadcast if few rows pass its filters. */
const HEAVY_ROWS = 2_000_000;

/** Cost of moving a row in addition to its bytes, in bytes. */
const ROW_COST = 16;
/** Cost of starting the tasks of one more exchange, in bytes moved. */
const EXCHANGE_COST = 2 ** 22;

export const mayBroadcast = (type: JoinType, side: 'left' | 'right'): boolean =>
  (side === 'right' ? BROADCAST_RIGHT : BROADCAST_LEFT).has(type);

/**
 * Chooses the cheapest correct strategy by the bytes that move: a broadcast sends one side to all other nodes, a hash exchange
 * sends both sides once, except a side that is hashed already. A broadcast above the limit is chosen only if nothing else works.
 */
export function joinStrategy(
  planning: Planning,
  join: JoinRelation,
  left: Placed,
  right: Placed,
): JoinStrategy {
  const isLeftThere = singleFragment(left);
  const isRightThere = singleFragment(right);
  if (isLeftThere && isRightThere) return { kind: 'single' };
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
    costs.push([cost, { kind: 'hash', leftKeys: hashed.leftKeys, rightKeys: hashed.rightKeys }]);
  }
  const [best] = costs.sort(([a], [b]) => a - b);
  if (best === undefined) {
    for (const side of [join.left, join.right])
      planning.gatherReason(`a ${join.type} join without equality runs in one task`, side);
    return { kind: 'single' };
  }
  const [cost, strategy] = best;
  if (cost < Number.POSITIVE_INFINITY) return strategy;
  // Only broadcasts above the limit are left: choose the smaller side.
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

/** Cost of a broadcast in bytes moved; infinite above the limit. */
function broadcastCost(planning: Planning, placed: Placed): number {
  const there = singleFragment(placed);
  const { bytes, rows } = planning.estimates.of(placed.relation);
  if (there?.placement === 'replicated' && !isHeavy(planning, there, rows)) return 0;
  if (bytes > planning.facts.cluster.broadcastLimitBytes) return Number.POSITIVE_INFINITY;
  return sendingCost(planning, placed) * Math.max(1, planning.nodes - 1) + EXCHANGE_COST;
}

function sendingCost(planning: Planning, { relation }: Placed): number {
  const { rows, bytes } = planning.estimates.of(relation);
  return bytes + rows * ROW_COST;
}

/** Whether a replicated fragment reads many rows to produce few, so that one task should read it and broadcast the result. */
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

/** Chooses the keys to hash both sides by, preferring keys that a side is hashed by already. */
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
  const keys = hashKeysWithin(planning, placed, new Set(pairs.map((pair) => pair[side])));
  if (keys === undefined) return undefined;
  const across = side === 'left' ? 'right' : 'left';
  const otherKeys = keys.map((key) => pairs.find((pair) => pair[side] === key)![across]);
  const isOtherThere = hashKeysWithin(planning, other, new Set(otherKeys))?.join() === otherKeys.join();
  return side === 'left'
    ? { leftKeys: keys, rightKeys: otherKeys, isLeftThere: true, isRightThere: isOtherThere }
    : { leftKeys: otherKeys, rightKeys: keys, isLeftThere: isOtherThere, isRightThere: true };
}
