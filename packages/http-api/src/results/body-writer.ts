import type { ServerResponse } from 'node:http';
import { TesseraError } from '@tessera/common';
import { ClickHouseBlocks } from '../compress/clickhouse-blocks.ts';

/** A result up to this size leaves in one piece, with its length; an error before that is still a clean answer. */
const HELD_BYTES = 64 * 1024;

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
  #held: Uint8Array[] = [];
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

  /** @throws TesseraError CLIENT_TOO_SLOW, or the reason of the signal */
  async write(bytes: Uint8Array | string): Promise<void> {
    const piece = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    for (const part of this.#blocks?.add(piece) ?? [piece]) await this.#take(part);
  }

  async #take(piece: Uint8Array): Promise<void> {
    if (piece.byteLength === 0) return;
    this.#bytes += piece.byteLength;
    if (!this.#started) {
      this.#held.push(piece);
      this.#heldBytes += piece.byteLength;
      if (this.#heldBytes < HELD_BYTES) return;
      await this.#start();
      return;
    }
    await this.#send(piece);
  }

  async end(): Promise<void> {
    for (const block of this.#blocks?.end() ?? []) await this.#take(block);
    if (this.#started) {
      this.#response.end();
      return;
    }
    this.#response.setHeader('Content-Length', this.#heldBytes);
    this.#response.end(Buffer.concat(this.#held));
  }

  async #start(): Promise<void> {
    this.#started = true;
    const held = this.#held;
    this.#held = [];
    for (const piece of held) await this.#send(piece);
  }

  async #send(piece: Uint8Array): Promise<void> {
    this.#signal.throwIfAborted();
    if (this.#response.destroyed) throw clientGone();
    if (!this.#response.write(piece)) await this.#drained();
  }

  #drained(): Promise<void> {
    const [response, signal] = [this.#response, this.#signal];
    return new Promise((resolve, reject) => {
      const settle = (then: () => void) => {
        clearTimeout(silence);
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
      const silence = setTimeout(onSilence, this.#idleMs);
      response.on('drain', onDrain);
      response.on('close', onClose);
      signal.addEventListener('abort', onAbort);
    });
  }
}

const clientGone = () => TesseraError.of('QUERY_CANCELLED', { reason: 'the client went away' });
