import type { ColumnData, ColumnType } from './column-batch.ts';
import { GrowableBytes } from './growable-bytes.ts';
import type { MemoryBudget } from './memory-budget.ts';

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
