import type { TextColumn } from './column.ts';

/**
 * The number of bytes after a piece that {@link TextBuilder.copy} may read, because it copies eight bytes at a
 * time.
 */
export const COPY_SLACK = 8;

const LENGTH_BYTES = 4;
const ZERO = 0x30;

/** Builds the rows of a text column. Texts are ASCII, so that each character is one byte. */
export class TextBuilder {
  /** The offset of the next byte. */
  end = 0;
  bytes: Uint8Array<ArrayBuffer>;
  #view: DataView<ArrayBuffer>;
  #rows = 0;
  #start = 0;

  /** @param capacity the initial size in bytes; the buffer grows if necessary */
  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.bytes.buffer);
  }

  /** The spare bytes that a buffer needs for this many texts so that it never has to grow. */
  static overhead(texts: number): number {
    return LENGTH_BYTES * texts + COPY_SLACK;
  }

  /** Begins a text of at most `length` bytes. The caller writes it at `end`, which advances. */
  begin(length: number): void {
    const needed = this.end + LENGTH_BYTES + length + COPY_SLACK;
    if (needed > this.bytes.length) this.#grow(needed);
    this.#start = this.end;
    this.end += LENGTH_BYTES;
  }

  /** Ends the current text at `end`. */
  finish(): void {
    this.#view.setUint32(this.#start, this.end - this.#start - LENGTH_BYTES, true);
    this.#rows++;
  }

  /** Writes a few bytes of the current text. */
  put(source: Uint8Array): void {
    const { bytes } = this;
    let { end } = this;
    for (let i = 0; i < source.length; i++) bytes[end++] = source[i]!;
    this.end = end;
  }

  /**
   * Copies a piece of ASCII into the current text. It is copied as floats of eight bytes; ASCII is never a NaN,
   * whose bits a copy might change.
   */
  copy(source: DataView, from: number, length: number): void {
    const view = this.#view;
    const { end } = this;
    for (let i = 0; i < length; i += 8) view.setFloat64(end + i, source.getFloat64(from + i, true), true);
    this.end = end + length;
  }

  /** Writes a number into the current text, padded with zeros to `width` digits. */
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
