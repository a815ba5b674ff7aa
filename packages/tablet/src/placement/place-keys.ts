import { NodePreference } from './node-preference.ts';
import type { SplitRange } from './split-keys.ts';

/** A node may take this many times its even share, so that most ranges can stay where they were. */
const SLACK = 1.05;
/**
 * The capacity of a node grows in steps of this factor, so that a table that grows a little keeps its
 * placement.
 */
const STEP = 1.05;

/**
 * Assigns each range of keys to a node, by rendezvous hashing of the range's group with an upper bound on the
 * rows of a node. Few ranges move when a node joins or leaves. The result depends only on the ranges and
 * names.
 * @returns for each range the position of its node in `names`
 */
export function placeKeys(ranges: readonly SplitRange[], names: readonly string[]): readonly number[] {
  const preference = new NodePreference(names);
  const sumOf = (positions: readonly number[]) => positions.reduce((sum, i) => sum + ranges[i]!.rows, 0);
  const all = [...ranges.keys()];
  const mean = sumOf(all) / names.length;
  // Ranges that exceed an even share are assigned first, so that the other ranges go to the other nodes.
  const heavy = all.filter((i) => ranges[i]!.rows > mean);
  const others = all.filter((i) => ranges[i]!.rows <= mean);
  const even = sumOf(others) / Math.max(1, names.length - heavy.length);
  const bound = STEP ** Math.ceil(Math.log(Math.max(1, even * SLACK)) / Math.log(STEP));
  const loads = names.map(() => 0);
  const nodes = new Array<number>(ranges.length);
  for (const i of [...heavy, ...others]) {
    const { group, rows } = ranges[i]!;
    const preferred = preference.of(group);
    let node = preferred(0);
    const isFull = (one: number) => loads[one]! > 0 && loads[one]! + rows / 2 > bound;
    for (let rank = 1; node !== undefined && isFull(node); rank++) node = preferred(rank);
    const chosen = node ?? loads.indexOf(Math.min(...loads));
    loads[chosen]! += rows;
    nodes[i] = chosen;
  }
  return nodes;
}
