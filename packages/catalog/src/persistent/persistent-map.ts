import { type Branch, emptyBranch, getLeaf, hashOf, type Leaf, leavesOf, put, remove } from './hash-trie.ts';

/**
 * An immutable map from text to values: a hash array mapped trie. `with` and `without` share all but the path to the
 * key, so that a change costs O(log32 n) whatever the size. Iteration has no useful order.
 */
export class PersistentMap<V> implements Iterable<readonly [string, V]> {
  readonly size: number;
  readonly #root: Branch<V>;

  private constructor(root: Branch<V>, size: number) {
    this.#root = root;
    this.size = size;
  }

  static readonly #empty = new PersistentMap<never>(emptyBranch(), 0);

  static empty<V>(): PersistentMap<V> {
    return PersistentMap.#empty;
  }

  /** Later entries replace earlier ones of the same key. */
  static from<V>(entries: Iterable<readonly [string, V]>): PersistentMap<V> {
    const root = emptyBranch<V>();
    let size = 0;
    const owner = { added: false };
    let branch = root;
    for (const [key, value] of entries) {
      owner.added = false;
      branch = put(branch, 0, hashOf(key), key, value, owner, true);
      if (owner.added) size++;
    }
    return size === 0 ? PersistentMap.#empty : new PersistentMap(branch, size);
  }

  get(key: string): V | undefined {
    return getLeaf(this.#root, hashOf(key), key)?.value;
  }

  has(key: string): boolean {
    return getLeaf(this.#root, hashOf(key), key) !== undefined;
  }

  with(key: string, value: V): PersistentMap<V> {
    const outcome = { added: false };
    const root = put(this.#root, 0, hashOf(key), key, value, outcome, false);
    return new PersistentMap(root, this.size + (outcome.added ? 1 : 0));
  }

  without(key: string): PersistentMap<V> {
    const root = remove(this.#root, 0, hashOf(key), key);
    if (root === this.#root) return this;
    return this.size === 1 ? PersistentMap.#empty : new PersistentMap(root ?? emptyBranch(), this.size - 1);
  }

  *[Symbol.iterator](): Generator<readonly [string, V]> {
    for (const leaf of leavesOf(this.#root)) yield [leaf.key, leaf.value];
  }

  *values(): Generator<V> {
    for (const leaf of this.#leaves()) yield leaf.value;
  }

  #leaves(): Generator<Leaf<V>> {
    return leavesOf(this.#root);
  }
}
