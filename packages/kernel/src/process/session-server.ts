import type { Socket } from 'node:net';
import type { SpillFiles } from '@tessera/common';
import { type DefinedRelations, noDefinedRelations } from '../instance/defined-relations.ts';
import { COUNT_PROGRESS, type NativeInstance } from '../instance/instance.ts';
import type { NativeConnection } from '../native/connection.ts';
import { requireMemory } from '../native/memory.ts';
import { interrupted, isInterrupt, NativeError } from '../native/native-error.ts';
import { profiled } from '../native/profile.ts';
import { firstValue } from '../native/scalar-value.ts';
import { destroyChunk, NativeStatement, setsSeed } from '../native/statement.ts';
import { decodePayload, encodeFrame, type Frame, FrameKind, FrameReader } from '../protocol/frames.ts';
import type { SqlText, WireParams, WireValue } from '../protocol/long-text.ts';
import type { QueryProgress, Reply, Request, WireError } from '../protocol/messages.ts';
import { quoteName, quoteText } from '../types/quoting.ts';
import { runAppend } from './append-call.ts';
import { AppendInput, appendPayloads } from './append-input.ts';
import { CallProgress } from './call-progress.ts';
import { KeptStatements } from './kept-statements.ts';
import type { MemoryCeiling } from './memory-ceiling.ts';
import type { MemoryWatch } from './memory-watch.ts';
import { plannedWork } from './planned-work.ts';
import { fewRowsOf, runQuery, sendFewRows } from './query-call.ts';
import { runReceive } from './receive-call.ts';
import type { ReceivedMemory } from './received-memory.ts';
import { ShortText } from './short-text.ts';

/** Calls that have run for less are not stopped for lack of memory. */
const MIN_STOPPED_MS = 50;
/** Smaller reads are left to the garbage collector. */
const MIN_DISCARDED_BYTES = 16 * 1024;

/**
 * Frees memory that was read and copied. Otherwise a long append would trigger the garbage collector for the
 * reads alone.
 */
function discard({ buffer, byteLength }: Buffer): void {
  if (byteLength < MIN_DISCARDED_BYTES || buffer.byteLength !== byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

export const UNKNOWN_PROGRESS: QueryProgress = { fraction: -1, rowsProcessed: 0, rowsTotal: 0 };

type SessionCall = Exclude<Request, { op: 'attach' }>;
type QueryRequest = Extract<Request, { op: 'query' }>;

/** Serves one session: one connection of the kernel, one call at a time, as long as the socket is open. */
export class SessionServer {
  readonly #instance: NativeInstance;
  readonly #connection: NativeConnection;
  readonly #socket: Socket;
  readonly #sessions: Map<number, SessionServer>;
  readonly #memory: ReceivedMemory;
  readonly #files: SpillFiles;
  readonly #kept: KeptStatements;
  readonly #ceiling: MemoryCeiling | undefined;
  readonly #watch: MemoryWatch | undefined;
  /** Whether the running call is stopped because the process has hardly any memory left. */
  #isStopped = false;
  #number = 0;
  #isSetUp = false;
  #timeZone: string | null = null;
  #dirty = false;
  /** Temp tables that can be dropped for the next session: those of appends and of `createTable`. */
  readonly #appended = new Set<string>();
  /** Relations of received rows that are not in a table. */
  readonly #received = new Set<string>();
  #calls = 0;
  #running: Promise<void> | undefined;
  #append: AppendInput | undefined;
  /** The statement of the running call, if it has one. */
  #statement: { readonly sql: SqlText; readonly params: WireParams } | undefined;
  /** When the running call began, in milliseconds, and the received rows that earlier calls had read. */
  #begun = { atMs: 0, receivedRows: 0 };
  #progress: Promise<CallProgress> | undefined;
  /** The CPU time of the running call, once somebody has asked for its progress. */
  #spentMs: (() => number) | undefined;

  /** Registers itself in `sessions` under the number that its client sends. */
  constructor(
    instance: NativeInstance,
    socket: Socket,
    sessions: Map<number, SessionServer>,
    memory: ReceivedMemory,
    files: SpillFiles,
    ceiling: MemoryCeiling | undefined,
    watch: MemoryWatch | undefined,
  ) {
    this.#instance = instance;
    this.#memory = memory;
    this.#files = files;
    this.#ceiling = ceiling;
    this.#watch = watch;
    this.#connection = instance.connect();
    this.#kept = new KeptStatements(this.#connection);
    this.#socket = socket;
    this.#sessions = sessions;
    const reader = new FrameReader(
      (frame) => this.#receive(frame),
      (kind, bytes) => {
        requireMemory(bytes);
        return kind === FrameKind.appendBatch ? appendPayloads.take(bytes) : Buffer.allocUnsafeSlow(bytes);
      },
    );
    const read = (bytes: Buffer) => {
      try {
        reader.push(bytes);
      } catch (error) {
        if (!isFailedAllocation(error)) throw error;
        // The rest of the frame cannot be separated from the next one.
        socket.off('data', read).resume();
        socket.end(OUT_OF_MEMORY_ANSWER);
      }
      discard(bytes);
    };
    socket.on('data', read);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => void this.#close());
  }

  /**
   * The progress of the running call.
   * @param planned whether the statement is planned once more if it has not been; without that, all rows count alike
   */
  async progress(planned: boolean): Promise<QueryProgress> {
    const statement = this.#statement;
    if (statement === undefined) return UNKNOWN_PROGRESS;
    this.#spentMs ??= this.#spent();
    if (planned) this.#progress ??= this.#planned(statement, this.#spentMs);
    const asked = this.#progress;
    const progress = (await asked) ?? new CallProgress(undefined, () => 0);
    // Meanwhile another call has begun, or the connection is closed.
    if (asked !== this.#progress || statement !== this.#statement) return UNKNOWN_PROGRESS;
    const received = this.#instance.received.counts(this.#received);
    const receivedRows = Math.max(0, received.rowsRead - this.#begun.receivedRows);
    return progress.of({ ...this.#connection.progress(), receivedRows, receivedTotal: received.rows });
  }

  async #planned(
    { sql, params }: { sql: SqlText; params: WireParams },
    spentMs: () => number,
  ): Promise<CallProgress> {
    return new CallProgress(await plannedWork(this.#instance, sql, params), spentMs);
  }

  /** Returns a function that tells the CPU time of the running call. Before this question, it is taken for its time. */
  #spent(): () => number {
    let spentMs = performance.now() - this.#begun.atMs;
    let processMs = cpuMs();
    // The calls that run at the same time share the CPU time of the process.
    return () => {
      const running = [...this.#sessions.values()].filter((session) => session.#running !== undefined);
      const nowMs = cpuMs();
      spentMs += (nowMs - processMs) / Math.max(1, running.length);
      processMs = nowMs;
      return spentMs;
    };
  }

  #handle(request: Request): void {
    if (request.op === 'attach') {
      this.#number = request.session;
      this.#sessions.set(request.session, this);
      return;
    }
    this.#calls++;
    this.#statement = 'params' in request ? request : undefined;
    this.#begun = {
      atMs: performance.now(),
      receivedRows: this.#instance.received.counts(this.#received).rowsRead,
    };
    this.#progress = undefined;
    this.#spentMs = undefined;
    // Its batches may already follow it on the socket.
    if (request.op === 'append' || request.op === 'receive') this.#append = new AppendInput(this.#socket);
    this.#watch?.begun();
    this.#running = this.#run(request).finally(() => {
      this.#watch?.ended();
      this.#isStopped = false;
      this.#connection.endInterrupt();
      this.#append?.discard();
      this.#append = undefined;
      this.#running = undefined;
    });
  }

  #receive(frame: Frame): void {
    switch (frame.kind) {
      case FrameKind.request:
        this.#handle(decodePayload(frame) as Request);
        return;
      case FrameKind.interrupt:
        // An interrupt that crossed the answer to its call in transit must not affect the next call.
        if (decodePayload(frame) === this.#calls) this.#interrupt();
        return;
      case FrameKind.appendBatch:
        this.#append?.push(frame.payload);
        return;
      case FrameKind.appendEnd:
        this.#append?.end(frame.payload[0] === 1);
        return;
    }
  }

  #interrupt(): void {
    if (this.#running !== undefined) this.#connection.interrupt();
    this.#append?.abort(interrupted());
  }

  /** Stops the running call for lack of memory, unless it has only just begun: then it is not the cause. */
  stopForMemory(): void {
    if (this.#running === undefined || performance.now() - this.#begun.atMs < MIN_STOPPED_MS) return;
    this.#isStopped = true;
    this.#interrupt();
  }

  async #run(request: SessionCall): Promise<void> {
    try {
      await this.#setUp();
      if ('timeZone' in request) await this.#setTimeZone(request.timeZone);
      const value = await this.#call(request);
      if (value instanceof ShortText) this.#sendText(value);
      else this.#send(FrameKind.reply, { value, ...this.#traces });
    } catch (error) {
      const memoryIsShort = this.#ceiling?.isNear === true;
      const failure = toWire(this.#isStopped && isInterrupt(error) ? hardlyAnyLeft() : error);
      // Otherwise the memory that this and earlier statements have freed could be missing for the next one.
      if (memoryIsShort || MAY_LACK_MEMORY.test(String(failure.message))) await this.#ceiling?.returnFreed();
      this.#send(FrameKind.error, { ...failure, memoryIsShort, ...this.#traces });
    }
  }

  get #traces(): Pick<Reply, 'dirty' | 'appended'> {
    return { dirty: this.#dirty, appended: this.#appended.size > 0 || this.#received.size > 0 };
  }

  async #call(request: SessionCall): Promise<unknown> {
    switch (request.op) {
      case 'scalar': {
        const { sql, params } = request;
        const run = (s: NativeStatement) => this.#scalar(s, params);
        const isKept = KeptStatements.isWorthKeeping(sql, Object.keys(params).length);
        return this.#withStatement(sql, run, isKept);
      }
      case 'describe':
        return this.#withStatement(request.sql, (s) => s.describe());
      case 'execute': {
        const { sql, params, creates } = request;
        if (creates !== undefined) this.#appended.add(creates);
        return this.#withStatement(sql, (s) => {
          this.#dirty ||= creates === undefined ? !s.leavesNoTrace : s.setsSeed;
          return this.#execute(s, params);
        });
      }
      case 'query': {
        if (!request.profiled) return this.#query(request);
        this.#dirty = true;
        return profiled(this.#connection, () =>
          this.#query({ ...request, fewRows: request.fewRows === true }),
        );
      }
      case 'defineRelation':
        return this.#relations.define(this.#connection, request.name, request.columns, request.rows);
      case 'dropRelation':
        return this.#relations.drop(request.name);
      case 'change':
        this.#connection.checkInterrupt();
        return this.#connection.run(request.sql);
      case 'append': {
        const rows = await runAppend(this.#connection, request.table, request.schemaIpc, this.#append!);
        this.#appended.add(request.table);
        return rows;
      }
      case 'receive': {
        const services = {
          connection: this.#connection,
          received: this.#instance.received,
          memory: this.#memory,
          files: this.#files,
        };
        const relation = await runReceive(services, request.name, request.schemaIpc, this.#append!);
        this.#received.add(request.name);
        return relation;
      }
      case 'dropReceived':
        // A kept statement over these rows would not be recognised as outdated.
        this.#kept.clear();
        this.#received.delete(request.name);
        return this.#instance.received.drop(request.name);
      case 'dropAppended':
        return this.#dropAppended();
    }
  }

  async #query(asked: QueryRequest): Promise<unknown> {
    const fewRows = fewRowsOf(asked.sql, asked);
    const request = { ...asked, fewRows };
    const { sql, keep } = request;
    const ran = (leavesNoTrace: boolean) => {
      this.#dirty ||= !leavesNoTrace;
    };
    if (fewRows !== false && !keep && typeof sql === 'string') {
      // It may set the seed and fail.
      ran(!setsSeed(sql));
      // Rows that are still being received need this thread.
      const mayBlock = request.mayBlock && this.#received.size === 0;
      const isSent = await sendFewRows(
        this.#connection,
        sql,
        { ...request, mayBlock },
        {
          socket: this.#socket,
          onRun: ran,
        },
      );
      if (isSent === true) return undefined;
      if (isSent !== false) return isSent;
    }
    // Rows that are still being received need this thread.
    const isRepeated =
      keep &&
      typeof sql === 'string' &&
      Object.keys(request.params).length === 0 &&
      this.#received.size === 0;
    const run = (s: NativeStatement) => {
      ran(s.leavesNoTrace);
      return runQuery(
        s,
        request,
        this.#socket,
        isRepeated ? (kept) => this.#kept.resultOf(sql, kept, request.mayBlock) : undefined,
      );
    };
    return this.#withStatement(sql, run, keep);
  }

  async #dropAppended(): Promise<void> {
    // Statements over these relations would not be recognised as outdated before they run.
    if (this.#appended.size > 0) this.#kept.clear();
    else this.#kept.dropReaders(this.#received);
    const drops = [...this.#appended].map((table) => `DROP TABLE IF EXISTS temp.main.${quoteName(table)}`);
    if (drops.length > 0) await this.#connection.run(drops.join(';'));
    this.#appended.clear();
    this.#dropReceived();
  }

  #dropReceived(): void {
    for (const name of this.#received) this.#instance.received.drop(name);
    this.#received.clear();
  }

  get #relations(): DefinedRelations {
    if (this.#instance.relations === undefined) throw noDefinedRelations();
    return this.#instance.relations;
  }

  /** @param keep whether the statement stays prepared; a long one does not */
  async #withStatement(
    sql: SqlText,
    run: (statement: NativeStatement) => Promise<unknown>,
    keep = false,
  ): Promise<unknown> {
    if (keep && typeof sql === 'string') return this.#kept.with(sql, run);
    const statement = await NativeStatement.prepare(this.#connection, sql);
    try {
      return await run(statement);
    } finally {
      statement.destroy();
    }
  }

  async #scalar(statement: NativeStatement, params: WireParams): Promise<WireValue> {
    statement.bind(params);
    this.#dirty ||= !statement.leavesNoTrace;
    const result = await statement.execute('materialised');
    try {
      const chunk = result.next();
      if (chunk === undefined) return null;
      const value = firstValue(chunk);
      destroyChunk(chunk);
      return value;
    } finally {
      await result.destroy();
    }
  }

  async #execute(statement: NativeStatement, params: WireParams): Promise<number> {
    statement.bind(params);
    const result = await statement.execute('materialised');
    const changed = result.rowsChanged;
    await result.destroy();
    return changed;
  }

  /** Runs with the first call, or with the next one if that was interrupted meanwhile. */
  async #setUp(): Promise<void> {
    if (this.#isSetUp) return;
    await this.#connection.run(COUNT_PROGRESS);
    this.#isSetUp = true;
  }

  async #setTimeZone(timeZone: string | null): Promise<void> {
    if (timeZone === this.#timeZone) return;
    this.#kept.clear();
    await this.#connection.run(timeZone === null ? 'RESET TimeZone' : `SET TimeZone=${quoteText(timeZone)}`);
    this.#timeZone = timeZone;
  }

  #sendText(text: ShortText): void {
    if (!this.#socket.destroyed) this.#socket.write(text.frame(FrameKind.text, this.#traces));
  }

  #send(kind: FrameKind, value: Reply | WireError): void {
    if (!this.#socket.destroyed) this.#socket.write(encodedIfThereIsMemory(kind, value));
  }

  async #close(): Promise<void> {
    this.#sessions.delete(this.#number);
    this.#statement = undefined;
    this.#interrupt();
    await this.#running;
    this.#kept.clear();
    await this.#connection.close();
    this.#dropReceived();
  }
}

/** Made in advance, for when there is no memory to read a request or to encode another answer. Its session is not used again. */
const OUT_OF_MEMORY_ANSWER = encodeFrame(FrameKind.error, {
  message: 'Out of Memory Error: a request could not be read, or its answer not be written',
  memoryIsShort: true,
  dirty: true,
  appended: false,
});

function encodedIfThereIsMemory(kind: FrameKind, value: Reply | WireError): Buffer {
  try {
    return encodeFrame(kind, value);
  } catch (error) {
    if (error instanceof Error && /out of memory|allocation failed/i.test(error.message)) {
      return OUT_OF_MEMORY_ANSWER;
    }
    throw error;
  }
}

const hardlyAnyLeft = (): NativeError =>
  new NativeError('Out of Memory Error: the kernel process had hardly any memory left');

function toWire(error: unknown): WireError {
  if (error instanceof NativeError) return { message: error.text, sql: error.sql };
  if (isFailedAllocation(error)) return { message: `Out of Memory Error: ${error.message}` };
  return {
    message: `INTERNAL Error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  };
}

/**
 * The failures of statements that have needed more memory than was left, although the process may not use much: they can need it in one
 * piece. Libraries in the kernel have their own words for it.
 */
const MAY_LACK_MEMORY = /alloc|memory/i;

/** Node reports in this way that there is no memory for a buffer: the process goes on, and the query fails. */
const isFailedAllocation = (error: unknown): error is RangeError =>
  error instanceof RangeError && /allocation failed/i.test(error.message);

/** The CPU time of this process in milliseconds. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
