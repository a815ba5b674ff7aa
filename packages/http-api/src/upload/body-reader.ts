import type { Readable } from 'node:stream';
import { fail, startTimer, TesseraError, type Timer } from '@tessera/common';
import { formatBytes } from './limits.ts';

/** Reads ahead of the parser by this much, so that the network and the disk work at the same time. */
const READ_AHEAD_BYTES = 1024 * 1024;

export interface BodyReaderOptions {
  readonly signal: AbortSignal;
  /**
   * The longest silence of the client while the reader waits for it; the server's own pauses do not count.
   */
  readonly idleMs: number;
  /**
   * The limit for the encoded body. Without it, compressed content that decodes to nothing would never reach
   * a limit.
   */
  readonly maxBytes: number;
  readonly onProgress?: ((receivedBytes: number) => void) | undefined;
}

/**
 * Pulls a request body chunk by chunk, with back-pressure. `next` rejects with BAD_UPLOAD if the client
 * disconnects, CLIENT_TOO_SLOW if it falls silent, UPLOAD_TOO_LARGE beyond `maxBytes`, and with the signal's
 * reason if that aborts.
 */
export class BodyReader {
  receivedBytes = 0;
  readonly #body: Readable;
  readonly #options: BodyReaderOptions;
  readonly #idle: Timer;
  readonly #queue: Buffer[] = [];
  #queuedBytes = 0;
  #deliveredBytes = 0;
  #ended = false;
  #failure: TesseraError | undefined;
  #waiting: { resolve(chunk: Buffer | undefined): void; reject(error: TesseraError): void } | undefined;

  constructor(body: Readable, options: BodyReaderOptions) {
    this.#body = body;
    this.#options = options;
    this.#idle = startTimer(this.#onIdle, options.idleMs);
    options.signal.addEventListener('abort', this.#onAbort);
    body
      .on('data', this.#onData)
      .on('end', this.#onEnd)
      .on('error', this.#onError)
      .on('close', this.#onClose);
    if (options.signal.aborted) this.#onAbort();
    else if (body.destroyed) this.#onClose();
    else if (body.readableEnded) this.#onEnd();
  }

  /** The next chunk, or undefined at the end of the body. */
  next(): Promise<Buffer | undefined> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const chunk = this.#queue.shift();
    if (chunk !== undefined) {
      this.#queuedBytes -= chunk.length;
      if (this.#queuedBytes < READ_AHEAD_BYTES && this.#body.isPaused()) this.#body.resume();
      return this.#deliver(chunk);
    }
    if (this.#ended) return Promise.resolve(undefined);
    this.#idle.refresh();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Stops reading; further input of the client stays unread. */
  close(): void {
    this.#idle.clear();
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#body.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
    // The error listener stays: a stream that fails later must not end the process.
    if (!this.#ended) this.#body.pause();
    this.#queue.length = 0;
  }

  #onData = (chunk: Buffer): void => {
    this.receivedBytes += chunk.length;
    this.#options.onProgress?.(this.receivedBytes);
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      this.#waiting = undefined;
      this.#deliver(chunk).then(waiting.resolve, waiting.reject);
      return;
    }
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.length;
    if (this.#queuedBytes >= READ_AHEAD_BYTES) this.#body.pause();
  };

  /** Delivers the chunk that exceeds the limit, so that a tighter limit on its content is reported first. */
  async #deliver(chunk: Buffer): Promise<Buffer> {
    const { maxBytes } = this.#options;
    if (this.#deliveredBytes > maxBytes)
      fail('UPLOAD_TOO_LARGE', { what: 'the request body', limit: formatBytes(maxBytes) });
    this.#deliveredBytes += chunk.length;
    return chunk;
  }

  #onEnd = (): void => {
    this.#ended = true;
    this.#waiting?.resolve(undefined);
    this.#waiting = undefined;
  };

  #onClose = (): void => {
    if (!this.#ended) this.#fail(this.#clientGone(undefined));
  };

  #onError = (cause: Error): void => this.#fail(this.#clientGone(cause));

  #onAbort = (): void => {
    const { reason } = this.#options.signal;
    this.#fail(
      reason instanceof TesseraError
        ? reason
        : TesseraError.of('QUERY_CANCELLED', { reason: 'the request was aborted' }, { cause: reason }),
    );
  };

  #onIdle = (): void => {
    if (this.#waiting !== undefined)
      this.#fail(TesseraError.of('CLIENT_TOO_SLOW', { timeoutMs: this.#options.idleMs }));
  };

  #clientGone(cause: Error | undefined): TesseraError {
    const reason = `the client stopped sending after ${this.receivedBytes} bytes of the body`;
    return TesseraError.of('BAD_UPLOAD', { reason }, { cause });
  }

  #fail(error: TesseraError): void {
    this.#failure ??= error;
    this.#waiting?.reject(this.#failure);
    this.#waiting = undefined;
  }
}
