import type { ColumnData, ColumnType } from './column-batch.ts';
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

/** Collects the values of one column; `finish` returns the values since the last call. */
export abstract class ColumnBuilder {
  abstract readonly type: ColumnType;
  length = 0;
  protected readonly budget: MemoryBudget;
  #nulls = 0;
  readonly #validity: GrowableBytes;

  constructor(budget: MemoryBudget) {
    this.budget = budget;
    this.#validity = new GrowableBytes(budget);
  }

  abstract appendNull(): void;
  /** The size in bytes of the values collected since the last `finish`. */
  abstract usedBytes(): number;
  protected abstract finishValues(): Pick<ColumnData, 'offsets' | 'values' | 'children'>;

  /** Must be called for every valid value; cheap until the first null of a batch. */
  protected markValid(): void {
    const index = this.length++;
    if (this.#nulls === 0) return;
    const at = index >> 3;
    this.#validity.ensure(at + 1);
    this.#validity.bytes[at]! |= 1 << (index & 7);
  }

  protected markNull(): void {
    const index = this.length++;
    this.#validity.ensure((index >> 3) + 1);
    if (this.#nulls++ > 0) return;
    // All values before the first null were valid.
    this.#validity.bytes.fill(0xff, 0, index >> 3);
    this.#validity.bytes[index >> 3] = (1 << (index & 7)) - 1;
  }

  finish(): ColumnData {
    const { length } = this;
    const nullCount = this.#nulls;
    const validity = nullCount > 0 ? this.#validity.take((length + 7) >> 3) : undefined;
    const values = this.finishValues();
    this.length = 0;
    this.#nulls = 0;
    return { length, nullCount, validity, ...values };
  }
}
