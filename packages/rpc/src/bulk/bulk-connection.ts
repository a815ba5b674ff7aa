import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { startTimer, type Timer } from '@tessera/common';
import { type ClusterTls, connectionTls } from '../cluster-tls.ts';
import { errorOf } from '../error-metadata.ts';
import { BULK_PROTOCOL, FRAME, FrameReader, frameHeader, GREETING, SILENCE_MS } from './frames.ts';

/** Beyond this, the caller reads no more from the connection until responses were taken. */
const MAX_QUEUED_BYTES = 4 << 20;

/** Thrown if the greeting was not answered. The call has not begun. */
export class NoBulkServer extends Error {
  /** Whether something listens at the address, such as an earlier version. */
  readonly isReachable: boolean;

  constructor(isReachable: boolean, options?: ErrorOptions) {
    super('it serves no bulk connections', options);
    this.isReachable = isReachable;
  }
}

export interface BulkConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly tls?: ClusterTls | undefined;
  /** How long the server may be silent during a call. */
  readonly silenceMs?: number | undefined;
}

interface Frame {
  readonly kind: number;
  readonly content: Buffer;
}

/** The calling end of a bulk connection; see `proto/tessera/v1/bulk.proto`. It serves one call at a time. */
export class BulkConnection {
  readonly #socket: Socket;
  readonly #frames: Frame[] = [];
  readonly #silence: Timer;
  #queuedBytes = 0;
  #isConnected = false;
  #isGreeted = false;
  #isInCall = false;
  #lost: Error | undefined;
  #wake = () => {};

  constructor({ host, port, tls, silenceMs = SILENCE_MS }: BulkConnectionOptions) {
    this.#silence = startTimer(() => this.#checkSilence(), silenceMs).unref();
    const reader = new FrameReader((kind, content) => this.#take(kind, content));
    const onread = {
      buffer: () => reader.space(),
      callback: (length: number) => {
        try {
          reader.written(length);
        } catch (error) {
          this.#socket.destroy(error as Error);
        }
        this.#silence.refresh();
        return this.#isReading();
      },
    };
    const options = { host, port, onread };
    this.#socket =
      tls === undefined
        ? connect(options)
        : connectTls({ ...options, ...connectionTls(tls, host), ALPNProtocols: [BULK_PROTOCOL] });
    this.#socket.setNoDelay(true);
    this.#socket.on('connect', () => {
      this.#isConnected = true;
    });
    this.#socket.on('error', (error) => {
      this.#lost = error;
    });
    this.#socket.on('close', () => {
      this.#lost ??= new Error('the connection was closed');
      this.#silence.clear();
      this.#wake();
    });
    this.#socket.write(GREETING);
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /**
   * Sends an encoded `BulkCall` and returns the encoded responses. If they are not read to the end, the connection is closed.
   * @throws TesseraError the error that the server sent
   * @throws NoBulkServer
   * @throws Error if the connection is lost
   */
  async *call(call: Uint8Array): AsyncGenerator<Buffer> {
    let hasEnded = false;
    this.#isInCall = true;
    this.#silence.refresh();
    this.#socket.ref();
    this.#socket.cork();
    this.#socket.write(frameHeader(FRAME.call, call.length));
    this.#socket.write(call);
    this.#socket.uncork();
    try {
      while (!hasEnded) {
        const { kind, content } = await this.#next();
        hasEnded = kind === FRAME.end || kind === FRAME.error;
        if (kind === FRAME.error) throw errorOf(content);
        if (kind === FRAME.message) yield content;
      }
    } finally {
      this.#isInCall = false;
      if (hasEnded) this.#socket.unref();
      else this.close();
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(kind: number, content: Buffer): void {
    if (kind === FRAME.hello) this.#isGreeted = true;
    else if (!this.#isGreeted) throw new Error('the greeting was not answered');
    else if (kind !== FRAME.alive) {
      this.#frames.push({ kind, content });
      this.#queuedBytes += content.length;
      this.#wake();
    }
  }

  async #next(): Promise<Frame> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame !== undefined) {
        const wasReading = this.#isReading();
        this.#queuedBytes -= frame.content.length;
        if (!wasReading && this.#isReading()) this.#resume();
        return frame;
      }
      if (this.#lost !== undefined) {
        if (this.#isGreeted) throw this.#lost;
        throw new NoBulkServer(this.#isConnected, { cause: this.#lost });
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #isReading(): boolean {
    return this.#queuedBytes < MAX_QUEUED_BYTES;
  }

  #resume(): void {
    this.#silence.refresh();
    this.#socket.resume();
  }

  #checkSilence(): void {
    if (!this.#isInCall || this.#isReading()) this.#socket.destroy(new Error('the node does not answer'));
    else this.#silence.refresh();
  }
}
