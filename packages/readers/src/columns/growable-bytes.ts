import type { MemoryBudget } from './memory-budget.ts';

/**
 * A byte buffer that grows by doubling; the bytes beyond the written part are zero. Its size counts against a
 * budget.
 */
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

  /** Returns the first `size` bytes; the buffer is empty afterwards. */
  take(size: number): Uint8Array<ArrayBuffer> {
    this.ensure(size);
    const taken = this.bytes.slice(0, size);
    // The buffer is zeroed and reused for similar batches; if it has become far larger than usual, it is
    // released.
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
