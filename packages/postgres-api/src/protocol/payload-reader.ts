import { TesseraError, textOfUtf8 } from '@tessera/common';

/** Reads the fields of one message from left to right. @throws TesseraError PROTOCOL_VIOLATION, INVALID_ENCODING */
export class PayloadReader {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  get atEnd(): boolean {
    return this.#at === this.#body.length;
  }

  byte(): number {
    return this.#body[this.#advance(1)]!;
  }

  int16(): number {
    return this.#body.readInt16BE(this.#advance(2));
  }

  /**
   * Reads a count. It must not be negative or larger than what the remaining bytes can hold at `bytesEach`.
   */
  count(bytesEach: number): number {
    const count = this.#body.readUInt16BE(this.#advance(2));
    if (count * bytesEach > this.#body.length - this.#at) throw tooShort();
    return count;
  }

  int32(): number {
    return this.#body.readInt32BE(this.#advance(4));
  }

  uint32(): number {
    return this.#body.readUInt32BE(this.#advance(4));
  }

  bytes(count: number): Buffer {
    if (count < 0)
      throw TesseraError.of('PROTOCOL_VIOLATION', { message: 'A length in a message is negative' });
    const start = this.#advance(count);
    return this.#body.subarray(start, start + count);
  }

  rest(): Buffer {
    return this.bytes(this.#body.length - this.#at);
  }

  /** Reads a text that ends with a zero byte. */
  text(): string {
    const end = this.#body.indexOf(0, this.#at);
    if (end < 0) throw TesseraError.of('PROTOCOL_VIOLATION', { message: 'A text in a message has no end' });
    const bytes = this.#body.subarray(this.#at, end);
    this.#at = end + 1;
    return textOfUtf8(bytes, 'a text of a message');
  }

  /** @throws TesseraError PROTOCOL_VIOLATION if the message has more bytes than its fields */
  end(): void {
    if (!this.atEnd)
      throw TesseraError.of('PROTOCOL_VIOLATION', { message: 'A message is longer than its content' });
  }

  #advance(count: number): number {
    const start = this.#at;
    if (start + count > this.#body.length) throw tooShort();
    this.#at = start + count;
    return start;
  }
}

const tooShort = () =>
  TesseraError.of('PROTOCOL_VIOLATION', { message: 'A message is shorter than its content' });
