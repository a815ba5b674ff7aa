import type { Socket } from 'node:net';
import { fromBinary } from '@bufbuild/protobuf';
import { startInterval, TesseraError } from '@tessera/common';
import { encodeError } from '../error-metadata.ts';
import { type BulkCall, BulkCallSchema } from '../generated/tessera/v1/bulk_pb.ts';
import type { RpcContext } from '../service.ts';
import type { EncodedMessage } from './encoding.ts';
import { ALIVE_EVERY_MS, FRAME, type FrameKind, FrameReader, frameHeader } from './frames.ts';

export interface BulkServerOptions {
  /** Answers a call. A message must stay valid until the next one is requested. */
  readonly answer: (call: BulkCall, context: RpcContext) => AsyncIterable<EncodedMessage>;
  /** The error for the caller. */
  readonly toTesseraError: (error: unknown) => TesseraError;
}

/** A call is read before its cluster token is checked. */
const MAX_CALL_BYTES = 1 << 20;

/** The serving ends of the bulk connections of a port. */
export class BulkServer {
  readonly #options: BulkServerOptions;
  readonly #connections = new Set<ServedConnection>();

  constructor(options: BulkServerOptions) {
    this.#options = options;
  }

  /** Serves a connection. `read` are the bytes that have been read from it after the greeting. */
  accept(socket: Socket, read: Buffer): void {
    const connection = new ServedConnection(socket, this.#options);
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
    connection.start(read);
  }

  /** Closes connections when their calls have ended. */
  async close(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  /** Cancels the running calls. */
  destroy(): void {
    for (const connection of this.#connections) connection.destroy();
  }
}

class ServedConnection {
  readonly #socket: Socket;
  readonly #options: BulkServerOptions;
  readonly #reader = new FrameReader((kind, content) => this.#take(kind, content), MAX_CALL_BYTES);
  #call: AbortController | undefined;
  #isSending = false;
  #isClosing = false;

  constructor(socket: Socket, options: BulkServerOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  start(read: Buffer): void {
    this.#socket.on('error', () => {});
    this.#socket.on('close', () =>
      this.#call?.abort(TesseraError.of('QUERY_CANCELLED', { reason: 'the calling node gave up' })),
    );
    void this.#send(FRAME.hello);
    this.#read(read);
    this.#socket.on('data', (bytes) => this.#read(bytes));
  }

  close(): Promise<void> {
    this.#isClosing = true;
    if (this.#call === undefined) this.destroy();
    if (this.#socket.closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#socket.once('close', resolve);
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    try {
      this.#reader.push(bytes);
    } catch {
      this.destroy();
    }
  }

  #take(kind: number, content: Buffer): void {
    if (kind !== FRAME.call || this.#call !== undefined) throw new Error(`a frame of kind ${kind} came`);
    const call = fromBinary(BulkCallSchema, content);
    this.#call = new AbortController();
    void this.#answer(call, this.#call.signal);
  }

  /** Does not reject. */
  async #answer(call: BulkCall, signal: AbortSignal): Promise<void> {
    const alive = startInterval(() => {
      if (!this.#isSending) void this.#send(FRAME.alive);
    }, ALIVE_EVERY_MS);
    const { remoteAddress, remotePort } = this.#socket;
    const context = { signal, peer: `${remoteAddress}:${remotePort}` };
    let end: () => Promise<void> = () => this.#send(FRAME.end);
    try {
      for await (const message of this.#options.answer(call, context)) {
        await this.#send(FRAME.message, message.parts);
        if (signal.aborted) break;
      }
    } catch (error) {
      if (!signal.aborted) {
        const encoded = encodeError(this.#options.toTesseraError(error));
        end = () => this.#send(FRAME.error, [encoded]);
      }
    }
    alive.clear();
    // The caller may send the next call before the end is known to be sent.
    this.#call = undefined;
    if (signal.aborted) return;
    await end();
    if (this.#isClosing && this.#call === undefined) this.#socket.end();
  }

  /** Resolves when the parts are no longer read: they were sent, or the connection is closed. */
  async #send(kind: FrameKind, parts: readonly Uint8Array[] = []): Promise<void> {
    this.#isSending = true;
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    await new Promise<void>((resolve) => {
      this.#socket.cork();
      const frame = [frameHeader(kind, length), ...parts];
      const last = frame.pop()!;
      for (const part of frame) this.#socket.write(part);
      this.#socket.write(last, () => resolve());
      this.#socket.uncork();
    });
    this.#isSending = false;
  }
}
