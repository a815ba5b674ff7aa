/** Bytes written one value after the other, in network order. */
export class GrowingBytes {
  #buffer = Buffer.allocUnsafe(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The written bytes; valid until the next write. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  int16(value: number): void {
    const at = this.#room(2);
    this.#buffer.writeInt16BE(value, at);
  }

  uint16(value: number): void {
    const at = this.#room(2);
    this.#buffer.writeUInt16BE(value, at);
  }

  int32(value: number): void {
    const at = this.#room(4);
    this.#buffer.writeInt32BE(value, at);
  }

  /** Overwrites an `int32` that was written before. */
  setInt32(at: number, value: number): void {
    this.#buffer.writeInt32BE(value, at);
  }

  /** Appends `bytes` bytes, which `write` fills. */
  fixed(bytes: number, write: (view: DataView, at: number) => void): void {
    const at = this.#room(bytes);
    const { buffer, byteOffset } = this.#buffer;
    write(new DataView(buffer, byteOffset), at);
  }

  append(bytes: Uint8Array): void {
    const at = this.#room(bytes.length);
    this.#buffer.set(bytes, at);
  }

  #room(bytes: number): number {
    const at = this.#length;
    this.#length += bytes;
    if (this.#length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#length, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, at);
      this.#buffer = larger;
    }
    return at;
  }
}
