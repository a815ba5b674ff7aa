import type { Socket } from 'node:net';
import { startTimer, TesseraError } from '@tessera/common';
import { type Frame, FrameReader } from '../protocol/frame-reader.ts';
import { isFrontendType } from '../protocol/frontend-message.ts';

/** Messages that came early wait up to here; then the client has to. */
const READ_AHEAD_BYTES = 1 << 20;
/** What is written is sent when it is so much, at the latest. */
const SEND_BYTES = 64 * 1024;
const MAX_STARTUP_PACKET_BYTES = 10_000;

export interface ClientStreamOptions {
  /** How long the client may take no byte of what is sent, in milliseconds. */
  readonly writeIdleMs: number;
}

/** The two directions of a connection: messages in, pulled one by one; bytes out, held until they are worth sending. */
export class ClientStream {
  readonly #socket: Socket;
  readonly #writeIdleMs: number;
  readonly #reader = new FrameReader();
  readonly #closed = new AbortController();
  #ended = false;
  /** No further message is given out, though the client may still take what is sent. */
  #stopped = false;
  #wake: (() => void) | undefined;
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

  /** Fires when the client is gone. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Bytes that came and that no message has been made of. */
  get buffered(): number {
    return this.#reader.buffered;
  }

  /** The first byte that comes; undefined when the client goes. */
  async firstByte(): Promise<number | undefined> {
    while (this.#reader.peekByte() === undefined && !this.#ended) await this.#more();
    return this.#reader.peekByte();
  }

  /**
   * A packet of start-up. Undefined when the client goes, and for a length that none has: who sends that speaks something
   * else, or says good-bye already, and PostgreSQL does not answer it either.
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
   * The next message of at most `limit` bytes; what is held is sent before it is waited for. Undefined when the client goes.
   * @throws TesseraError PROTOCOL_VIOLATION; the reason of the signal; as `flush`
   */
  async message(limit: number, signal?: AbortSignal): Promise<Frame | undefined> {
    const onAbort = () => this.#wakeUp();
    signal?.addEventListener('abort', onAbort);
    try {
      return await this.#frame({ typed: true, limit }, signal);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** The type of the message that comes next, where its first byte is there already. */
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
    }
  }

  /** Whoever waits for a message, now or later, gets none. */
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

  /** Adds to what the next `flush` sends. */
  write(...pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      this.#held.push(piece);
      this.#heldBytes += piece.length;
    }
  }

  /** Whether so much is held that it is to be sent before more is made. */
  get isFull(): boolean {
    return this.#heldBytes >= SEND_BYTES;
  }

  /**
   * Sends what is held, and waits until the client has taken enough of it.
   * @throws TesseraError QUERY_CANCELLED when the client is gone, CLIENT_TOO_SLOW, after which it is
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

  /** Sends what is held and closes; who does not take it is cut off by the other side of `lingerMs`. */
  end(lingerMs: number): void {
    const socket = this.#socket;
    if (socket.destroyed) return;
    const cut = startTimer(() => socket.destroy(), lingerMs);
    socket.once('close', () => cut.clear());
    // What still comes must be read: a socket closed over unread bytes resets, and the client may lose what was said last.
    socket.resume();
    socket.end(Buffer.concat(this.#held, this.#heldBytes));
    this.#held = [];
    this.#heldBytes = 0;
  }

  /** Gives the socket to another reader, with what came and was not taken. */
  detach(): { readonly socket: Socket; readonly rest: Buffer } {
    const socket = this.#socket;
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('close', this.#onEnd);
    socket.pause();
    return { socket, rest: this.#reader.takeRest() };
  }
}

const clientGone = () => TesseraError.of('QUERY_CANCELLED', { reason: 'the client went away' });
