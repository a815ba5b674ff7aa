/** The number of learnt kinds; the oldest are forgotten first. */
const REMEMBERED = 1_000;

/**
 * Estimates the memory of queries in bytes: an equal share for each, and more for kinds that ran out of
 * memory before.
 */
export class MemoryEstimates {
  readonly #usual: number;
  readonly #learnt = new Map<string, number>();

  constructor(usualBytes: number) {
    this.#usual = usualBytes;
  }

  /**
   * @param kind returns the key of similar queries (their text without literals); only called if something
   * was learnt
   */
  of(kind: () => string): number {
    return (this.#learnt.size === 0 ? undefined : this.#learnt.get(kind())) ?? this.#usual;
  }

  /** Records that a query of this kind ran out of memory before and succeeded with this much. */
  learn(kind: string, bytes: number): void {
    this.#learnt.delete(kind);
    this.#learnt.set(kind, bytes);
    if (this.#learnt.size <= REMEMBERED) return;
    const [oldest] = this.#learnt.keys();
    this.#learnt.delete(oldest!);
  }
}
