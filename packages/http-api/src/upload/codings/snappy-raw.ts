import { setImmediate as nextTurn } from 'node:timers/promises';
import { CorruptStream } from './corrupt-stream.ts';

/**
 * The longest distance of a copy in a block that is larger than the window. Encoders work in pieces of 64
 * KiB, so real blocks stay far below it; the format itself would require the decoder to keep the whole block.
 */
const WINDOW_BYTES = 8 * 1024 * 1024;
const EMIT_BYTES = 512 * 1024;
/** The tag and the four bytes of the longest length or offset. */
const LONGEST_ELEMENT_BYTES = 5;
/** Up to this many bytes, a loop is faster than a native call. */
const SHORT_BYTES = 48;

/** Decodes the format of google/snappy's format_description.txt while reading, in bounded memory. */
export async function* decodeRawSnappy(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const block = new RawBlock();
  for await (const chunk of source) {
    block.give(chunk);
    for (;;) {
      const output = block.decode();
      if (output.length > 0) yield output;
      if (output.length < EMIT_BYTES) break;
      await nextTurn();
    }
  }
  const last = block.finish();
  if (last.length > 0) yield last;
}

class RawBlock {
  #input: Buffer = Buffer.alloc(0);
  #at = 0;
  #inputEnded = false;
  /** Undefined until the length before the block has been read. */
  #totalBytes: number | undefined;
  #decodedBytes = 0;
  #literalBytes = 0;
  #window: Buffer = Buffer.alloc(0);
  #windowEnd = 0;

  give(chunk: Buffer): void {
    this.#input =
      this.#at === this.#input.length ? chunk : Buffer.concat([this.#input.subarray(this.#at), chunk]);
    this.#at = 0;
  }

  /**
   * Decodes as much as the input allows, up to about EMIT_BYTES. A shorter output means that the input is
   * used up.
   */
  decode(): Buffer {
    if (this.#totalBytes === undefined && !this.#readTotal()) return Buffer.alloc(0);
    this.#makeRoom();
    const start = this.#windowEnd;
    while (this.#windowEnd - start < EMIT_BYTES && this.#step());
    return Buffer.from(this.#window.subarray(start, this.#windowEnd));
  }

  /** Returns the rest after the source has ended. */
  finish(): Buffer {
    this.#inputEnded = true;
    const last = this.decode();
    if (this.#totalBytes === undefined || this.#decodedBytes < this.#totalBytes)
      throw new CorruptStream('the compressed stream is cut short');
    return last;
  }

  #readTotal(): boolean {
    let total = 0;
    for (let index = 0; index < 5; index++) {
      const byte = this.#input[this.#at + index];
      if (byte === undefined) return false;
      total += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) {
        if (total > 0xffffffff) break;
        this.#at += index + 1;
        this.#totalBytes = total;
        this.#window = Buffer.allocUnsafe(Math.min(total, 2 * WINDOW_BYTES));
        return true;
      }
    }
    throw new CorruptStream('it is neither framed nor a raw snappy block');
  }

  /**
   * Makes room: keeps the history of one window, and space for an output block plus the literal or copy that
   * exceeds it.
   */
  #makeRoom(): void {
    if (this.#window.length === this.#totalBytes || this.#window.length - this.#windowEnd >= 2 * EMIT_BYTES)
      return;
    this.#window.copyWithin(0, this.#windowEnd - WINDOW_BYTES, this.#windowEnd);
    this.#windowEnd = WINDOW_BYTES;
  }

  /** Decodes one literal or copy; false if the input does not contain all of it. */
  #step(): boolean {
    if (this.#literalBytes > 0) return this.#copyLiteral();
    const input = this.#input;
    const left = input.length - this.#at;
    if (left === 0 || (left < LONGEST_ELEMENT_BYTES && !this.#inputEnded)) return false;
    const tag = input[this.#at]!;
    const extraBytes = extraBytesOf(tag);
    if (left <= extraBytes) throw new CorruptStream('the compressed stream is cut short');
    const extra = littleEndian(input, this.#at + 1, extraBytes);
    this.#at += 1 + extraBytes;
    switch (tag & 0b11) {
      case 0:
        this.#literalBytes = 1 + (extraBytes === 0 ? tag >> 2 : extra);
        this.#requireSpace(this.#literalBytes);
        return true;
      case 1:
        this.#copyBack(4 + ((tag >> 2) & 0b111), ((tag >> 5) << 8) + extra);
        return true;
      default:
        this.#copyBack(1 + (tag >> 2), extra);
        return true;
    }
  }

  #copyLiteral(): boolean {
    const bytes = Math.min(this.#literalBytes, this.#input.length - this.#at, EMIT_BYTES);
    const input = this.#input;
    const window = this.#window;
    if (bytes > SHORT_BYTES) input.copy(window, this.#windowEnd, this.#at, this.#at + bytes);
    else for (let i = 0; i < bytes; i++) window[this.#windowEnd + i] = input[this.#at + i]!;
    this.#at += bytes;
    this.#windowEnd += bytes;
    this.#decodedBytes += bytes;
    this.#literalBytes -= bytes;
    return bytes > 0;
  }

  #copyBack(bytes: number, offset: number): void {
    this.#requireSpace(bytes);
    if (offset === 0 || offset > this.#windowEnd)
      throw new CorruptStream(`a copy reaches ${offset} bytes back, where there is nothing`);
    const window = this.#window;
    const end = this.#windowEnd + bytes;
    // The copy runs byte by byte: if the distance is shorter than the length, it repeats bytes that it has
    // just written.
    for (let to = this.#windowEnd; to < end; to++) window[to] = window[to - offset]!;
    this.#windowEnd = end;
    this.#decodedBytes += bytes;
  }

  #requireSpace(bytes: number): void {
    if (this.#decodedBytes + bytes > this.#totalBytes!)
      throw new CorruptStream(`it has more than the ${this.#totalBytes} bytes it announces`);
  }
}

function extraBytesOf(tag: number): number {
  switch (tag & 0b11) {
    case 0:
      return tag >> 2 < 60 ? 0 : (tag >> 2) - 59;
    case 1:
      return 1;
    case 2:
      return 2;
    default:
      return 4;
  }
}

function littleEndian(bytes: Buffer, at: number, count: number): number {
  let value = 0;
  for (let i = count - 1; i >= 0; i--) value = value * 256 + bytes[at + i]!;
  return value;
}
