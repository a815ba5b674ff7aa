import { TesseraError } from '@tessera/common';

/** One message of the client: its type byte (0 for start-up packets) and the bytes after the length. */
export interface Frame {
  readonly type: number;
  readonly body: Buffer;
}

const LENGTH_BYTES = 4;

/** Splits a stream of bytes into messages. The bodies share memory with the chunks that they arrived in. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** The number of received bytes that do not yet form a message. */
  get buffered(): number {
    return this.#bytes;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** The first unconsumed byte, if it has arrived. */
  peekByte(): number | undefined {
    return this.#chunks[0]?.[0];
  }

  /** Returns and drops all unconsumed bytes. */
  takeRest(): Buffer {
    const rest = this.#first(this.#bytes);
    this.#drop(this.#bytes);
    return rest;
  }

  /**
   * The next message; undefined until it has arrived completely.
   * @param limit the maximum length of the message
   * @throws TesseraError PROTOCOL_VIOLATION for an invalid length, after which nothing can be read
   */
  take({ typed, limit }: { readonly typed: boolean; readonly limit: number }): Frame | undefined {
    const head = typed ? 1 + LENGTH_BYTES : LENGTH_BYTES;
    if (this.#bytes < head) return undefined;
    const start = this.#first(head);
    const type = typed ? start[0]! : 0;
    const length = start.readInt32BE(head - LENGTH_BYTES);
    if (length < LENGTH_BYTES || length > limit) {
      throw TesseraError.of('PROTOCOL_VIOLATION', { message: `Invalid length of a message: ${length}` });
    }
    const total = head - LENGTH_BYTES + length;
    if (this.#bytes < total) return undefined;
    const body = this.#first(total).subarray(head, total);
    this.#drop(total);
    return { type, body };
  }

  /**
   * A buffer that begins with the first `count` bytes. If they span several chunks, the chunks are joined,
   * once per message.
   */
  #first(count: number): Buffer {
    const first = this.#chunks[0];
    if (first === undefined) return Buffer.alloc(0);
    if (first.length >= count) return first;
    if (count <= 1 + LENGTH_BYTES) return Buffer.concat(this.#chunks.slice(0, count)).subarray(0, count);
    const joined = Buffer.concat(this.#chunks, this.#bytes);
    this.#chunks = [joined];
    return joined;
  }

  #drop(count: number): void {
    this.#bytes -= count;
    let left = count;
    while (left > 0) {
      const first = this.#chunks[0]!;
      if (first.length > left) {
        this.#chunks[0] = first.subarray(left);
        return;
      }
      left -= first.length;
      this.#chunks.shift();
    }
  }
}
