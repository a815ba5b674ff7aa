import type { Tablet } from '../model.ts';

/** Consecutive tablets of a list, each with its ordinal. */
interface Chunk {
  readonly ordinals: readonly number[];
  readonly tablets: readonly Tablet[];
}

const CHUNK_SIZE = 512;

/**
 * Tablets in the order they were added. Immutable: adding or removing one copies one chunk and the list of chunks. An
 * ordinal is given once and finds its tablet again.
 */
export class TabletList {
  readonly size: number;
  readonly nextOrdinal: number;
  readonly #chunks: readonly Chunk[];
  #all: readonly Tablet[] | undefined;

  private constructor(chunks: readonly Chunk[], size: number, nextOrdinal: number) {
    this.#chunks = chunks;
    this.size = size;
    this.nextOrdinal = nextOrdinal;
  }

  static readonly empty = new TabletList([], 0, 0);

  /** The list of the tablets of these chunks, one after the other, with ordinals from 0. */
  static from(chunks: readonly (readonly Tablet[])[]): TabletList {
    const numbered: Chunk[] = [];
    let size = 0;
    for (const tablets of chunks) {
      const start = size;
      numbered.push({ tablets, ordinals: tablets.map((_, i) => start + i) });
      size += tablets.length;
    }
    return new TabletList(numbered, size, size);
  }

  /** The tablets in order, in the pieces that changed lists share. */
  chunks(): readonly (readonly Tablet[])[] {
    return this.#chunks.map((chunk) => chunk.tablets);
  }

  /** The new tablet has the ordinal `nextOrdinal` of this list. */
  with(tablet: Tablet): TabletList {
    const last = this.#chunks.at(-1);
    const full = last === undefined || last.tablets.length >= CHUNK_SIZE;
    const chunk = full
      ? { ordinals: [this.nextOrdinal], tablets: [tablet] }
      : { ordinals: [...last.ordinals, this.nextOrdinal], tablets: [...last.tablets, tablet] };
    const chunks = full ? [...this.#chunks, chunk] : this.#chunks.with(-1, chunk);
    return new TabletList(chunks, this.size + 1, this.nextOrdinal + 1);
  }

  without(ordinal: number): TabletList {
    const at = this.#chunkOf(ordinal);
    const chunk = this.#chunks[at]!;
    const position = lastNotAfter(chunk.ordinals, ordinal);
    const rest = {
      ordinals: chunk.ordinals.toSpliced(position, 1),
      tablets: chunk.tablets.toSpliced(position, 1),
    };
    return new TabletList(withRest(this.#chunks, at, rest), this.size - 1, this.nextOrdinal);
  }

  at(ordinal: number): Tablet {
    const chunk = this.#chunks[this.#chunkOf(ordinal)]!;
    return chunk.tablets[lastNotAfter(chunk.ordinals, ordinal)]!;
  }

  all(): readonly Tablet[] {
    this.#all ??= this.#chunks.length === 1 ? this.#chunks[0]!.tablets : joined(this.#chunks);
    return this.#all;
  }

  #chunkOf(ordinal: number): number {
    let low = 0;
    let high = this.#chunks.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#chunks[middle]!.ordinals[0]! <= ordinal) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** The chunks with the one at `at` replaced; small neighbours become one, so that removals leave no crumbs. */
function withRest(chunks: readonly Chunk[], at: number, rest: Chunk): readonly Chunk[] {
  if (rest.tablets.length === 0) return chunks.toSpliced(at, 1);
  const before = at > 0 ? chunks[at - 1] : undefined;
  if (before === undefined || before.tablets.length + rest.tablets.length > CHUNK_SIZE / 2)
    return chunks.with(at, rest);
  return chunks.toSpliced(at - 1, 2, {
    ordinals: [...before.ordinals, ...rest.ordinals],
    tablets: [...before.tablets, ...rest.tablets],
  });
}

const joined = (chunks: readonly Chunk[]): readonly Tablet[] =>
  ([] as Tablet[]).concat(...chunks.map((chunk) => chunk.tablets));

/** Index of the last number that is not greater; the numbers grow. */
function lastNotAfter(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! <= limit) low = middle;
    else high = middle;
  }
  return low;
}
