import type { Socket } from 'node:net';
import { BatchBuilder } from '../arrow/batch-builder.ts';
import { type ResultSchema, resultSchema } from '../arrow/schema-cache.ts';
import type { NativeConnection } from '../native/connection.ts';
import type { Pointer } from '../native/libc.ts';
import { duckdb } from '../native/library.ts';
import { NativeBlock } from '../native/memory.ts';
import { isInterrupt, isOutOfMemory } from '../native/native-error.ts';
import { destroyChunk, type NativeResult, NativeStatement } from '../native/statement.ts';
import { encodeFrame, FrameKind, frameHeader } from '../protocol/frames.ts';
import type { SqlText, WireParams } from '../protocol/long-text.ts';
import type { BatchMode, FewRows, ResultHeader } from '../protocol/messages.ts';
import type { RowText } from '../protocol/row-text.ts';
import type { KernelColumn } from '../types/kernel-type.ts';
import { withStreamable } from './collected-rows.ts';
import { QuickStatements } from './quick-statements.ts';
import { RecentTexts } from './recent-texts.ts';
import { ShortText } from './short-text.ts';

const MAX_BATCH_ROWS = 131_072;
const quickStatements = new QuickStatements();

/** How many rows a streamed result may have had, in how many milliseconds, to be computed before its first row is sent the next time. */
const KNOWN_FEW = { rows: 2_048, ms: 100 };
const knownFew = new RecentTexts();

/** Whether a query has few rows, by what is said of it or because the same text had few before. */
export function fewRowsOf(sql: SqlText, { fewRows, isFixed, params }: QueryCall): FewRows {
  if (fewRows === true || !isFixed || typeof sql !== 'string' || Object.keys(params).length > 0)
    return fewRows;
  return knownFew.has(sql) || fewRows;
}

/** The longest time in milliseconds that available rows wait for more rows. */
const MAX_HOLD_MS = 10;
const BATCH_PREFIX_BYTES = 8;

/** How many rows at most are few where they are `perhaps` few. The kernel computes a LIMIT of more than 10,000 on one thread. */
const MAX_FEW_ROWS = 8_192;

export interface QueryCall {
  readonly params: WireParams;
  readonly maxBatchBytes: number;
  readonly batches: BatchMode;
  readonly fewRows: FewRows;
  readonly isText: boolean;
  readonly rowText?: RowText | undefined;
  readonly isFixed: boolean;
  readonly mayBlock: boolean;
  readonly timeZone: string | null;
}

/**
 * Runs a query that has few rows, or may have few, and writes its result header and batches; the caller writes the reply.
 * @returns whether it did so, or the rows if they are to be written with the reply. If it did not, nothing was written, and the
 * query has to be streamed.
 */
export async function sendFewRows(
  connection: NativeConnection,
  sql: string,
  call: QueryCall,
  { socket, onRun }: { readonly socket: Socket; onRun(leavesNoTrace: boolean): void },
): Promise<boolean | ShortText> {
  const isCertain = call.fewRows === true;
  const limited = isCertain ? sql : `${sql} LIMIT ${MAX_FEW_ROWS + 1}`;
  const result = await materialised(connection, limited, call).catch((error: unknown) => {
    // Streaming needs less memory, and finds the error behind an interrupt that was not requested.
    if (!connection.isInterrupted && (isInterrupt(error) || isOutOfMemory(error))) return undefined;
    throw error;
  });
  if (result === undefined) return false;
  onRun(result.leavesNoTrace);
  if (isCertain || result.rowCount <= MAX_FEW_ROWS) return (await sendAll(result, call, socket)) ?? true;
  await result.destroy();
  return false;
}

/** Writes the result header and batches of a materialised result, or returns the rows if they are to be written with the reply. */
async function sendAll(
  result: NativeResult,
  call: QueryCall,
  socket: Socket,
): Promise<ShortText | undefined> {
  let text: ShortText | undefined;
  try {
    text = call.isText ? await shortText(result, call) : undefined;
  } catch (error) {
    await result.destroy();
    throw error;
  }
  if (text === undefined) await withStream(result, call, socket, (stream) => stream.sendAll());
  else await result.destroy();
  return text;
}

const shortText = (
  result: NativeResult,
  { rowText }: QueryCall,
): ShortText | undefined | Promise<ShortText> =>
  rowText === undefined ? ShortText.of(result) : ShortText.written(result, rowText);

async function materialised(
  connection: NativeConnection,
  sql: string,
  { params, mayBlock }: QueryCall,
): Promise<NativeResult> {
  if (Object.keys(params).length === 0) {
    if (!mayBlock) return NativeStatement.resultOf(connection, sql);
    return quickStatements.run(
      sql,
      () => NativeStatement.resultAtOnce(connection, sql),
      () => NativeStatement.resultOf(connection, sql),
    );
  }
  const statement = await NativeStatement.prepare(connection, sql);
  try {
    statement.bind(params);
    return await statement.execute('materialised');
  } finally {
    statement.destroy();
  }
}

/**
 * Runs the statement and writes its result header and batches; the caller writes the reply. Returns the rows if they are to be
 * written with the reply.
 * @param compute computes the rows of a result that has few
 */
export async function runQuery(
  statement: NativeStatement,
  call: QueryCall,
  socket: Socket,
  compute: (statement: NativeStatement) => NativeResult | Promise<NativeResult> = (s) =>
    s.execute('materialised'),
): Promise<ShortText | undefined> {
  try {
    statement.bind(call.params);
    if (call.fewRows === true) return await sendAll(await compute(statement), call, socket);
    const startedAt = performance.now();
    let rows = 0;
    await withStreamable(statement, call.params, async (streamed) =>
      withStream(await streamed.execute('streaming'), call, socket, async (stream) => {
        rows = await stream.run();
      }),
    );
    if (call.isFixed && rows <= KNOWN_FEW.rows && performance.now() - startedAt <= KNOWN_FEW.ms)
      noteFewRows(statement.sql);
    return undefined;
  } catch (error) {
    throw isInterrupt(error) ? await statement.causeOfInterrupt(call.params) : error;
  }
}

function noteFewRows(sql: SqlText): void {
  if (typeof sql === 'string') knownFew.add(sql);
}

/** Destroys the result after `send`. */
async function withStream(
  result: NativeResult,
  call: QueryCall,
  socket: Socket,
  send: (stream: ResultStream) => Promise<void> | void,
): Promise<void> {
  const optionsSlot = new NativeBlock(8);
  try {
    const options = duckdb.arrowOptions(result.address);
    optionsSlot.setPointer(0, options);
    await send(new ResultStream(result, options, socket, call));
  } finally {
    duckdb.destroyArrowOptions(optionsSlot.address);
    await result.destroy();
  }
}

class ResultStream {
  readonly #result: NativeResult;
  readonly #socket: Socket;
  readonly #maxBatchBytes: number;
  readonly #batches: BatchMode;
  readonly #columns: KernelColumn[];
  readonly #schema: ResultSchema;
  readonly #builder: BatchBuilder;
  #headerSent = false;

  constructor(
    result: NativeResult,
    options: Pointer,
    socket: Socket,
    { maxBatchBytes, batches, timeZone }: QueryCall,
  ) {
    this.#result = result;
    this.#socket = socket;
    this.#maxBatchBytes = maxBatchBytes;
    this.#batches = batches;
    this.#columns = result.columns();
    this.#schema = resultSchema(result.address, options, this.#columns, timeZone);
    this.#builder = new BatchBuilder(options, this.#schema.schema);
  }

  /**
   * Always fetches the next chunk while the last one is copied. Rows wait for a full batch only while the
   * kernel keeps producing them; the first chunk is sent as soon as it is known not to be the only one. In
   * the modes with full batches, rows always wait. Returns the number of rows.
   */
  async run(): Promise<number> {
    const isPrompt = this.#batches === 'prompt';
    const overdue = isPrompt ? setInterval(() => this.#flushOverdue(), MAX_HOLD_MS) : undefined;
    let pending: Promise<Pointer | undefined> | undefined;
    let rows = 0;
    try {
      pending = this.#result.fetch();
      for (;;) {
        const chunk = await pending;
        pending = undefined;
        if (chunk === undefined) break;
        pending = this.#result.fetch();
        // The next await sees its failure; until then it must not count as unhandled.
        pending.catch(() => undefined);
        const before = this.#builder.rows;
        this.#builder.add(chunk);
        rows += this.#builder.rows - before;
        const full = this.#builder.rows >= MAX_BATCH_ROWS || this.#builder.bytes >= this.#maxBatchBytes;
        if (full || (isPrompt && !this.#headerSent)) {
          if (isPrompt && !this.#headerSent && (await pending) === undefined) continue;
          // The last batch is sent while this one is filled, so two batches are in memory at a time.
          await drained(this.#socket);
          this.#flush();
        }
      }
      this.#finish();
      return rows;
    } finally {
      clearInterval(overdue);
      const unread = await pending?.catch(() => undefined);
      if (unread !== undefined) destroyChunk(unread);
    }
  }

  /** Sends the rows of a materialised result, without waiting for another thread. */
  sendAll(): void {
    for (let chunk = this.#result.next(); chunk !== undefined; chunk = this.#result.next())
      this.#builder.add(chunk);
    this.#finish();
  }

  #finish(): void {
    this.#socket.cork();
    this.#flush();
    if (!this.#headerSent) this.#sendHeader();
    // The caller writes its reply in the same turn of the event loop, so it is sent together with the rows.
    process.nextTick(() => this.#socket.uncork());
  }

  /**
   * Sends rows that have waited too long, unless the reader lags behind: rows are then collected into full
   * batches, whose number is bounded.
   */
  #flushOverdue(): void {
    if (!this.#socket.writableNeedDrain) this.#flush();
  }

  #flush(): void {
    if (this.#builder.rows === 0 || this.#socket.destroyed) return;
    const { rows, message, recycle } =
      this.#batches === 'sorted' ? this.#builder.takeSorted() : this.#builder.take();
    this.#socket.cork();
    if (!this.#headerSent) this.#sendHeader();
    const prefix = Buffer.alloc(BATCH_PREFIX_BYTES);
    prefix.writeUInt32LE(rows);
    const size = message.reduce((sum, part) => sum + part.length, BATCH_PREFIX_BYTES);
    this.#socket.write(frameHeader(FrameKind.batch, size));
    this.#socket.write(prefix);
    for (const part of message.slice(0, -1)) this.#socket.write(part);
    this.#socket.write(message.at(-1)!, recycle);
    this.#socket.uncork();
  }

  /** Dictionaries belong to the schema, because they are the same for every batch. */
  #sendHeader(): void {
    this.#headerSent = true;
    const dictionaries = this.#builder.dictionaryMessages();
    if (dictionaries.length > 0) {
      this.#socket.write(this.#headerFrame(Buffer.concat([this.#schema.message, ...dictionaries])));
      return;
    }
    this.#schema.headerFrame ??= this.#headerFrame(this.#schema.message);
    this.#socket.write(this.#schema.headerFrame);
  }

  #headerFrame(schemaIpc: Buffer): Buffer {
    const header: ResultHeader = { columns: this.#columns, schemaIpc };
    return encodeFrame(FrameKind.resultHeader, header);
  }
}

/** Resolves when the socket accepts more, or is closed. */
function drained(socket: Socket): Promise<void> {
  if (!socket.writableNeedDrain || socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('drain', done);
    socket.on('close', done);
  });
}
