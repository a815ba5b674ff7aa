import { connect, type Socket } from 'node:net';
import { TesseraError } from '@tessera/common';
import { markedAsAlone } from '../errors/failed-value.ts';
import { isFatal, kernelErrorToTessera } from '../errors/kernel-error.ts';
import {
  decodePayload,
  decodeTextRows,
  encodeFrame,
  type Frame,
  FrameKind,
  FrameReader,
} from '../protocol/frames.ts';
import { decodeText, encodeParams, encodeSql } from '../protocol/long-text.ts';
import type { Reply, Request, ResultHeader, TextRows, WireError } from '../protocol/messages.ts';
import type { KernelParams } from '../types/kernel-value.ts';
import { batchPayloads } from './batch-payloads.ts';

const READ_BUFFER_BYTES = 64 * 1024;
/** A longer header is not kept. */
const MAX_KEPT_HEADER_BYTES = 16 * 1024;
/** How long the caller of an interrupted call waits for its end. */
const MAX_INTERRUPT_MS = 5_000;
/** How long an interrupted call may continue after that, for which it occupies a processor. */
const MAX_ABANDONED_MS = 25_000;

/**
 * Callbacks for events of a call before it ends; the one for a batch returns whether more batches are
 * welcome.
 */
export interface CallEvents {
  header?(header: ResultHeader): void;
  batch?(payload: Buffer): boolean;
  text?(rows: TextRows): void;
}

function withLongTexts(request: ClientRequest): Request {
  if (!('sql' in request)) return request;
  const encoded = { ...request, sql: encodeSql(request.sql) };
  return 'params' in encoded ? { ...encoded, params: encodeParams(encoded.params) } : encoded;
}

export const requestFrame = (request: ClientRequest): Buffer =>
  encodeFrame(FrameKind.request, withLongTexts(request));

/** A request whose SQL and parameters are texts, however long. */
type ClientRequest = Request extends infer R
  ? R extends { readonly sql: unknown }
    ? Omit<R, 'sql' | 'params'> & { readonly sql: string } & (R extends { readonly params: unknown }
          ? { readonly params: KernelParams }
          : unknown)
    : R
  : never;

interface RunningCall {
  readonly events: CallEvents;
  readonly sql: string | undefined;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The process at the other end of a session's socket. */
export interface SessionProcess {
  /** Called when the process must not get further sessions. */
  onFatal(): void;
  /** Called when a call has continued for too long after it was interrupted. */
  onStuck(): void;
  /** The error for calls whose socket closed; known once it is known how the process ended. */
  lost(): Promise<TesseraError>;
  /** Whether no other session has been open since the socket was last taken for one. */
  isAlone(socket: SessionSocket): boolean;
}

/** The node's end of a session's socket, which runs one call at a time. */
export class SessionSocket {
  readonly #socket: Socket;
  readonly #process: SessionProcess;
  #call: RunningCall | undefined;
  #calls = 0;
  /** Whether the kernel runs a call, for which somebody may no longer wait. */
  #isBusy = false;
  /** Runs from the interrupt of a call until the kernel has ended it: first while the caller waits, then until it is reported. */
  #watch: NodeJS.Timeout | undefined;
  /** The error of every call once the socket is closed. */
  #lost: Promise<TesseraError> | undefined;
  #closedByUs = false;
  readonly number: number;
  /** Whether the connection holds something that another session must not see. */
  dirty = false;
  /** The latest result header and its bytes: a statement that is repeated has the same one. */
  #lastHeader: { readonly payload: Buffer; readonly header: ResultHeader } | undefined;
  /** Whether it holds tables that appends created. */
  #appended = false;

  private constructor(socket: Socket, number: number, process: SessionProcess) {
    this.#socket = socket;
    this.number = number;
    this.#process = process;
  }

  static open(path: string, number: number, process: SessionProcess): Promise<SessionSocket> {
    return new Promise((resolve, reject) => {
      const reader = new FrameReader(
        (frame) => opened.#receive(frame),
        (kind, bytes) =>
          kind === FrameKind.batch ? batchPayloads.take(bytes) : Buffer.allocUnsafeSlow(bytes),
      );
      const shared = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);
      const onread = {
        buffer: () => reader.directTarget ?? shared,
        callback: (size: number, buffer: Uint8Array) => {
          if (buffer === shared) reader.push(buffer.subarray(0, size));
          else reader.filled(size);
          return true;
        },
      };
      const socket = connect({ path, onread });
      const opened = new SessionSocket(socket, number, process);
      socket.on('error', (error) => {
        opened.#end();
        reject(TesseraError.of('KERNEL_LOST', { message: 'The kernel process is gone' }, { cause: error }));
      });
      socket.on('close', () => opened.#end());
      socket.once('connect', () => {
        socket.write(encodeFrame(FrameKind.request, { op: 'attach', session: number } satisfies Request));
        resolve(opened);
      });
    });
  }

  /** Whether another session may use it without further steps. */
  get reusable(): boolean {
    return !this.#appended && this.#canBeReused;
  }

  /** Whether another session may use it after `dropAppended`. */
  get reusableOnceEmptied(): boolean {
    return this.#appended && this.#canBeReused;
  }

  get #canBeReused(): boolean {
    return !this.dirty && !this.#isBusy && this.#lost === undefined;
  }

  /** Whether the kernel runs a call of the session. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  async dropAppended(): Promise<void> {
    await this.call({ op: 'dropAppended' });
  }

  /** Sends the request and resolves with the value of its reply. */
  call(request: ClientRequest, events: CallEvents = {}): Promise<unknown> {
    const sql = 'sql' in request ? request.sql : undefined;
    return this.callEncoded(requestFrame(request), sql, events);
  }

  /** `call` for the frame of a request, with the SQL of the request. */
  callEncoded(frame: Uint8Array, sql: string | undefined, events: CallEvents = {}): Promise<unknown> {
    if (this.#lost !== undefined) return this.#lost.then((reason) => Promise.reject(reason));
    if (this.#isBusy) return Promise.reject(new Error('The session is busy with another call'));
    return new Promise((resolve, reject) => {
      this.#isBusy = true;
      this.#call = { events, sql, resolve, reject };
      this.#calls++;
      this.#socket.write(frame);
    });
  }

  /**
   * Writes one frame of an append; resolves when the socket accepts more. `sent` is called when the parts
   * have been sent.
   */
  async send(parts: readonly [...Uint8Array[], Uint8Array], sent?: () => void): Promise<void> {
    if (this.#lost !== undefined) return;
    this.#socket.cork();
    for (const part of parts.slice(0, -1)) this.#socket.write(part);
    this.#socket.write(parts.at(-1)!, sent && (() => sent()));
    this.#socket.uncork();
    if (this.#socket.writableNeedDrain) await this.#drained();
  }

  /**
   * Stops the running call, which then fails; does nothing if no call runs. The kernel does not notice interrupts
   * while it plans or runs a single function. If the call continues for too long, it fails and is abandoned, and
   * the session cannot be used any more. If it then continues for much longer, the process is reported.
   */
  interrupt(): void {
    if (!this.#isBusy) return;
    this.#socket.write(encodeFrame(FrameKind.interrupt, this.#calls));
    this.#watch ??= setTimeout(() => this.#abandon(), MAX_INTERRUPT_MS).unref();
  }

  #abandon(): void {
    this.#watch = setTimeout(() => this.#process.onStuck(), MAX_ABANDONED_MS).unref();
    this.#fail(sessionClosed());
  }

  pause(): void {
    this.#socket.pause();
  }
  resume(): void {
    this.#socket.resume();
  }

  /** The socket stays open until the kernel has answered a running call, so that the end of the call is noticed. */
  close(): void {
    this.#closedByUs = true;
    this.interrupt();
    if (!this.#isBusy) this.#socket.destroy();
    else if (this.#lost === undefined) this.#fail(sessionClosed());
  }

  #receive(frame: Frame): void {
    switch (frame.kind) {
      case FrameKind.resultHeader:
        this.#call?.events.header?.(this.#headerOf(frame));
        return;
      case FrameKind.batch:
        if (this.#call?.events.batch?.(frame.payload) === false) this.#socket.pause();
        return;
      case FrameKind.reply: {
        const reply = decodePayload(frame) as Reply;
        this.#leaves(reply);
        this.#take()?.resolve(reply.value);
        this.#answered();
        return;
      }
      case FrameKind.text: {
        const { reply, ...rows } = decodeTextRows(frame);
        this.#leaves(reply);
        const call = this.#take();
        call?.events.text?.(rows);
        call?.resolve(undefined);
        this.#answered();
        return;
      }
      case FrameKind.error: {
        const error = decodePayload(frame) as WireError;
        this.#leaves(error);
        const text = decodeText(error.message);
        if (isFatal(text)) {
          this.dirty = true;
          this.#process.onFatal();
        }
        const failure = kernelErrorToTessera(text, error.sql ?? this.#call?.sql, error.memoryIsShort);
        this.#take()?.reject(this.#process.isAlone(this) ? markedAsAlone(failure) : failure);
        this.#answered();
        return;
      }
    }
  }

  #headerOf(frame: Frame): ResultHeader {
    const { payload } = frame;
    if (this.#lastHeader?.payload.equals(payload)) return this.#lastHeader.header;
    const decoded = decodePayload(frame) as ResultHeader;
    // Arrow readers require the message at an aligned address.
    const header = { ...decoded, schemaIpc: new Uint8Array(decoded.schemaIpc) };
    this.#lastHeader = payload.length <= MAX_KEPT_HEADER_BYTES ? { payload, header } : undefined;
    return header;
  }

  #leaves({ dirty, appended }: Pick<Reply, 'dirty' | 'appended'>): void {
    this.dirty ||= dirty === true;
    this.#appended = appended === true;
  }

  #take(): RunningCall | undefined {
    const call = this.#call;
    this.#call = undefined;
    // Unread batches may have paused the socket.
    this.#socket.resume();
    return call;
  }

  #answered(): void {
    this.#ended();
    if (this.#lost !== undefined) this.#socket.destroy();
  }

  #ended(): void {
    this.#isBusy = false;
    clearTimeout(this.#watch);
    this.#watch = undefined;
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#socket.off('drain', done).off('close', done);
        resolve();
      };
      this.#socket.on('drain', done).on('close', done);
    });
  }

  #end(): void {
    this.#ended();
    if (this.#lost === undefined) this.#fail(this.#closedByUs ? sessionClosed() : this.#process.lost());
  }

  /** From now on every call fails. */
  #fail(lost: Promise<TesseraError>): void {
    this.#lost = lost;
    const call = this.#take();
    void lost.then((reason) => call?.reject(reason));
  }
}

const sessionClosed = (): Promise<TesseraError> =>
  Promise.resolve(TesseraError.of('QUERY_CANCELLED', { reason: 'its session was closed' }));
