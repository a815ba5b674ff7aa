import { setImmediate } from 'node:timers/promises';
import {
  isLongText,
  occursIn,
  prefixedSql,
  type SqlText,
  type WireParams,
  type WireValue,
} from '../protocol/long-text.ts';
import type { StatementDescription } from '../protocol/messages.ts';
import type { KernelColumn } from '../types/kernel-type.ts';
import type { NativeConnection } from './connection.ts';
import { failureOf } from './error-data.ts';
import type { Pointer } from './libc.ts';
import { duckdb, offLoop, type ResultValue, takeString } from './library.ts';
import { takeLogicalType } from './logical-type.ts';
import { errorTextAt, NativeBlock } from './memory.ts';
import { failedOnce, interrupted, NativeError, positionedAfter, requireCString } from './native-error.ts';

const SELECT = 1;
const EXPLAIN = 4;
const COPY = 11;
/** `DUCKDB_TYPE_VARCHAR`. */
const VARCHAR = 17;
/** It writes a file; the other form of COPY fills a table. */
const COPIES_QUERY = /^COPY \(/;
const EXPLAIN_ANALYZE = 'EXPLAIN ANALYZE ';
const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/** @param type of the statement, as the library counts them */
function leavesNoTrace(type: number, sql: SqlText): boolean {
  const onlyReads = type === SELECT || type === EXPLAIN || (type === COPY && occursIn(sql, COPIES_QUERY));
  return onlyReads && !setsSeed(sql);
}

/** Whether running it may decide what random functions return in later statements of the connection. */
export const setsSeed = (sql: SqlText): boolean => occursIn(sql, /setseed/i);

/** A prepared statement, which must be destroyed with `destroy` in any case. */
export class NativeStatement {
  readonly connection: NativeConnection;
  readonly sql: SqlText;
  readonly #slot = new NativeBlock(8);
  #handle: Pointer = 0n;

  private constructor(connection: NativeConnection, sql: SqlText) {
    this.connection = connection;
    this.sql = sql;
  }

  static async prepare(connection: NativeConnection, sql: SqlText): Promise<NativeStatement> {
    connection.checkInterrupt();
    const statement = new NativeStatement(connection, sql);
    const failed = await statement.#prepare();
    statement.#handle = statement.#slot.pointerAt(0);
    if (failed !== 0) {
      const text = statement.#handle === 0n ? null : duckdb.prepareError(statement.#handle);
      const error = new NativeError(text ? errorTextAt(text) : 'The statement could not be prepared', sql);
      statement.destroy();
      throw error;
    }
    return statement;
  }

  #prepare(): Promise<number> {
    const { handle } = this.connection;
    const sql = this.sql;
    if (typeof sql === 'string') return offLoop(this, duckdb.prepare, handle, sql, this.#slot.address);
    requireCString(sql, 'a statement');
    return offLoop(this, duckdb.prepareUtf8, handle, sql, this.#slot.address);
  }

  /** Whether running it leaves the connection unchanged. */
  get leavesNoTrace(): boolean {
    return leavesNoTrace(duckdb.statementType(this.#handle), this.sql);
  }

  /** Whether running it may decide what random functions return in later statements of the connection. */
  get setsSeed(): boolean {
    return setsSeed(this.sql);
  }

  get isSelect(): boolean {
    return duckdb.statementType(this.#handle) === SELECT;
  }

  columnNames(): string[] {
    const columns = Number(duckdb.preparedColumnCount(this.#handle));
    return Array.from({ length: columns }, (_, i) => takeString(duckdb.preparedColumnName(this.#handle, i)));
  }

  async describe(): Promise<StatementDescription> {
    const columns = await inTurns(Number(duckdb.preparedColumnCount(this.#handle)), (i) => ({
      name: takeString(duckdb.preparedColumnName(this.#handle, i)),
      type: takeLogicalType(duckdb.preparedColumnType(this.#handle, i)) ?? { id: 'NULL' as const },
    }));
    const parameters = await inTurns(Number(duckdb.parameterCount(this.#handle)), (i) => ({
      name: takeString(duckdb.parameterName(this.#handle, i + 1)),
      type: takeLogicalType(duckdb.parameterType(this.#handle, i + 1)),
    }));
    return { columns, parameters };
  }

  /** The type of a column, which the caller must destroy. */
  columnType(index: number): Pointer {
    return duckdb.preparedColumnType(this.#handle, index)!;
  }

  bind(params: WireParams): void {
    if (Array.isArray(params)) {
      const expected = Number(duckdb.parameterCount(this.#handle));
      if (params.length !== expected) {
        throw this.#invalid(`the statement takes ${expected} parameters, ${params.length} were given`);
      }
      for (const [i, value] of (params as readonly WireValue[]).entries())
        this.#bindOne(i + 1, `$${i + 1}`, value);
      return;
    }
    const index = new NativeBlock(8);
    for (const [name, value] of Object.entries(params as Readonly<Record<string, WireValue>>)) {
      if (duckdb.parameterIndex(this.#handle, index.address, name) !== 0) {
        throw this.#invalid(`the statement has no parameter $${name}`);
      }
      this.#bindOne(Number(index.pointerAt(0)), `$${name}`, value);
    }
  }

  #bindOne(index: number, label: string, value: WireValue): void {
    if (bindValue(this.#handle, index, value) !== 0)
      throw this.#invalid(`parameter ${label} cannot be bound`);
  }

  #invalid(reason: string): NativeError {
    return new NativeError(
      JSON.stringify({ exception_type: 'Invalid Input', exception_message: `Parameters: ${reason}` }),
      this.sql,
    );
  }

  /** The materialised result of a query without parameters, in one step of another thread instead of two. */
  static async resultOf(connection: NativeConnection, sql: SqlText): Promise<NativeResult> {
    connection.checkInterrupt();
    return new NativeResult(connection, sql, await connection.query(sql), false);
  }

  /** The same on this thread: nothing else runs here meanwhile, and it cannot be interrupted. */
  static resultAtOnce(connection: NativeConnection, sql: string): NativeResult {
    connection.checkInterrupt();
    return new NativeResult(connection, sql, connection.queryAtOnce(sql), false);
  }

  async execute(mode: 'streaming' | 'materialised'): Promise<NativeResult> {
    this.connection.checkInterrupt();
    const block = new NativeBlock(48);
    const call = mode === 'streaming' ? duckdb.executeStreaming : duckdb.execute;
    const failed = await offLoop(block, call, this.#handle, block.address);
    return this.#result(block, failed, mode);
  }

  /** Like `execute('materialised')`, on this thread: nothing else runs here meanwhile, and it cannot be interrupted. */
  executeAtOnce(): NativeResult {
    this.connection.checkInterrupt();
    const block = new NativeBlock(48);
    return this.#result(block, duckdb.execute(this.#handle, block.address), 'materialised');
  }

  #result(block: NativeBlock, failed: number, mode: 'streaming' | 'materialised'): NativeResult {
    if (failed !== 0) {
      const error = failureOf(block.address, this.sql);
      duckdb.destroyResult(block.address);
      throw error;
    }
    return new NativeResult(this.connection, this.sql, block, mode === 'streaming');
  }

  /**
   * The error to report for a stream that ended with the kernel's interrupt error.
   * If one of the kernel's threads fails, the kernel interrupts the other threads of the query. If the thread
   * that fetches rows sees that interrupt first, the library reports the interrupt and forgets the error.
   * Unless we requested the interrupt, the query is therefore run again under EXPLAIN ANALYZE, which executes
   * the same plan, drops its rows, and reports the first error of any thread.
   */
  async causeOfInterrupt(params: WireParams): Promise<NativeError> {
    if (this.connection.isInterrupted || !this.isSelect) return interrupted();
    let repeated: NativeStatement | undefined;
    try {
      repeated = await NativeStatement.prepare(this.connection, prefixedSql(EXPLAIN_ANALYZE, this.sql));
      repeated.bind(params);
      await (await repeated.execute('materialised')).destroy();
    } catch (error) {
      if (error instanceof NativeError) return positionedAfter(EXPLAIN_ANALYZE.length, error, this.sql);
      throw error;
    } finally {
      repeated?.destroy();
    }
    return failedOnce(this.sql);
  }

  destroy(): void {
    duckdb.destroyPrepare(this.#slot.address);
    this.#handle = 0n;
  }
}

const TURN_MS = 5;

/**
 * Like `Array.from`, but yields to other sessions: each of the library's answers takes time proportional to
 * their number.
 */
async function inTurns<T>(length: number, one: (index: number) => T): Promise<T[]> {
  const all: T[] = [];
  let startedAt = performance.now();
  for (let i = 0; i < length; i += 1) {
    all.push(one(i));
    if (performance.now() - startedAt < TURN_MS) continue;
    await setImmediate();
    startedAt = performance.now();
  }
  return all;
}

function bindValue(statement: Pointer, index: number, value: WireValue): number {
  switch (typeof value) {
    case 'boolean':
      return duckdb.bindBoolean(statement, index, value);
    case 'number':
      return Number.isSafeInteger(value) && !Object.is(value, -0)
        ? duckdb.bindInt64(statement, index, value)
        : duckdb.bindDouble(statement, index, value);
    case 'bigint':
      return value >= INT64_MIN && value <= INT64_MAX
        ? duckdb.bindInt64(statement, index, value)
        : duckdb.bindHugeint(statement, index, {
            lower: BigInt.asUintN(64, value),
            upper: BigInt.asIntN(64, value >> 64n),
          });
    case 'string': {
      const bytes = Buffer.from(value, 'utf8');
      return duckdb.bindVarchar(statement, index, bytes, bytes.length);
    }
    default:
      if (value === null) return duckdb.bindNull(statement, index);
      if (isLongText(value)) return duckdb.bindVarchar(statement, index, value.utf8, value.utf8.length);
      return duckdb.bindBlob(statement, index, value, value.length);
  }
}

/** The rows of a running statement, chunk by chunk. */
export class NativeResult {
  readonly #connection: NativeConnection;
  readonly #sql: SqlText;
  readonly #block: NativeBlock;
  readonly #value: ResultValue;
  readonly #isStreaming: boolean;
  #ended = false;

  constructor(connection: NativeConnection, sql: SqlText, block: NativeBlock, isStreaming: boolean) {
    this.#isStreaming = isStreaming;
    this.#connection = connection;
    this.#sql = sql;
    this.#block = block;
    this.#value = {
      column_count: 0,
      row_count: 0,
      rows_changed: 0,
      columns: null,
      error_message: null,
      internal_data: block.pointerAt(40),
    };
  }

  get address(): Pointer {
    return this.#block.address;
  }

  /** The number of all rows of a materialised result. */
  get rowCount(): number {
    return Number(duckdb.rowCount(this.address));
  }

  /** Whether it has one column, which is VARCHAR. */
  get isText(): boolean {
    return Number(duckdb.columnCount(this.address)) === 1 && duckdb.columnTypeId(this.address, 0) === VARCHAR;
  }

  /** The types of its columns, by their numbers in the library. */
  get typeIds(): number[] {
    return Array.from({ length: Number(duckdb.columnCount(this.address)) }, (_, i) =>
      duckdb.columnTypeId(this.address, i),
    );
  }

  /** See `NativeStatement`. */
  get leavesNoTrace(): boolean {
    return leavesNoTrace(duckdb.resultStatementType(this.#value), this.#sql);
  }

  get rowsChanged(): number {
    return Number(duckdb.rowsChanged(this.address));
  }

  columns(): KernelColumn[] {
    return Array.from({ length: Number(duckdb.columnCount(this.address)) }, (_, i) => ({
      name: duckdb.columnName(this.address, i),
      type: takeLogicalType(duckdb.columnType(this.address, i)) ?? { id: 'NULL' as const },
    }));
  }

  /** The next chunk, which the caller must destroy; undefined at the end. */
  async fetch(): Promise<Pointer | undefined> {
    this.#connection.checkInterrupt();
    const chunk = await offLoop(this, duckdb.fetchChunk, this.#value);
    if (chunk) return chunk;
    this.#ended = true;
    const text = duckdb.resultError(this.address);
    if (text) throw new NativeError(errorTextAt(text), this.#sql);
    return undefined;
  }

  /** The next chunk of a materialised result, available at once, which the caller must destroy. Undefined at the end. */
  next(): Pointer | undefined {
    return duckdb.fetchChunk(this.#value) ?? undefined;
  }

  /**
   * Destroying an unfinished result stops its tasks, which may take time. Its transaction would stay open
   * until the connection's next statement and hold the memory of tables that others drop, so an empty
   * statement follows. The tasks of a streaming result may wait for the event loop, for received rows
   * (`ReceivedRows`); nothing on the event loop waits for them.
   */
  async destroy(): Promise<void> {
    // The transaction of a materialised result ended with its statement.
    if (!this.#isStreaming) {
      duckdb.destroyResult(this.address);
      return;
    }
    await offLoop(this, duckdb.destroyResult, this.address);
    if (this.#ended) return;
    const nothing = new NativeBlock(8);
    await offLoop(nothing, duckdb.prepare, this.#connection.handle, '', nothing.address);
    duckdb.destroyPrepare(nothing.address);
  }
}

const chunkSlot = new NativeBlock(8);

export function destroyChunk(chunk: Pointer): void {
  chunkSlot.setPointer(0, chunk);
  duckdb.destroyChunk(chunkSlot.address);
}
