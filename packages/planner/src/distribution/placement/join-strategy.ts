import type { JoinRelation } from '../../relational/relation.ts';
import { coLocatedSides } from './co-located.ts';
import { COST_CONSTANTS as COST } from './cost/cost-constants.ts';
import { exchangeCost, writeCost } from './cost/exchange-cost.ts';
import { imbalance } from './cost/imbalance.ts';
import { totalWork, workOf } from './cost/relation-work.ts';
import { equalKeys, type KeyPair } from './equal-keys.ts';
import { hashKeysWithin } from './exchange.ts';
import { type Placed, singleFragment } from './fragment.ts';
import { limitToKeys } from './key-limit.ts';
import { mayBroadcast } from './may-broadcast.ts';
import { isForOneTask } from './one-task.ts';
import type { Planning } from './planning.ts';
import { replicate } from './replicate.ts';
import { dropsUnmatched } from './unmatched-rows.ts';
import type { JoinStrategy, WeighedStrategy } from './weighed-strategy.ts';

/** The fraction of a node's memory that the hash table of a replicated side may occupy. */
const REPLICATED_SHARE = 0.1;
/** The bytes that the hash table of a join needs per row in addition to the row itself. */
const HASH_ENTRY_BYTES = 16;

/**
 * Chooses the cheapest correct strategy by the CPU time of all tasks together: computing the sides, moving
 * rows, building the hash table, and lookups. A broadcast above the limit is only chosen if nothing else
 * works.
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
  const weighed = weighedStrategies(planning, join, left, right).sort((a, b) => a.cost - b.cost);
  planning.weighed.set(join.conditions, weighed);
  const [best] = weighed;
  if (best === undefined) {
    for (const side of [join.left, join.right])
      planning.gatherReason(`a ${join.type} join without equality runs in one task`, side);
    return { kind: 'single' };
  }
  if (best.cost < Number.POSITIVE_INFINITY) return best.strategy;
  // Only broadcasts above the limit are left, so the smaller side is chosen.
  const broadcasts = weighed.flatMap(({ strategy }) => (strategy.kind === 'broadcast' ? [strategy] : []));
  const bytesOf = (side: 'left' | 'right') =>
    planning.estimates.of(side === 'left' ? join.left : join.right).bytes;
  const smallest = broadcasts.sort((a, b) => bytesOf(a.side) - bytesOf(b.side))[0]!;
  planning.gatherReason(
    `a ${join.type} join without equality needs all rows of a side in every task`,
    smallest.side === 'left' ? join.left : join.right,
  );
  return smallest;
}

/** All strategies that return the correct rows. */
function weighedStrategies(
  planning: Planning,
  join: JoinRelation,
  left: Placed,
  right: Placed,
): WeighedStrategy[] {
  const weighed: WeighedStrategy[] = [];
  const tasks = planning.nodes;
  const sides = { left, right };
  const once = { left: workOnce(planning, left), right: workOnce(planning, right) };
  const rowsOf = (side: 'left' | 'right') => planning.estimates.of(join[side]).rows;
  for (const side of ['right', 'left'] as const) {
    if (!mayBroadcast(join.type, side) || (join.isAsof && side === 'left')) continue;
    const other = side === 'right' ? 'left' : 'right';
    const build = rowsOf(side) * COST.buildRow;
    const rest = once[other] + rowsOf(other) * COST.probeRow;
    const moved = broadcastCost(planning, sides[side]);
    if (moved !== undefined)
      weighed.push({
        strategy: { kind: 'broadcast', side },
        cost: rest + tasks * build + once[side] + moved,
      });
    const repeated = replicatedCost(planning, join, side, sides);
    if (repeated !== undefined)
      weighed.push({
        strategy: { kind: 'replicated', side },
        cost: rest + (repeated.isLimited ? 1 : tasks) * build + repeated.cost,
      });
  }
  const built = Math.min(rowsOf('left'), rowsOf('right')) * COST.buildRow;
  const probed = Math.max(rowsOf('left'), rowsOf('right')) * COST.probeRow;
  const there = coLocatedSides(planning, join, left, right);
  if (there !== undefined)
    weighed.push({
      strategy: { kind: 'co-located', sides: there },
      cost: once.left + once.right + built + probed,
    });
  const keys = hashedKeys(planning, join, left, right);
  if (keys !== undefined) {
    const waits = {
      left: waitFor(planning, join, 'left', keys),
      right: waitFor(planning, join, 'right', keys),
    };
    const moved = (side: 'left' | 'right', isThere: boolean) =>
      isThere ? 0 : repartitionCost(planning, sides[side], waits[side]);
    weighed.push({
      strategy: { kind: 'hash', leftKeys: keys.leftKeys, rightKeys: keys.rightKeys },
      cost:
        once.left +
        once.right +
        moved('left', keys.isLeftThere) +
        moved('right', keys.isRightThere) +
        (built + probed) * Math.max(waits.left, waits.right) +
        (keys.isLeftThere && keys.isRightThere ? 0 : tasks * COST.startTask),
    });
  }
  return weighed;
}

/** The cost of computing a side once, in one task or in several that divide its rows. */
const workOnce = (planning: Planning, { fragments }: Placed): number =>
  fragments.reduce((sum, { placement, relation }) => {
    const isDivided = placement === 'source' || placement === 'hash';
    return sum + totalWork(workOf(planning, relation), isDivided ? planning.nodes : 1);
  }, 0);

/**
 * The cost of computing a side in every task, and whether each task computes only the rows with its own keys;
 * undefined if tasks cannot do that, or if the side would not fit into a node's memory.
 */
function replicatedCost(
  planning: Planning,
  join: JoinRelation,
  side: 'left' | 'right',
  sides: Readonly<Record<'left' | 'right', Placed>>,
): { readonly cost: number; readonly isLimited: boolean } | undefined {
  const placed = sides[side];
  const fragment = replicate(planning, placed);
  if (fragment === undefined) return undefined;
  const { rows, bytes } = planning.estimates.of(placed.relation);
  const room = planning.facts.cluster.nodeMemoryBytes * REPLICATED_SHARE;
  const isOfTables = placed.fragments.some(({ placement }) => placement !== 'replicated');
  if (isOfTables && bytes + rows * HASH_ENTRY_BYTES > room) return undefined;
  const other = sides[side === 'left' ? 'right' : 'left'];
  const isLimited = limitToKeys(planning, join, side, { other, own: placed, replicated: fragment });
  return { cost: totalWork(workOf(planning, fragment.relation), planning.nodes), isLimited };
}

/** The cost of sending a side to every task; infinite above the limit. */
function broadcastCost(planning: Planning, placed: Placed): number {
  const moved = planning.estimates.of(placed.relation);
  if (moved.bytes > planning.facts.cluster.broadcastLimitBytes) return Number.POSITIVE_INFINITY;
  return stageCost(planning, placed) + exchangeCost(moved, 'broadcast', planning.nodes);
}

const repartitionCost = (planning: Planning, placed: Placed, wait: number): number =>
  stageCost(planning, placed) +
  exchangeCost(planning.estimates.of(placed.relation), 'hash', planning.nodes) * wait;

/**
 * The imbalance of a side that is hashed by its keys. A side whose rows may be divided has none: several tasks read its large
 * bucket.
 */
function waitFor(planning: Planning, join: JoinRelation, side: 'left' | 'right', keys: HashedKeys): number {
  const other = side === 'left' ? 'right' : 'left';
  if (!join.isAsof && mayBroadcast(join.type, other)) return 1;
  const hasNulls = !dropsUnmatched(join.type, side);
  return imbalance(
    planning.estimates.of(join[side]),
    side === 'left' ? keys.leftKeys : keys.rightKeys,
    planning.nodes,
    hasNulls,
  );
}

/** The cost of the tasks that compute a side and write its rows; 0 if a stage has already written them. */
function stageCost(planning: Planning, placed: Placed): number {
  const made = placed.fragments.filter(({ placement }) => placement !== 'output');
  if (made.length === 0) return 0;
  const isDivided = made.some(({ placement }) => placement === 'source' || placement === 'hash');
  const isSmall = isForOneTask(planning, { relation: placed.relation, fragments: made });
  const tasks = isDivided && !isSmall ? planning.nodes : 1;
  return tasks * COST.startTask + writeCost(planning.estimates.of(placed.relation));
}

interface HashedKeys {
  readonly leftKeys: readonly number[];
  readonly rightKeys: readonly number[];
  readonly isLeftThere: boolean;
  readonly isRightThere: boolean;
}

/** Chooses the keys to hash both sides by, preferring keys by which a side is already hashed. */
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
