import { invalidByteAt, invalidBytes } from '@tessera/common';
import { type Data, makeData, Utf8 } from 'apache-arrow';

const FIRST_BYTES = 4096;
const FIRST_ROWS = 1024;
/** Up to this many bytes, a loop is faster than a native call. */
const SHORT = 32;

/** Collects the texts of a column, cell by cell. */
export class TextColumn {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;
  #offsets = new Int32Array(FIRST_ROWS + 1);
  #validity = new Uint8Array(FIRST_ROWS >> 3);
  #rows = 0;
  #nulls = 0;

  get byteLength(): number {
    return this.#length;
  }

  add(source: Buffer, start: number, end: number): void {
    const at = this.#length;
    this.#length = at + end - start;
    if (this.#length > this.#bytes.length) this.#growBytes(at);
    if (end - start > SHORT) source.copy(this.#bytes, at, start, end);
    else for (let from = start, to = at; from < end; from += 1, to += 1) this.#bytes[to] = source[from]!;
    this.#validity[this.#rows >> 3]! |= 1 << (this.#rows & 7);
    this.#endCell();
  }

  addNull(): void {
    this.#nulls += 1;
    this.#endCell();
  }

  /**
   * Returns the texts added since the last call.
   * @throws TesseraError INVALID_ENCODING if escapes of `label` produce bytes that are not valid text
   */
  take(label: string): Data<Utf8> {
    const rows = this.#rows;
    const data = this.#bytes.subarray(0, this.#length);
    const invalidAt = invalidByteAt(data);
    if (invalidAt !== undefined) throw invalidBytes(data, invalidAt, label);
    const taken = makeData({
      type: new Utf8(),
      length: rows,
      nullCount: this.#nulls,
      nullBitmap: this.#validity,
      valueOffsets: this.#offsets.subarray(0, rows + 1),
      data,
    });
    this.#bytes = Buffer.allocUnsafe(this.#bytes.length);
    this.#offsets = new Int32Array(this.#offsets.length);
    this.#validity = new Uint8Array(this.#validity.length);
    this.#length = 0;
    this.#rows = 0;
    this.#nulls = 0;
    return taken;
  }

  #endCell(): void {
    this.#rows += 1;
    if (this.#rows === this.#offsets.length) {
      const offsets = new Int32Array(2 * this.#offsets.length);
      offsets.set(this.#offsets);
      this.#offsets = offsets;
    }
    if (this.#rows >> 3 === this.#validity.length) {
      const validity = new Uint8Array(2 * this.#validity.length);
      validity.set(this.#validity);
      this.#validity = validity;
    }
    this.#offsets[this.#rows] = this.#length;
  }

  #growBytes(used: number): void {
    const bytes = Buffer.allocUnsafe(Math.max(this.#length, 2 * this.#bytes.length));
    this.#bytes.copy(bytes, 0, 0, used);
    this.#bytes = bytes;
  }
}
