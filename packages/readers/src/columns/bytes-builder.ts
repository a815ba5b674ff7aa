import { isUtf8 } from 'node:buffer';
import { DecodeError } from './column-batch.ts';
import { ColumnBuilder, GrowableBytes } from './column-builder.ts';
import type { MemoryBudget } from './memory-budget.ts';

/** Collects text (checked to be UTF-8 when a batch is finished) or binary values. */
export class BytesBuilder extends ColumnBuilder {
  readonly type: { readonly kind: 'text' | 'binary' };
  readonly #data: GrowableBytes;
  readonly #offsets: GrowableBytes;
  #used = 0;

  constructor(kind: 'text' | 'binary', budget: MemoryBudget) {
    super(budget);
    this.type = { kind };
    this.#data = new GrowableBytes(budget);
    this.#offsets = new GrowableBytes(budget);
  }

  append(source: Uint8Array, start: number, size: number): void {
    const end = this.#used + size;
    this.#data.ensure(end);
    const { bytes } = this.#data;
    // For short values, a call of `set` costs more than the loop.
    if (size < 24) for (let i = 0; i < size; i++) bytes[this.#used + i] = source[start + i]!;
    else bytes.set(source.subarray(start, start + size), this.#used);
    this.#used = end;
    this.#close();
    this.markValid();
  }

  appendNull(): void {
    this.#close();
    this.markNull();
  }

  usedBytes(): number {
    return this.#used + this.length * 4;
  }

  protected finishValues() {
    const values = this.#data.take(this.#used);
    const offsets = new Int32Array(this.#offsets.take((this.length + 1) * 4).buffer);
    this.#used = 0;
    if (this.type.kind === 'text' && !checkText(values, offsets)) {
      throw new DecodeError('a text value is not valid UTF-8');
    }
    return { offsets, values, children: [] };
  }

  #close(): void {
    const at = (this.length + 1) * 4;
    this.#offsets.ensure(at + 4);
    this.#offsets.view.setInt32(at, this.#used, true);
  }
}

/**
 * Whether every value is valid UTF-8, given their concatenation and their bounds. The kernel trusts text from
 * files and fails much later, in unrelated places, if it is invalid.
 */
export function checkText(bytes: Uint8Array, offsets: Int32Array): boolean {
  const last = offsets[offsets.length - 1] ?? 0;
  if (!isUtf8(bytes.subarray(offsets[0], last))) return false;
  // The concatenation is valid, so each value is valid unless one begins within a character.
  for (let i = 0; i < offsets.length; i++) {
    const at = offsets[i]!;
    if (at < last && (bytes[at]! & 0xc0) === 0x80) return false;
  }
  return true;
}
