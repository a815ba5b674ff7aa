import type { ColumnType } from './column-batch.ts';
import { ColumnBuilder, GrowableBytes } from './column-builder.ts';
import type { MemoryBudget } from './memory-budget.ts';

/** Collects values of a fixed number of bytes, little-endian. */
export class FixedWidthBuilder extends ColumnBuilder {
  readonly type: ColumnType;
  readonly #width: number;
  readonly #data: GrowableBytes;

  constructor(type: ColumnType, widthBytes: number, budget: MemoryBudget) {
    super(budget);
    this.type = type;
    this.#width = widthBytes;
    this.#data = new GrowableBytes(budget);
  }

  appendInt32(value: number): void {
    this.#room().setInt32(this.length * 4, value, true);
    this.markValid();
  }

  /** Appends a 64-bit integer, given as two halves so that no BigInt is created. */
  appendInt64(low: number, high: number): void {
    const view = this.#room();
    const at = this.length * 8;
    view.setInt32(at, low, true);
    view.setInt32(at + 4, high, true);
    this.markValid();
  }

  appendBigInt64(value: bigint): void {
    this.#room().setBigInt64(this.length * 8, value, true);
    this.markValid();
  }

  /** Copies one value of the column's width unchanged. */
  appendBytes(source: Uint8Array, start: number): void {
    this.#room();
    const { bytes } = this.#data;
    const at = this.length * this.#width;
    for (let i = 0; i < this.#width; i++) bytes[at + i] = source[start + i]!;
    this.markValid();
  }

  appendNull(): void {
    this.#room();
    this.markNull();
  }

  usedBytes(): number {
    return this.length * this.#width;
  }

  protected finishValues() {
    return { offsets: undefined, values: this.#data.take(this.usedBytes()), children: [] };
  }

  #room(): DataView {
    this.#data.ensure((this.length + 1) * this.#width);
    return this.#data.view;
  }
}

export class BooleanBuilder extends ColumnBuilder {
  readonly type = { kind: 'boolean' } as const;
  readonly #data: GrowableBytes;

  constructor(budget: MemoryBudget) {
    super(budget);
    this.#data = new GrowableBytes(budget);
  }

  append(value: boolean): void {
    const at = this.length >> 3;
    this.#data.ensure(at + 1);
    if (value) this.#data.bytes[at]! |= 1 << (this.length & 7);
    this.markValid();
  }

  appendNull(): void {
    this.#data.ensure((this.length >> 3) + 1);
    this.markNull();
  }

  usedBytes(): number {
    return (this.length + 7) >> 3;
  }

  protected finishValues() {
    return { offsets: undefined, values: this.#data.take(this.usedBytes()), children: [] };
  }
}
