import type { TextColumn } from './column.ts';

/** Puts the rows of a text column together. Characters are bytes: ASCII only. */
export class TextBuilder {
  bytes: Uint8Array<ArrayBuffer>;
  /** Where the next byte goes. */
  end = 0;
  #rows = 0;
  #start = 0;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
  }

  /** A text of at most `length` bytes begins: they are written at `end`, which moves with them. */
  begin(length: number): void {
    if (this.end + 4 + length > this.bytes.length) this.#grow(4 + length);
    this.#start = this.end;
    this.end += 4;
  }

  /** The text that was begun ends where `end` is. */
  finish(): void {
    const { bytes, end } = this;
    const start = this.#start;
    const length = end - start - 4;
    bytes[start] = length;
    bytes[start + 1] = length >>> 8;
    bytes[start + 2] = length >>> 16;
    bytes[start + 3] = length >>> 24;
    this.#rows++;
  }

  /** Writes within a text. */
  put(source: Uint8Array, from = 0, to = source.length): void {
    const { bytes } = this;
    let { end } = this;
    for (let i = from; i < to; i++) bytes[end++] = source[i]!;
    this.end = end;
  }

  /** Writes a number within a text, with zeros before it up to `width` digits. */
  putNumber(value: number, width: number): void {
    const digits = String(value).padStart(width, '0');
    for (let i = 0; i < digits.length; i++) this.bytes[this.end++] = digits.charCodeAt(i);
  }

  column(): TextColumn {
    return { type: 'text', rows: this.#rows, bytes: this.bytes.subarray(0, this.end) };
  }

  #grow(more: number): void {
    const bytes = new Uint8Array(Math.max(2 * this.bytes.length, this.end + more));
    bytes.set(this.bytes.subarray(0, this.end));
    this.bytes = bytes;
  }
}
