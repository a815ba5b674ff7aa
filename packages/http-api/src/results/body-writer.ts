import type { ServerResponse } from 'node:http';
import { startTimer, TesseraError } from '@tessera/common';
import { ClickHouseBlocks } from '../compress/clickhouse-blocks.ts';

/** A result up to this size leaves in one piece, with its length; an error before that is still a clean answer. */
const HELD_BYTES = 64 * 1024;

/** Bytes, and what to do when they have left and are read no more. */
interface Piece {
  readonly bytes: Uint8Array;
  readonly onSent: (() => void) | undefined;
}

export interface BodyWriterOptions {
  /** How long the client may take no byte, in milliseconds. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
  /** Whether the body goes out in ClickHouse's compressed blocks. */
  readonly compressed: boolean;
}

/** Writes a response body with back-pressure, holding its start until it is known to be long or whole. */
export class BodyWriter {
  readonly #response: ServerResponse;
  readonly #idleMs: number;
  readonly #signal: AbortSignal;
  readonly #blocks: ClickHouseBlocks | undefined;
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

  /** Whether a byte may have left, so that the status can no longer change. */
  get started(): boolean {
    return this.#started;
  }

  /** Bytes taken so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * `onSent` is called when the bytes are read no more, if that comes to be known.
   * @throws TesseraError CLIENT_TOO_SLOW, or the reason of the signal
   */
  async write(bytes: Uint8Array | string, onSent?: () => void): Promise<void> {
    const content = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    if (this.#blocks === undefined) return this.#take({ bytes: content, onSent });
    for (const block of this.#blocks.add(content)) await this.#take({ bytes: block, onSent: undefined });
  }

  async #take(piece: Piece): Promise<void> {
    const { byteLength } = piece.bytes;
    if (byteLength === 0) return;
    this.#bytes += byteLength;
    if (!this.#started) {
      this.#held.push(piece);
      this.#heldBytes += byteLength;
      if (this.#heldBytes < HELD_BYTES) return;
      await this.#start();
      return;
    }
    await this.#send(piece);
  }

  async end(): Promise<void> {
    for (const block of this.#blocks?.end() ?? []) await this.#take({ bytes: block, onSent: undefined });
    if (this.#started) {
      this.#response.end();
      return;
    }
    this.#response.setHeader('Content-Length', this.#heldBytes);
    this.#response.end(Buffer.concat(this.#held.map(({ bytes }) => bytes)));
  }

  async #start(): Promise<void> {
    this.#started = true;
    const held = this.#held;
    this.#held = [];
    for (const piece of held) await this.#send(piece);
  }

  async #send({ bytes, onSent }: Piece): Promise<void> {
    this.#signal.throwIfAborted();
    if (this.#response.destroyed) throw clientGone();
    if (!this.#response.write(bytes, onSent && ((error) => error == null && onSent()))) await this.#drained();
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

const clientGone = () => TesseraError.of('QUERY_CANCELLED', { reason: 'the client went away' });
