import type { Chunk } from '@tessera/tablet';

/** The column chunks of a tablet that are in its local file: for each column, the granules. */
export class ChunkSet {
  readonly #granules = new Map<number, Set<number>>();

  static fromData(data: Readonly<Record<string, readonly number[]>>): ChunkSet {
    const set = new ChunkSet();
    for (const [column, granules] of Object.entries(data))
      set.#granules.set(Number(column), new Set(granules));
    return set;
  }

  toData(): Record<string, number[]> {
    return Object.fromEntries([...this.#granules].map(([column, granules]) => [column, [...granules]]));
  }

  has(column: number, granule: number): boolean {
    return this.#granules.get(column)?.has(granule) === true;
  }

  add({ column, granule }: Pick<Chunk, 'column' | 'granule'>): void {
    const granules = this.#granules.get(column);
    if (granules === undefined) this.#granules.set(column, new Set([granule]));
    else granules.add(granule);
  }

  /** The number of granules of the column that are present. */
  count(column: number): number {
    return this.#granules.get(column)?.size ?? 0;
  }
}

/** The key of a chunk in a map. */
export const chunkKey = ({ column, granule }: Pick<Chunk, 'column' | 'granule'>): string =>
  `${column}:${granule}`;
