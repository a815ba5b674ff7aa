import type { RecordBatch, Schema } from 'apache-arrow';
import { schemaMessage } from '../arrow/ipc.ts';
import type {
  BatchMode,
  KernelParams,
  KernelValue,
  QueryProgress,
  ReceivedRelation,
  StatementDescription,
} from '../protocol/messages.ts';
import { type ArrowBatchInput, sendBatches } from './append.ts';
import type { KernelProcessHandle } from './kernel-process-handle.ts';
import { type KernelResult, ResultStream } from './result-stream.ts';
import type { SessionSocket } from './session-socket.ts';

const DEFAULT_BATCH_BYTES = 1024 * 1024;

/** Counts received relations, for their names. */
let received = 0;

/**
 * A connection of the kernel of one's own: temp tables, one call at a time. Every failure is a `TesseraError`;
 * `caretOf` tells where in the SQL.
 */
export class KernelSession {
  readonly #process: KernelProcessHandle;
  readonly #socket: SessionSocket;
  readonly #timeZone: string | null;
  readonly #onClose: () => void;
  #closed = false;

  constructor(
    process: KernelProcessHandle,
    socket: SessionSocket,
    timeZone: string | null,
    onClose: () => void,
  ) {
    this.#process = process;
    this.#socket = socket;
    this.#timeZone = timeZone;
    this.#onClose = onClose;
  }

  /** The process it is on: what is not a temp table is seen by all sessions of the same process, and by no other. */
  get processId(): string {
    return this.#process.id;
  }

  /** Runs to the end; the first column of the first row, null if there is no row. Types without a `KernelValue` are refused: cast. */
  async scalar(sql: string, params: readonly KernelValue[] = []): Promise<KernelValue> {
    return (await this.#socket.call({ op: 'scalar', sql, params, timeZone: this.#timeZone })) as KernelValue;
  }

  /** Prepares without running. */
  async describe(sql: string): Promise<StatementDescription> {
    return (await this.#socket.call({
      op: 'describe',
      sql,
      timeZone: this.#timeZone,
    })) as StatementDescription;
  }

  /** Runs to the end; the number of rows changed. */
  async execute(sql: string, params: KernelParams = []): Promise<number> {
    return (await this.#socket.call({ op: 'execute', sql, params, timeZone: this.#timeZone })) as number;
  }

  /**
   * Runs statements to the end, in one step. They must leave the session as it was: what they make or drop is no temp table,
   * no setting, but seen by all sessions of the process.
   */
  async change(sql: string): Promise<void> {
    await this.#socket.call({ op: 'change', sql, timeZone: this.#timeZone });
  }

  /**
   * Resolves when the query runs and its schema is known. The session is busy until the batches have been read to the
   * end or their iteration has been ended.
   *
   * `keep`: the same text may come again, and is to be prepared for the next time too. Only for queries that read
   * nothing: a kept plan has conclusions in it from what the rows of a table were (conditions that held for all of them are
   * left out), keeps what was gathered in memory, and looks at no file again.
   */
  query(
    sql: string,
    params: KernelParams = [],
    options: { maxBatchBytes?: number; batches?: BatchMode; keep?: boolean } = {},
  ): Promise<KernelResult> {
    const stream = new ResultStream(this.#socket);
    const { maxBatchBytes = DEFAULT_BATCH_BYTES, batches = 'prompt', keep = false } = options;
    const timeZone = this.#timeZone;
    this.#socket.call({ op: 'query', sql, params, maxBatchBytes, batches, keep, timeZone }, stream).then(
      () => stream.end(),
      (error: Error) => stream.end(error),
    );
    return stream.result();
  }

  /**
   * Makes the temp table `table` of the schema and fills it in the order of the batches; the number of rows. When a
   * batch or the source fails there is no table.
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
   * Makes the rows of the batches readable in this session until it is closed: in memory, or, when they are too many for it, in a
   * temp table. When a batch or the source fails nothing is left.
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

  /**
   * Makes a relation that statements of all sessions of the process can be bound and planned over, with a kernel that has
   * `definesRelations`: of `rows` rows for the optimiser, and none for those who read it. It hides no table, and takes the
   * place of a relation of the same name.
   *
   * @param columns `type` is SQL
   * @param name found in every schema, so it should be like no other
   */
  async defineRelation(
    name: string,
    columns: readonly { readonly name: string; readonly type: string }[],
    rows: number,
  ): Promise<void> {
    await this.#socket.call({ op: 'defineRelation', name, columns, rows, timeZone: this.#timeZone });
  }

  /** Of a relation that is not there too. */
  async dropRelation(name: string): Promise<void> {
    await this.#socket.call({ op: 'dropRelation', name, timeZone: this.#timeZone });
  }

  /** The running call fails with QUERY_CANCELLED; the session is of no more use where the kernel does not stop it within five seconds. */
  interrupt(): void {
    this.#socket.interruptOrLeave();
  }

  /** Of the running query. */
  async progress(): Promise<QueryProgress> {
    return (await this.#process.ask({ op: 'progress', session: this.#socket.number })) as QueryProgress;
  }

  /** Frees the session's temp tables. A call that still runs is stopped and fails with QUERY_CANCELLED. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#process.give(this.#socket);
    this.#onClose();
  }
}
