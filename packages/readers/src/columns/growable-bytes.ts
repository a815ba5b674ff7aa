import type { MemoryBudget } from './memory-budget.ts';

/** A byte buffer that doubles; what is beyond the written part is zero. Counted against a budget. */
export class GrowableBytes {
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  view: DataView<ArrayBuffer> = new DataView(this.bytes.buffer);
  readonly #budget: MemoryBudget;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  ensure(size: number): void {
    if (size > this.bytes.length) this.#grow(size);
  }

  /** Hands over the first `size` bytes; the buffer starts empty again. */
  take(size: number): Uint8Array<ArrayBuffer> {
    this.ensure(size);
    const taken = this.bytes.slice(0, size);
    // Zeroed and kept while batches are alike; given back when this one was far above the usual.
    if (this.bytes.length > 1 << 20 && size < this.bytes.length / 4) this.#replace(new Uint8Array(0));
    else this.bytes.fill(0, 0, size);
    return taken;
  }

  #grow(size: number): void {
    const capacity = Math.max(size, this.bytes.length * 2, 256);
    const grown = this.bytes;
    this.#budget.grow(capacity - grown.length);
    this.bytes = new Uint8Array(capacity);
    this.bytes.set(grown);
    this.view = new DataView(this.bytes.buffer);
  }

  #replace(bytes: Uint8Array<ArrayBuffer>): void {
    this.#budget.release(this.bytes.length - bytes.length);
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer);
  }
}
