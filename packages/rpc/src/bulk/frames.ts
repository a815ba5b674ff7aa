import { MAX_MESSAGE_BYTES } from '../message-limit.ts';

/** The first bytes that a caller sends on a bulk connection. HTTP/2 begins with others. */
export const GREETING = Buffer.from('TSRBULK1');

/** The name of the protocol in TLS handshakes (ALPN). */
export const BULK_PROTOCOL = 'tessera-bulk/1';

/** See `proto/tessera/v1/bulk.proto`. */
export const FRAME = { hello: 0, call: 1, message: 2, end: 3, error: 4, alive: 5 } as const;
export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

/** During a call, the server sends something at least this often. */
export const ALIVE_EVERY_MS = 5_000;
/** The caller gives up when nothing has come for this long. */
export const SILENCE_MS = 15_000;

const HEADER_BYTES = 5;
const SCRATCH_BYTES = 64 * 1024;

/** The bytes before the content of a frame. */
export function frameHeader(kind: FrameKind, length: number): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt32LE(length, 0);
  header[4] = kind;
  return header;
}

/** Cuts a stream of bytes into frames. The content of each has a buffer of its own, into which a socket can read. */
export class FrameReader {
  readonly #onFrame: (kind: number, content: Buffer) => void;
  readonly #maxBytes: number;
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerBytes = 0;
  #content: Buffer | undefined;
  #contentBytes = 0;

  /** @param maxBytes of the content of a frame */
  constructor(onFrame: (kind: number, content: Buffer) => void, maxBytes = MAX_MESSAGE_BYTES) {
    this.#onFrame = onFrame;
    this.#maxBytes = maxBytes;
  }

  /** Where the next bytes of the stream must be written. */
  space(): Buffer {
    return this.#content?.subarray(this.#contentBytes) ?? this.#scratch;
  }

  /**
   * Must be called when the next `length` bytes of the stream stand at the beginning of `space()`.
   * @throws Error if they are not frames
   */
  written(length: number): void {
    if (this.#content !== undefined) {
      this.#contentBytes += length;
      this.#endIfComplete();
      return;
    }
    let rest = this.#scratch.subarray(0, length);
    while (rest.length > 0) {
      if (this.#content === undefined) rest = this.#readHeader(rest);
      else {
        const copied = rest.copy(this.#content, this.#contentBytes);
        this.#contentBytes += copied;
        rest = rest.subarray(copied);
      }
      this.#endIfComplete();
    }
  }

  /** Copies bytes of the stream that were read elsewhere. */
  push(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0; ) {
      const copied = rest.copy(this.space());
      this.written(copied);
      rest = rest.subarray(copied);
    }
  }

  #readHeader(bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
    const copied = bytes.copy(this.#header, this.#headerBytes);
    this.#headerBytes += copied;
    if (this.#headerBytes === HEADER_BYTES) {
      const length = this.#header.readUInt32LE(0);
      if (length > this.#maxBytes) throw new Error(`a frame of ${length} bytes came`);
      this.#content = Buffer.allocUnsafeSlow(length);
      this.#contentBytes = 0;
    }
    return bytes.subarray(copied);
  }

  #endIfComplete(): void {
    const content = this.#content;
    if (content === undefined || this.#contentBytes < content.length) return;
    this.#content = undefined;
    this.#headerBytes = 0;
    this.#onFrame(this.#header[4]!, content);
  }
}
