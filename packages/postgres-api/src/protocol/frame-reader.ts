import { TesseraError } from '@tessera/common';

/** One message of the client as it came: its type byte, 0 for the packets of start-up, and what follows the length. */
export interface Frame {
  readonly type: number;
  readonly body: Buffer;
}

const LENGTH_BYTES = 4;

/** Cuts a stream of bytes into messages. Bodies share the memory of the chunks they came in. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** Bytes taken in that no message has been made of. */
  get buffered(): number {
    return this.#bytes;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** The first byte that has not been taken, if it has come. */
  peekByte(): number | undefined {
    return this.#chunks[0]?.[0];
  }

  /** Everything that has not been taken, which is forgotten here. */
  takeRest(): Buffer {
    const rest = this.#first(this.#bytes);
    this.#drop(this.#bytes);
    return rest;
  }

  /**
   * The next message, undefined until all of it is there.
   * @param limit what its length may be
   * @throws TesseraError PROTOCOL_VIOLATION for a length that none has; nothing can be read after that
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

  /** Memory that begins with the first `count` bytes; chunks are joined when they are in more than one, once a message. */
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
