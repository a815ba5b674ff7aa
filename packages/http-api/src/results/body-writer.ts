import type { ServerResponse } from 'node:http';
import { startTimer, TesseraError } from '@tessera/common';
import { ClickHouseBlocks } from '../compress/clickhouse-blocks.ts';

/**
 * A result up to this size is sent in one piece, with its length. If an error occurs before that, the answer
 * is a clean error.
 */
const HELD_BYTES = 64 * 1024;

/** Bytes to send, and a callback for when they have been sent and their memory may be reused. */
interface Piece {
  readonly bytes: Uint8Array;
  readonly onSent: (() => void) | undefined;
}

export interface BodyWriterOptions {
  /** The longest time, in milliseconds, for which the client may accept no data. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
  /** Whether the body is sent in ClickHouse's compressed blocks. */
  readonly compressed: boolean;
}

/**
 * Writes a response body with back-pressure. It holds back the start until the body is known to be long or
 * complete.
 */
export class BodyWriter {
  readonly #response: ServerResponse;
  readonly #idleMs: number;
  readonly #signal: AbortSignal;
  #blocks: ClickHouseBlocks | undefined;
  #held: Piece[] = [];
  #heldBytes = 0;
  #bytes = 0;
  #started = false;

  constructor(response: ServerResponse, options: BodyWriterOptions) {
    this.#response = response;
    this.#idleMs = options.idleMs;
    this.#signal = options.signal;
    this.#blocks = options.compressed ? new ClickHouseBlocks() : undefined;
  }

  /** Whether a byte written since the last `flush` may have been sent. */
  get started(): boolean {
    return this.#started;
  }

  /** The number of bytes written so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Writes all of the pieces or, if the signal has aborted before, none of them: a body is never cut within them.
   * `onSent` is called when the bytes of the last piece are no longer needed, if that is ever known.
   * @throws TesseraError CLIENT_TOO_SLOW, or the reason of the signal
   */
  async write(content: string | readonly Uint8Array[], onSent?: () => void): Promise<void> {
    const blocks = this.#blocks;
    const pieces = typeof content === 'string' ? [Buffer.from(content)] : content;
    if (blocks === undefined) return this.#take(pieces, onSent);
    this.#signal.throwIfAborted();
    return this.#take(pieces.flatMap((bytes) => blocks.add(bytes)));
  }

  async #take(contents: readonly Uint8Array[], onSent?: () => void): Promise<void> {
    const last = contents.length - 1;
    const pieces = contents.map((bytes, i) => ({ bytes, onSent: i === last ? onSent : undefined }));
    const size = pieces.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
    if (this.#started) {
      await this.#send(pieces);
      this.#bytes += size;
      return;
    }
    this.#bytes += size;
    this.#held.push(...pieces);
    this.#heldBytes += size;
    if (this.#heldBytes >= HELD_BYTES) await this.#start();
  }

  /**
   * Sends everything written so far. Bytes written afterwards are held back again until they are many or the
   * body is complete.
   */
  async flush(): Promise<void> {
    await this.#take(this.#blocks?.end() ?? []);
    if (!this.#started) await this.#start();
    this.#started = false;
    this.#heldBytes = 0;
  }

  /** Discards what was written since the last `flush`, which must not have been sent yet. */
  drop(): void {
    this.#bytes -= this.#heldBytes;
    this.#held = [];
    this.#heldBytes = 0;
    if (this.#blocks !== undefined) this.#blocks = new ClickHouseBlocks();
  }

  /** Sends `last` and ends the body, even if the signal has fired. The connection of a client that stops reading is cut. */
  end(last = ''): void {
    const content = Buffer.from(last);
    const rest =
      this.#blocks === undefined ? [content] : [...this.#blocks.add(content), ...this.#blocks.end()];
    for (const { byteLength } of rest) this.#bytes += byteLength;
    const body = Buffer.concat([...this.#held.map(({ bytes }) => bytes), ...rest]);
    if (!this.#response.headersSent) this.#response.setHeader('Content-Length', body.length);
    this.#response.end(body);
    // The system has already accepted nearly every answer.
    if (this.#response.socket?.writableLength === 0) return;
    // A response that has closed emits no further event, so nothing would clear its timer.
    if (this.#response.closed) return;
    const silence = startTimer(() => this.#response.destroy(), this.#idleMs);
    this.#response.once('close', () => silence.clear());
  }

  async #start(): Promise<void> {
    this.#signal.throwIfAborted();
    this.#started = true;
    const held = this.#held;
    this.#held = [];
    await this.#send(held);
  }

  async #send(pieces: readonly Piece[]): Promise<void> {
    this.#signal.throwIfAborted();
    if (this.#response.destroyed) throw clientGone();
    let isTaken = true;
    for (const { bytes, onSent } of pieces) {
      isTaken = this.#response.write(bytes, onSent && ((error) => error == null && onSent()));
    }
    if (!isTaken) await this.#drained();
  }

  #drained(): Promise<void> {
    const [response, signal] = [this.#response, this.#signal];
    return new Promise((resolve, reject) => {
      const settle = (then: () => void) => {
        silence.clear();
        response.off('drain', onDrain);
        response.off('close', onClose);
        signal.removeEventListener('abort', onAbort);
        then();
      };
      const onDrain = () => settle(resolve);
      const onClose = () => settle(() => reject(signal.aborted ? signal.reason : clientGone()));
      const onAbort = () => settle(() => reject(signal.reason));
      const onSilence = () =>
        settle(() => reject(TesseraError.of('CLIENT_TOO_SLOW', { timeoutMs: this.#idleMs })));
      const silence = startTimer(onSilence, this.#idleMs);
      response.on('drain', onDrain);
      response.on('close', onClose);
      signal.addEventListener('abort', onAbort);
    });
  }
}

const clientGone = () => TesseraError.of('QUERY_CANCELLED', { reason: 'the client disconnected' });
