import type { RecordBatch, Schema } from 'apache-arrow';
import { schemaMessage } from '../arrow/ipc.ts';
import { decodeValue, type WireValue } from '../protocol/long-text.ts';
import type {
  BatchMode,
  FewRows,
  QueryProgress,
  ReceivedRelation,
  StatementDescription,
  StatementProfile,
  TextRows,
} from '../protocol/messages.ts';
import type { RowText } from '../protocol/row-text.ts';
import type { KernelParams, KernelValue } from '../types/kernel-value.ts';
import { quoteName } from '../types/quoting.ts';
import { type ArrowBatchInput, sendBatches } from './append.ts';
import { interruptOnAbort } from './interrupt-on-abort.ts';
import type { KernelProcessHandle } from './kernel-process-handle.ts';
import { type KernelResult, ResultStream } from './result-stream.ts';
import { requestFrame, type SessionSocket } from './session-socket.ts';

const DEFAULT_BATCH_BYTES = 1024 * 1024;

/** Where a session runs, and how. */
export interface SessionPlace {
  readonly timeZone: string | null;
  /** The most threads of its statements, if they are fewer than those of the process. */
  readonly threads?: number | undefined;
  /** Whether the session uses tables of other sessions of the process. */
  readonly sharesTables: boolean;
  /** Interrupts every call of the session once it aborts. */
  readonly signal: AbortSignal | undefined;
}

/** How a query runs: see `KernelSession.query`. */
interface QueryOptions {
  readonly maxBatchBytes?: number;
  readonly batches?: BatchMode;
  readonly keep?: boolean;
  readonly fewRows?: FewRows;
  readonly isFixed?: boolean | undefined;
  readonly profiled?: boolean;
}

/** The request of a `scalar` call. */
export const scalarFrame = (sql: string, params: KernelParams, timeZone: string | null): Buffer =>
  requestFrame({ op: 'scalar', sql, params, timeZone });

type TextOptions = Pick<QueryOptions, 'keep' | 'fewRows' | 'isFixed'>;

/** Numbers received relations, to make their names unique. */
let received = 0;

/**
 * An exclusive connection to the kernel with its own temp tables; it runs one call at a time. Every failure
 * is a `TesseraError`; `caretOf` returns the position in the SQL.
 */
export class KernelSession {
  readonly #process: KernelProcessHandle;
  readonly #socket: SessionSocket;
  readonly #place: SessionPlace;
  readonly #timeZone: string | null;
  readonly #onClose: (isBusy: boolean) => void;
  readonly #stopInterrupting: (() => void) | undefined;
  #closed = false;
  #measure: ((call: QueryProgress) => QueryProgress) | undefined;

  /** @param onClose learns whether the kernel still runs a call of the session */
  constructor(
    process: KernelProcessHandle,
    socket: SessionSocket,
    place: SessionPlace,
    onClose: (isBusy: boolean) => void,
  ) {
    this.#process = process;
    this.#socket = socket;
    this.#place = place;
    this.#timeZone = place.timeZone;
    this.#onClose = onClose;
    this.#stopInterrupting = place.signal && interruptOnAbort(this, place.signal);
  }

  /**
   * The id of the process whose tables the session shares. Everything except temp tables is visible to all
   * sessions of the same process, and to no others. Undefined if the session shares no tables: it was opened so, or its
   * statements use fewer threads than others do.
   */
  get processId(): string | undefined {
    const { threads, sharesTables } = this.#place;
    return threads === undefined && sharesTables ? this.#process.id : undefined;
  }

  /**
   * Runs a statement to its end and returns the first column of the first row, or null if there is no row.
   * Types without a `KernelValue` are refused and must be cast.
   */
  async scalar(sql: string, params: KernelParams = []): Promise<KernelValue> {
    return decodeValue(await this.encodedScalar(sql, scalarFrame(sql, params, this.#timeZone)));
  }

  /** `scalar` for a request and a value that another thread encodes and decodes. @param frame see `scalarFrame` */
  async encodedScalar(sql: string, frame: Uint8Array): Promise<WireValue> {
    return (await this.#socket.callEncoded(frame, sql)) as WireValue;
  }

  /** The time zone of its calls; null for the kernel's own. */
  get timeZone(): string | null {
    return this.#timeZone;
  }

  /** Prepares a statement without running it. */
  async describe(sql: string): Promise<StatementDescription> {
    return (await this.#socket.call({
      op: 'describe',
      sql,
      timeZone: this.#timeZone,
    })) as StatementDescription;
  }

  /** Runs a statement to its end and returns the number of changed rows. */
  async execute(sql: string, params: KernelParams = []): Promise<number> {
    return (await this.#socket.call({ op: 'execute', sql, params, timeZone: this.#timeZone })) as number;
  }

  /**
   * Fills a new temp table with the rows of a query. Other than after `CREATE TEMP TABLE` by `execute`, the connection can
   * be given to another session afterwards, without the table.
   */
  async createTable(creates: string, query: string, params: KernelParams = []): Promise<void> {
    const sql = `CREATE TEMP TABLE ${quoteName(creates)} AS ${query}`;
    await this.#socket.call({ op: 'execute', sql, params, creates, timeZone: this.#timeZone });
  }

  /**
   * Runs statements to their end in one step. They must leave the session unchanged: what they create or drop
   * must be visible to all sessions of the process, not a temp table or a setting.
   */
  async change(sql: string): Promise<void> {
    await this.#socket.call({ op: 'change', sql, timeZone: this.#timeZone });
  }

  /**
   * Resolves when the query runs and its schema is known. The session is busy until the batches have been
   * read to the end or their iteration has been ended.
   * `keep`: keeps the statement prepared, because the same text may come again. Only for queries whose text always means
   * the same rows, and that hold none after they have run: a kept plan contains conclusions from the rows that a table had
   * (conditions that all of them satisfied are dropped), keeps hash tables, sorted and collected rows in memory, and does
   * not look at files again.
   * `fewRows`: computes all rows before the first one is sent, in one step of another thread instead of five or more: each
   * vector of a streamed result takes another step, however few of its rows satisfy the condition. The rows are all in
   * memory then, so `true` is only for queries that return no more than about one vector (2,048 rows).
   * `isFixed`: the same text always reads the same rows, which are in memory. A query that was quick then is quick again, and
   * runs without a change of threads if no other session is open; and one that returned few rows returns few again.
   * `profiled`: measures its operators: see `KernelResult.profile`.
   */
  query(sql: string, params: KernelParams = [], options: QueryOptions = {}): Promise<KernelResult> {
    return this.#start(sql, params, options, false).result();
  }

  /**
   * The rows of a query of one VARCHAR column, of which only the values are wanted: a few rows then take less time. Resolves
   * when the first of them have arrived; otherwise like `query`.
   */
  texts(
    sql: string,
    params: KernelParams = [],
    options: TextOptions = {},
  ): Promise<AsyncIterable<TextRows> | Iterable<TextRows>> {
    return this.#start(sql, params, options, true).texts();
  }

  /**
   * The rows of a query that certainly has few (see `query`), written as `rowText` says: no expressions that make text of the
   * values need to be planned, which takes longer than a short query. Undefined if their text has more than 8 MiB: `texts` sends it in
   * parts.
   */
  async writtenRows(
    sql: string,
    params: KernelParams,
    rowText: RowText,
    options: TextOptions = {},
  ): Promise<AsyncIterable<TextRows> | Iterable<TextRows> | undefined> {
    const stream = this.#start(sql, params, { ...options, fewRows: true }, true, rowText);
    const rows = await stream.texts();
    return stream.isTooLong ? undefined : rows;
  }

  #start(
    sql: string,
    params: KernelParams,
    options: QueryOptions,
    isText: boolean,
    rowText?: RowText,
  ): ResultStream {
    const stream = new ResultStream(this.#socket);
    const {
      maxBatchBytes = DEFAULT_BATCH_BYTES,
      batches = 'prompt',
      keep = false,
      fewRows = false,
      isFixed = false,
      profiled = false,
    } = options;
    const mayBlock = isFixed ? this.#process.sessions === 1 : keep;
    const timeZone = this.#timeZone;
    const how = { maxBatchBytes, batches, keep, fewRows, isText, isFixed, mayBlock, profiled, timeZone };
    this.#socket.call({ op: 'query', sql, params, ...how, rowText }, stream).then(
      (profile) => stream.end({ profile: profile as StatementProfile | undefined }),
      (failure: Error) => stream.end({ failure }),
    );
    return stream;
  }

  /**
   * Creates the temp table `table` with the schema, fills it in the order of the batches, and returns the
   * number of rows. If a batch or the source fails, there is no table.
   */
  append(
    table: string,
    schema: Schema,
    batches: AsyncIterable<ArrowBatchInput> | Iterable<RecordBatch>,
  ): Promise<number> {
    const schemaIpc = schemaMessage(schema);
    const request = { op: 'append', table, schemaIpc, timeZone: this.#timeZone } as const;
    return sendBatches(this.#socket, request, batches) as Promise<number>;
  }

  /**
   * Makes the rows of the batches readable in this session until it is closed: in memory or, if they are too
   * many, in a temp table. If a batch or the source fails, nothing remains.
   */
  receive(
    schema: Schema,
    batches: AsyncIterable<ArrowBatchInput> | Iterable<RecordBatch>,
  ): Promise<ReceivedRelation> {
    const name = `received_${this.#socket.number}_${++received}`;
    const schemaIpc = schemaMessage(schema);
    const request = { op: 'receive', name, schemaIpc, timeZone: this.#timeZone } as const;
    return sendBatches(this.#socket, request, batches) as Promise<ReceivedRelation>;
  }

  /** Frees received rows before the session is closed; no statement may read them any more. */
  async dropReceived({ name }: ReceivedRelation): Promise<void> {
    await this.#socket.call({ op: 'dropReceived', name, timeZone: this.#timeZone });
  }

  /**
   * Creates a relation that statements of all sessions of the process can be bound and planned over; requires
   * a kernel with `definesRelations`. The optimiser sees `rows` rows; reading it returns none. It does not
   * hide a table, and it replaces a relation of the same name.
   * @param columns `type` is SQL
   * @param name is found in every schema, so it should be unique
   */
  async defineRelation(
    name: string,
    columns: readonly { readonly name: string; readonly type: string }[],
    rows: number,
  ): Promise<void> {
    await this.#socket.call({ op: 'defineRelation', name, columns, rows, timeZone: this.#timeZone });
  }

  /** Drops a relation; it is not an error if it does not exist. */
  async dropRelation(name: string): Promise<void> {
    await this.#socket.call({ op: 'dropRelation', name, timeZone: this.#timeZone });
  }

  /**
   * Makes the running call fail with QUERY_CANCELLED. If the kernel does not stop it within five seconds, the
   * session becomes unusable.
   */
  interrupt(): void {
    this.#socket.interrupt();
  }

  /**
   * The progress of the running call, or of the work of which it is a part: see `measureWith`.
   * @param planned whether its statement may be planned once more for this, which costs as much as planning it
   */
  async progress(planned = true): Promise<QueryProgress> {
    const session = this.#socket.number;
    const call = (await this.#process.ask({ op: 'progress', session, planned })) as QueryProgress;
    return this.#measure?.(call) ?? call;
  }

  /**
   * Lets `progress` return what `measure` makes of the progress of the running call, for a work of which the kernel sees only
   * a part: from now on, because the work may go on after the last call.
   */
  measureWith(measure: (call: QueryProgress) => QueryProgress): void {
    this.#measure = measure;
  }

  /** Drops the session's temp tables. A running call is stopped and fails with QUERY_CANCELLED. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopInterrupting?.();
    const { isBusy } = this.#socket;
    this.#process.give(this.#socket, this.#place.threads === undefined);
    this.#onClose(isBusy);
  }
}
