/** Thrown for bytes that are not a Hybrid Header, or not one of a version that this code reads. */
export class MalformedHeader extends Error {
  override readonly name = 'MalformedHeader';
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads what `ByteWriter` wrote; every read is checked against the end. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    return this.raw(1)[0]!;
  }

  u32(): number {
    return this.raw(4).readUInt32LE();
  }

  number(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 53; scale *= 128) {
      const byte = this.u8();
      value += (byte & 127) * scale;
      if (byte < 128) {
        if (!Number.isSafeInteger(value)) break;
        return value;
      }
    }
    throw new MalformedHeader('a number is too large');
  }

  /** Reads a count of items that occupy at least one byte each. */
  count(): number {
    const count = this.number();
    if (count > this.left) throw new MalformedHeader('a count is larger than what is left');
    return count;
  }

  text(): string {
    const bytes = this.raw(this.number());
    try {
      return utf8.decode(bytes);
    } catch {
      throw new MalformedHeader('a text is not UTF-8');
    }
  }

  raw(length: number): Buffer {
    if (length > this.left) throw new MalformedHeader('it ends early');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** @throws MalformedHeader if bytes are left over */
  end(): void {
    if (this.left > 0) throw new MalformedHeader(`${this.left} bytes are left over`);
  }
}
