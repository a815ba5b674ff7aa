/** A growing byte buffer. Numbers are unsigned LEB128 unless stated otherwise. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafe(1024);
  #length = 0;

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  get length(): number {
    return this.#length;
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  /** Little endian. */
  u32(value: number): void {
    this.#reserve(4);
    this.#length = this.#buffer.writeUInt32LE(value, this.#length);
  }

  /** Writes a number up to 2^53 - 1. */
  number(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is no unsigned integer`);
    let rest = value;
    while (rest > 127) {
      this.u8((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    this.u8(rest);
  }

  /** Writes the length in bytes, then the text in UTF-8. */
  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.number(length);
    this.#reserve(length);
    this.#length += this.#buffer.write(value, this.#length);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    grown.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = grown;
  }
}
