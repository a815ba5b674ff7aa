import { createHash } from 'node:crypto';
import type { Column, Tablet } from '@tessera/catalog';
import { type OrderedValue, orderOf, type ValueOrder } from '../values/order.ts';
import type { AssignableTablet, TabletShare } from './assign-tablets.ts';
import type { KeyRange, TabletKeys } from './key-range.ts';
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
function placeKeys(ranges: readonly SplitRange[], names: readonly string[]): readonly number[] {
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

/** Must be increased whenever the same ranges would select other rows. */
const VERSION = 1;

/**
 * Ranges of keys with their nodes. Tables with the same key type share it, so that equal keys of all of them
 * are on the same node.
 */
export class KeyPlacement {
  /** The node names in ascending order. */
  readonly names: readonly string[];
  readonly ranges: readonly SplitRange[];
  /** For each range, the position of its node in `names`. */
  readonly nodes: readonly number[];
  readonly #order: ValueOrder;
  readonly #starts: readonly OrderedValue[];
  readonly #all: readonly number[];

  constructor(type: string, ranges: readonly SplitRange[], names: readonly string[]) {
    this.names = names.toSorted();
    this.ranges = ranges;
    this.nodes = placeKeys(ranges, this.names);
    this.#all = [...ranges.keys()];
    this.#order = orderOf(type)!;
    this.#starts = ranges.slice(1).map(({ from }) => this.#order.parse(from!)!);
  }

  /** The positions of the ranges that may contain rows of the tablet, ascending. */
  rangesOf(tablet: Tablet, column: number): readonly number[] {
    const all = this.#all;
    const known = tablet.statistics.find((one) => one.column === column);
    if (known === undefined) return all;
    if (known.nulls >= tablet.rows) return [0];
    const [min, max] = [known.min, known.max].map((text) =>
      text === undefined ? undefined : this.#order.parse(text),
    );
    if (min === undefined || max === undefined) return all;
    const [first, last] = [this.#rangeOf(min), this.#rangeOf(max)];
    const between = all.slice(first, last + 1);
    return known.nulls > 0 && first > 0 ? [0, ...between] : between;
  }

  /** The identity of the keys of a node: equal texts mean equal keys. */
  idOf(name: string): string {
    const text = JSON.stringify([VERSION, this.keysOf(name)]);
    return `keys/${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
  }

  /** The ranges of keys of a node, ascending; ranges that touch are merged. */
  keysOf(name: string): readonly KeyRange[] {
    const node = this.names.indexOf(name);
    return joined(
      this.ranges,
      this.#all.filter((range) => this.nodes[range] === node),
    );
  }

  #rangeOf(value: OrderedValue): number {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#order.compare(this.#starts[middle]!, value) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Divides a scan among nodes by the keys of its rows. A tablet with keys of several nodes is read by each of
 * them; each skips the keys of the others. Nodes without tablets are left out.
 * @param nodes those of the placement
 * @param chosen the tablets that the scan needs; the same list and placement give the same shares
 */
export function assignByKeys<N extends { readonly name: string }, T extends AssignableTablet>(
  placement: KeyPlacement,
  { id }: Pick<Column, 'id'>,
  chosen: readonly T[],
  nodes: readonly N[],
): TabletShare<N, T>[] {
  const shares = sharesOf(placement, id, chosen);
  return nodes.flatMap((node) => {
    const tablets = shares[placement.names.indexOf(node.name)]!;
    return tablets.length === 0 ? [] : [{ node, tablets, shareId: placement.idOf(node.name) }];
  });
}

interface KnownShares {
  readonly placement: KeyPlacement;
  readonly shares: readonly (readonly AssignableTablet[])[];
}

const knownShares = new WeakMap<readonly AssignableTablet[], KnownShares>();

/** Indexed by position in the names of the placement. */
function sharesOf<T extends AssignableTablet>(
  placement: KeyPlacement,
  column: number,
  chosen: readonly T[],
): readonly (readonly T[])[] {
  const known = knownShares.get(chosen);
  if (known?.placement === placement) return known.shares as readonly (readonly T[])[];
  const shares = placement.names.map((): T[] => []);
  for (const scan of chosen) {
    const ranges = placement.rangesOf(scan.tablet, column);
    const byNode = Map.groupBy(ranges, (range) => placement.nodes[range]!);
    if (byNode.size === 1) {
      shares[placement.nodes[ranges[0]!]!]!.push(scan);
      continue;
    }
    const rows = evenlyRounded(
      scan.tablet.rows,
      [...byNode.values()].map((own) => own.reduce((sum, range) => sum + placement.ranges[range]!.rows, 0)),
    );
    [...byNode].forEach(([node, own], i) => {
      const keys: TabletKeys = { column, ranges: joined(placement.ranges, own), rows: rows[i]! };
      shares[node]!.push({ ...scan, keys });
    });
  }
  knownShares.set(chosen, { placement, shares });
  return shares;
}

/** The ranges at these positions, with touching ranges merged. */
function joined(ranges: readonly SplitRange[], positions: readonly number[]): readonly KeyRange[] {
  const result: KeyRange[] = [];
  let last = -2;
  for (const position of positions) {
    const from = position === 0 ? undefined : ranges[position]!.from;
    const to = ranges[position + 1]?.from;
    const before = position === last + 1 ? result.pop() : undefined;
    const start = before === undefined ? from : before.from;
    result.push({ ...(start !== undefined && { from: start }), ...(to !== undefined && { to }) });
    last = position;
  }
  return result;
}

/** Integers in approximately the proportion of the weights, with the given sum. */
function evenlyRounded(total: number, weights: readonly number[]): readonly number[] {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  let [before, given] = [0, 0];
  return weights.map((weight, i) => {
    before += weight;
    const upTo = i === weights.length - 1 || all === 0 ? total : Math.round((total * before) / all);
    const own = upTo - given;
    given = upTo;
    return own;
  });
}
