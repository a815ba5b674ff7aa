import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startTimer, TesseraError } from '@tessera/common';
import { type Frame, FrameReader } from './frame-reader.ts';
import { isFrontendType } from './frontend-message.ts';

/** The amount of early messages to buffer. Beyond it, the client has to wait. */
const READ_AHEAD_BYTES = 1 << 20;
/** Buffered output is sent at this size at the latest. */
const SEND_BYTES = 64 * 1024;
const MAX_STARTUP_PACKET_BYTES = 10_000;
/** Messages that have arrived together are read for this long before other connections get their turn. */
const MAX_TURN_MS = 10;

export interface ClientStreamOptions {
  /** The longest time, in milliseconds, for which the client may accept no data. */
  readonly writeIdleMs: number;
}

/**
 * The two directions of a connection. Incoming messages are pulled one by one; outgoing bytes are buffered
 * until they are worth sending.
 */
export class ClientStream {
  readonly #socket: Socket;
  readonly #writeIdleMs: number;
  readonly #reader = new FrameReader();
  readonly #closed = new AbortController();
  #ended = false;
  /** Set by `stop`: no further message is returned, but pending output is still sent. */
  #stopped = false;
  #wake: (() => void) | undefined;
  /** When the stream last waited, or let others run. */
  #turnAt = 0;
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  constructor(socket: Socket, { writeIdleMs }: ClientStreamOptions) {
    this.#socket = socket;
    this.#writeIdleMs = writeIdleMs;
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('close', this.#onEnd);
    socket.on('error', this.#onEnd);
  }

  /** Aborts when the client disconnects. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** The number of received bytes that do not yet form a message. */
  get buffered(): number {
    return this.#reader.buffered;
  }

  /** Waits for the first byte without consuming it; undefined if the client disconnects. */
  async firstByte(): Promise<number | undefined> {
    while (this.#reader.peekByte() === undefined && !this.#ended) await this.#more();
    return this.#reader.peekByte();
  }

  /**
   * Reads a start-up packet. Undefined if the client disconnects, and for an impossible length: such a client
   * speaks another protocol or is leaving, and PostgreSQL does not answer it either.
   */
  async startupPacket(): Promise<Frame | undefined> {
    try {
      return await this.#frame({ typed: false, limit: MAX_STARTUP_PACKET_BYTES });
    } catch (error) {
      if (error instanceof TesseraError && error.name === 'PROTOCOL_VIOLATION') return undefined;
      throw error;
    }
  }

  /**
   * Reads the next message of at most `limit` bytes, after sending buffered output. Undefined if the client
   * disconnects.
   * @throws TesseraError PROTOCOL_VIOLATION; the reason of the signal; the errors of `flush`
   */
  async message(limit: number, signal?: AbortSignal): Promise<Frame | undefined> {
    const onAbort = () => this.#wakeUp();
    signal?.addEventListener('abort', onAbort);
    try {
      // Handling a message may take no turn of the event loop at all, and a client can send many thousands at once.
      await this.letOthersRun();
      return await this.#frame({ typed: true, limit }, signal);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Ends the turn of this connection if it has lasted for long. Call it between steps of which a client can ask for many. */
  async letOthersRun(): Promise<void> {
    if (performance.now() - this.#turnAt <= MAX_TURN_MS) return;
    await nextTurn();
    this.#turnAt = performance.now();
  }

  /** The type of the next message, if its first byte has arrived. */
  peekType(): number | undefined {
    return this.#reader.peekByte();
  }

  async #frame(
    how: { readonly typed: boolean; readonly limit: number },
    signal?: AbortSignal,
  ): Promise<Frame | undefined> {
    for (;;) {
      signal?.throwIfAborted();
      const type = this.#reader.peekByte();
      if (how.typed && type !== undefined && !isFrontendType(type)) {
        throw TesseraError.of('PROTOCOL_VIOLATION', { message: `Invalid type of a message: ${type}` });
      }
      if (this.#stopped) return undefined;
      const frame = this.#reader.take(how);
      if (frame !== undefined) return frame;
      if (this.#ended) return undefined;
      if (this.#heldBytes > 0) await this.flush();
      else await this.#more();
      this.#turnAt = performance.now();
    }
  }

  /** Makes every current and later call of `message` return undefined. */
  stop(): void {
    this.#stopped = true;
    this.#wakeUp();
  }

  #more(): Promise<void> {
    this.#socket.resume();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#reader.push(chunk);
    if (this.#wake === undefined && this.#reader.buffered > READ_AHEAD_BYTES) this.#socket.pause();
    this.#wakeUp();
  };

  readonly #onEnd = (): void => {
    this.#ended = true;
    this.#closed.abort(clientGone());
    this.#wakeUp();
  };

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  /** Adds bytes to the output that the next `flush` sends. */
  write(...pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      this.#held.push(piece);
      this.#heldBytes += piece.length;
    }
  }

  /** Whether enough output is buffered that it should be sent before more is produced. */
  get isFull(): boolean {
    return this.#heldBytes >= SEND_BYTES;
  }

  /**
   * Sends buffered output and waits until the client has accepted enough of it.
   * @throws TesseraError QUERY_CANCELLED if the client is gone; CLIENT_TOO_SLOW, which also closes the
   * connection
   */
  async flush(): Promise<void> {
    if (this.#heldBytes === 0) return;
    if (this.#ended) throw clientGone();
    const [first] = this.#held;
    const bytes = this.#held.length === 1 ? first! : Buffer.concat(this.#held, this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    if (!this.#socket.write(bytes)) await this.#drained();
  }

  #drained(): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      const settle = (then: () => void) => {
        silence.clear();
        socket.off('drain', onDrain);
        this.closed.removeEventListener('abort', onClosed);
        then();
      };
      const onDrain = () => settle(resolve);
      const onClosed = () => settle(() => reject(clientGone()));
      const silence = startTimer(() => {
        settle(() => reject(TesseraError.of('CLIENT_TOO_SLOW', { timeoutMs: this.#writeIdleMs })));
        socket.destroy();
      }, this.#writeIdleMs);
      socket.on('drain', onDrain);
      this.closed.addEventListener('abort', onClosed);
    });
  }

  /**
   * Sends buffered output and closes the connection. A client that has not read it after `lingerMs` is
   * disconnected.
   */
  end(lingerMs: number): void {
    const socket = this.#socket;
    if (socket.destroyed) return;
    const cut = startTimer(() => socket.destroy(), lingerMs);
    socket.once('close', () => cut.clear());
    // Further input must be read: a socket that is closed with unread bytes sends a reset, and the client may
    // lose the last message.
    socket.resume();
    socket.end(Buffer.concat(this.#held, this.#heldBytes));
    this.#held = [];
    this.#heldBytes = 0;
  }

  /** Hands the socket to another reader, together with received bytes that were not consumed. */
  detach(): { readonly socket: Socket; readonly rest: Buffer } {
    const socket = this.#socket;
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('close', this.#onEnd);
    socket.pause();
    return { socket, rest: this.#reader.takeRest() };
  }
}

const clientGone = () => TesseraError.of('QUERY_CANCELLED', { reason: 'the client disconnected' });
