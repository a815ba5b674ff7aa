/** Forgotten in the order they were learnt. */
const REMEMBERED = 1_000;

/** What queries are taken to need, in bytes: a share for each, more for those that ran out of memory before. */
export class MemoryEstimates {
  readonly #usual: number;
  readonly #learnt = new Map<string, number>();

  constructor(usualBytes: number) {
    this.#usual = usualBytes;
  }

  /** `kind` tells what queries are alike: their text without literals. Asked for only when something was learnt. */
  of(kind: () => string): number {
    return (this.#learnt.size === 0 ? undefined : this.#learnt.get(kind())) ?? this.#usual;
  }

  /** A query of the kind had too little, and ended well with so much. */
  learn(kind: string, bytes: number): void {
    this.#learnt.delete(kind);
    this.#learnt.set(kind, bytes);
    if (this.#learnt.size <= REMEMBERED) return;
    const [oldest] = this.#learnt.keys();
    this.#learnt.delete(oldest!);
  }
}
