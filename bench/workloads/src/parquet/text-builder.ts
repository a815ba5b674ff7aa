import type { TextColumn } from './column.ts';

/** How many bytes after a piece {@link TextBuilder.copy} may read: they are copied in eights. */
export const COPY_SLACK = 8;

const LENGTH_BYTES = 4;
const ZERO = 0x30;

/** Puts the rows of a text column together. Characters are bytes: ASCII only. */
export class TextBuilder {
  /** Where the next byte goes. */
  end = 0;
  bytes: Uint8Array<ArrayBuffer>;
  #view: DataView<ArrayBuffer>;
  #rows = 0;
  #start = 0;

  /** @param capacity grows where it does not do */
  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.bytes.buffer);
  }

  /** What a capacity that has no need to grow has beside the bytes of so many texts. */
  static overhead(texts: number): number {
    return LENGTH_BYTES * texts + COPY_SLACK;
  }

  /** A text of at most `length` bytes begins: they are written at `end`, which moves with them. */
  begin(length: number): void {
    const needed = this.end + LENGTH_BYTES + length + COPY_SLACK;
    if (needed > this.bytes.length) this.#grow(needed);
    this.#start = this.end;
    this.end += LENGTH_BYTES;
  }

  /** The text that was begun ends where `end` is. */
  finish(): void {
    this.#view.setUint32(this.#start, this.end - this.#start - LENGTH_BYTES, true);
    this.#rows++;
  }

  /** Writes a few bytes within a text. */
  put(source: Uint8Array): void {
    const { bytes } = this;
    let { end } = this;
    for (let i = 0; i < source.length; i++) bytes[end++] = source[i]!;
    this.end = end;
  }

  /** Writes a piece of ASCII within a text. Eight bytes of it never are a float that is not a number. */
  copy(source: DataView, from: number, length: number): void {
    const view = this.#view;
    const { end } = this;
    for (let i = 0; i < length; i += 8) view.setFloat64(end + i, source.getFloat64(from + i, true), true);
    this.end = end + length;
  }

  /** Writes a number within a text, with zeros before it up to `width` digits. */
  putNumber(value: number, width: number): void {
    let digits = width;
    for (let bound = 10 ** width; value >= bound; bound *= 10) digits++;
    let rest = value;
    for (let i = this.end + digits - 1; i >= this.end; i--) {
      const quotient = Math.floor(rest / 10);
      this.bytes[i] = ZERO + rest - 10 * quotient;
      rest = quotient;
    }
    this.end += digits;
  }

  column(): TextColumn {
    return { type: 'text', rows: this.#rows, bytes: this.bytes.subarray(0, this.end) };
  }

  #grow(needed: number): void {
    const bytes = new Uint8Array(Math.max(2 * this.bytes.length, needed));
    bytes.set(this.bytes.subarray(0, this.end));
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}
