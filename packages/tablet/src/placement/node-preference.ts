/**
 * Tablets are hashed into slots, and each slot ranks the nodes, so that with many tablets each ranking is
 * computed once.
 */
const SLOTS = 65_536;
/** The number of nodes of a slot that are ranked at once; more are ranked only if those before are full. */
const RANKED = [8, 64, 65_535];

/** Returns the position of the node of a rank, 0 being the preferred one; undefined beyond the last. */
export type Preferred = (rank: number) => number | undefined;

/** The order in which nodes are tried for a tablet: rendezvous hashing of names. */
export class NodePreference {
  readonly #hashes: Uint32Array;
  readonly #scratch: Uint32Array;
  readonly #ranked = RANKED.map(() => new Map<number, Uint16Array>());

  /** @param names fewer than 65,536, without duplicates */
  constructor(names: readonly string[]) {
    this.#hashes = Uint32Array.from(names, textHash);
    this.#scratch = new Uint32Array(names.length);
  }

  /** The preferred nodes for a tablet. */
  of(tabletId: string): Preferred {
    const slot = textHash(tabletId) % SLOTS;
    return (rank) => {
      const tier = rank < RANKED[0]! ? 0 : rank < RANKED[1]! ? 1 : 2;
      return this.#best(tier, slot, Math.min(RANKED[tier]!, this.#hashes.length))[rank];
    };
  }

  #best(tier: number, slot: number, count: number): Uint16Array {
    const known = this.#ranked[tier]!;
    let ranked = known.get(slot);
    if (ranked === undefined) {
      ranked = highest(this.#scores(slot), count);
      known.set(slot, ranked);
    }
    return ranked;
  }

  #scores(slot: number): Uint32Array {
    const seed = mixed(Math.imul(slot + 1, 0x9e3779b1));
    const hashes = this.#hashes;
    const scores = this.#scratch;
    for (let i = 0; i < hashes.length; i++) scores[i] = mixed(hashes[i]! ^ seed);
    return scores;
  }
}

/**
 * The positions of the highest scores, in descending order; for equal scores the first position comes first.
 */
function highest(scores: Uint32Array, count: number): Uint16Array {
  if (count * 4 > scores.length) {
    return Uint16Array.from(scores.keys())
      .sort((a, b) => scores[b]! - scores[a]! || a - b)
      .slice(0, count);
  }
  const best = new Uint16Array(count);
  let filled = 0;
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i]!;
    if (filled === count && score <= scores[best[count - 1]!]!) continue;
    let at = filled < count ? filled++ : count - 1;
    for (; at > 0 && scores[best[at - 1]!]! < score; at--) best[at] = best[at - 1]!;
    best[at] = i;
  }
  return best;
}

/** The FNV-1a hash of a text, mixed. */
function textHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mixed(hash);
}

/** The finaliser of MurmurHash3. */
function mixed(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
