import type { ColumnData, ColumnType } from './column-batch.ts';
import { ColumnBuilder, GrowableBytes } from './column-builder.ts';
import type { MemoryBudget } from './memory-budget.ts';

/** Collects lists: append the items to `item`, then call `append`. */
export class ListBuilder extends ColumnBuilder {
  readonly type: ColumnType;
  readonly #item: ColumnBuilder;
  readonly #offsets: GrowableBytes;

  constructor(item: ColumnBuilder, budget: MemoryBudget) {
    super(budget);
    this.type = { kind: 'list', item: item.type };
    this.#item = item;
    this.#offsets = new GrowableBytes(budget);
  }

  append(): void {
    this.#close();
    this.markValid();
  }

  appendNull(): void {
    this.#close();
    this.markNull();
  }

  usedBytes(): number {
    return this.length * 4 + this.#item.usedBytes();
  }

  protected finishValues() {
    const offsets = new Int32Array(this.#offsets.take((this.length + 1) * 4).buffer);
    return { offsets, values: undefined, children: [this.#item.finish()] };
  }

  #close(): void {
    const at = (this.length + 1) * 4;
    this.#offsets.ensure(at + 4);
    this.#offsets.view.setInt32(at, this.#item.length, true);
  }
}

/** Collects structs: append one value to every child, then call `append`. */
export class StructBuilder extends ColumnBuilder {
  readonly type: ColumnType;
  readonly #children: readonly ColumnBuilder[];

  constructor(names: readonly string[], children: readonly ColumnBuilder[], budget: MemoryBudget) {
    super(budget);
    this.type = {
      kind: 'struct',
      fields: children.map((child, index) => ({ name: names[index]!, type: child.type })),
    };
    this.#children = children;
  }

  append(): void {
    this.markValid();
  }

  appendNull(): void {
    for (const child of this.#children) child.appendNull();
    this.markNull();
  }

  usedBytes(): number {
    return this.#children.reduce((sum, child) => sum + child.usedBytes(), 0);
  }

  protected finishValues(): Pick<ColumnData, 'offsets' | 'values' | 'children'> {
    return {
      offsets: undefined,
      values: undefined,
      children: this.#children.map((child) => child.finish()),
    };
  }
}
