/** Builds one message of the server: its type, its length, its fields. */
export class MessageWriter {
  #bytes: Buffer;
  #at = 5;

  constructor(type: string, sizeHint = 64) {
    this.#bytes = Buffer.allocUnsafe(Math.max(16, sizeHint));
    this.#bytes[0] = type.charCodeAt(0);
  }

  byte(value: number): this {
    this.#reserve(1);
    this.#at = this.#bytes.writeUInt8(value, this.#at);
    return this;
  }

  int16(value: number): this {
    this.#reserve(2);
    this.#at = this.#bytes.writeInt16BE(value, this.#at);
    return this;
  }

  uint16(value: number): this {
    this.#reserve(2);
    this.#at = this.#bytes.writeUInt16BE(value, this.#at);
    return this;
  }

  int32(value: number): this {
    this.#reserve(4);
    this.#at = this.#bytes.writeInt32BE(value, this.#at);
    return this;
  }

  uint32(value: number): this {
    this.#reserve(4);
    this.#at = this.#bytes.writeUInt32BE(value, this.#at);
    return this;
  }

  /**
   * Writes a text with a terminating zero byte. A zero byte inside it, which an error message about a file
   * may contain, would terminate it early and is written as `\0`.
   */
  text(value: string): this {
    const clean = value.includes('\0') ? value.replaceAll('\0', '\\0') : value;
    this.#reserve(Buffer.byteLength(clean) + 1);
    this.#at += this.#bytes.write(clean, this.#at, 'utf8');
    this.#bytes[this.#at] = 0;
    this.#at += 1;
    return this;
  }

  bytes(value: Uint8Array): this {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
    return this;
  }

  done(): Buffer {
    this.#bytes.writeInt32BE(this.#at - 1, 1);
    return this.#bytes.subarray(0, this.#at);
  }

  #reserve(count: number): void {
    if (this.#at + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + count));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}
