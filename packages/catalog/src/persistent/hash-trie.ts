/** The nodes of a `PersistentMap`. A branch has up to 32 slots, of which only the taken ones are stored. */
export interface Branch<V> {
  readonly leaf: false;
  bitmap: number;
  slots: (Branch<V> | Leaf<V>)[];
}

/** One key; keys of the same hash are a chain. */
export interface Leaf<V> {
  readonly leaf: true;
  readonly hash: number;
  readonly key: string;
  readonly value: V;
  readonly next: Leaf<V> | undefined;
}

const BITS = 5;
const MASK = 31;

export const emptyBranch = <V>(): Branch<V> => ({ leaf: false, bitmap: 0, slots: [] });

/** FNV-1a, finished so that the low bits depend on all of the text. */
export function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

export function getLeaf<V>(root: Branch<V>, hash: number, key: string): Leaf<V> | undefined {
  let node: Branch<V> = root;
  for (let shift = 0; ; shift += BITS) {
    const bit = 1 << ((hash >>> shift) & MASK);
    if ((node.bitmap & bit) === 0) return undefined;
    const slot = node.slots[slotOf(node.bitmap, bit)]!;
    if (slot.leaf) return slot.hash === hash ? inChain(slot, key) : undefined;
    node = slot;
  }
}

/**
 * The branch with the key set. `outcome.added` says whether the key is new. With `inPlace` the branches are changed
 * instead of copied: only while nobody else has seen them.
 */
export function put<V>(
  branch: Branch<V>,
  shift: number,
  hash: number,
  key: string,
  value: V,
  outcome: { added: boolean },
  inPlace: boolean,
): Branch<V> {
  const bit = 1 << ((hash >>> shift) & MASK);
  const at = slotOf(branch.bitmap, bit);
  if ((branch.bitmap & bit) === 0) {
    outcome.added = true;
    const leaf: Leaf<V> = { leaf: true, hash, key, value, next: undefined };
    if (inPlace) {
      branch.slots.splice(at, 0, leaf);
      branch.bitmap |= bit;
      return branch;
    }
    return { leaf: false, bitmap: branch.bitmap | bit, slots: branch.slots.toSpliced(at, 0, leaf) };
  }
  const slot = branch.slots[at]!;
  let changed: Branch<V> | Leaf<V>;
  if (!slot.leaf) changed = put(slot, shift + BITS, hash, key, value, outcome, inPlace);
  else if (slot.hash === hash) {
    const rest = withoutKey(slot, key);
    outcome.added = inChain(slot, key) === undefined;
    changed = { leaf: true, hash, key, value, next: rest };
  } else {
    const below: Branch<V> = {
      leaf: false,
      bitmap: 1 << ((slot.hash >>> (shift + BITS)) & MASK),
      slots: [slot],
    };
    changed = put(below, shift + BITS, hash, key, value, outcome, true);
  }
  return withSlot(branch, at, changed, inPlace);
}

/** The branch without the key: the same branch when it has no such key, undefined when nothing is left. */
export function remove<V>(
  branch: Branch<V>,
  shift: number,
  hash: number,
  key: string,
): Branch<V> | undefined {
  const bit = 1 << ((hash >>> shift) & MASK);
  if ((branch.bitmap & bit) === 0) return branch;
  const at = slotOf(branch.bitmap, bit);
  const slot = branch.slots[at]!;
  let rest: Branch<V> | Leaf<V> | undefined;
  if (slot.leaf) {
    if (slot.hash !== hash || inChain(slot, key) === undefined) return branch;
    rest = withoutKey(slot, key);
  } else {
    rest = remove(slot, shift + BITS, hash, key);
    if (rest === slot) return branch;
    // A branch of one leaf is only a longer way to it.
    if (rest !== undefined && !rest.leaf && rest.slots.length === 1 && rest.slots[0]!.leaf)
      rest = rest.slots[0];
  }
  if (rest !== undefined) return withSlot(branch, at, rest, false);
  if (branch.slots.length === 1) return undefined;
  return { leaf: false, bitmap: branch.bitmap & ~bit, slots: branch.slots.toSpliced(at, 1) };
}

export function* leavesOf<V>(branch: Branch<V>): Generator<Leaf<V>> {
  for (const slot of branch.slots) {
    if (!slot.leaf) yield* leavesOf(slot);
    else for (let leaf: Leaf<V> | undefined = slot; leaf !== undefined; leaf = leaf.next) yield leaf;
  }
}

function withSlot<V>(branch: Branch<V>, at: number, slot: Branch<V> | Leaf<V>, inPlace: boolean): Branch<V> {
  if (inPlace) {
    branch.slots[at] = slot;
    return branch;
  }
  return { leaf: false, bitmap: branch.bitmap, slots: branch.slots.with(at, slot) };
}

function inChain<V>(first: Leaf<V>, key: string): Leaf<V> | undefined {
  for (let leaf: Leaf<V> | undefined = first; leaf !== undefined; leaf = leaf.next)
    if (leaf.key === key) return leaf;
  return undefined;
}

function withoutKey<V>(leaf: Leaf<V> | undefined, key: string): Leaf<V> | undefined {
  if (leaf === undefined) return undefined;
  if (leaf.key === key) return leaf.next;
  return { ...leaf, next: withoutKey(leaf.next, key) };
}

function slotOf(bitmap: number, bit: number): number {
  let below = bitmap & (bit - 1);
  below -= (below >>> 1) & 0x55555555;
  below = (below & 0x33333333) + ((below >>> 2) & 0x33333333);
  return Math.imul((below + (below >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
