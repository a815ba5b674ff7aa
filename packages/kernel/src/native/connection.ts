import type { SqlText } from '../protocol/long-text.ts';
import { failureOf } from './error-data.ts';
import type { Pointer } from './libc.ts';
import { duckdb, offLoop } from './library.ts';
import { NativeBlock } from './memory.ts';
import { interrupted, requireCString } from './native-error.ts';

/**
 * The kernel forgets an interrupt that arrives before a query has begun, so it is repeated until the call has
 * ended.
 */
const INTERRUPT_REPEAT_MS = 10;

/** One connection of the kernel, which runs one call at a time. */
export class NativeConnection {
  readonly handle: Pointer;
  readonly #slot: NativeBlock;
  readonly #onClosed: () => void;
  #repeat: NodeJS.Timeout | undefined;

  constructor(database: Pointer, onClosed: () => void) {
    this.#onClosed = onClosed;
    this.#slot = new NativeBlock(8);
    if (duckdb.connect(database, this.#slot.address) !== 0)
      throw new Error('The kernel refused a connection');
    this.handle = this.#slot.pointerAt(0);
  }

  interrupt(): void {
    if (this.#repeat !== undefined) return;
    duckdb.interrupt(this.handle);
    this.#repeat = setInterval(() => duckdb.interrupt(this.handle), INTERRUPT_REPEAT_MS);
  }

  /** Must be called when the interrupted call has ended. */
  endInterrupt(): void {
    clearInterval(this.#repeat);
    this.#repeat = undefined;
  }

  /** Whether `interrupt` was called during the present call. */
  get isInterrupted(): boolean {
    return this.#repeat !== undefined;
  }

  checkInterrupt(): void {
    if (this.isInterrupted) throw interrupted();
  }

  progress(): { fraction: number; rowsProcessed: number; rowsTotal: number } {
    const p = duckdb.progress(this.handle);
    return {
      fraction: p.percentage < 0 ? -1 : p.percentage / 100,
      rowsProcessed: Number(p.rows_processed),
      rowsTotal: Number(p.total_rows_to_process),
    };
  }

  /** Runs statements, which semicolons separate, up to the first that fails. Discards their rows. */
  async run(sql: SqlText): Promise<void> {
    duckdb.destroyResult((await this.query(sql)).address);
  }

  /**
   * Runs a statement without parameters to its end, in one step of another thread. Returns the result, which the caller
   * must destroy.
   */
  async query(sql: SqlText): Promise<NativeBlock> {
    const result = new NativeBlock(48);
    return succeeded(await this.#query(sql, result), result, sql);
  }

  /** The same on this thread. */
  queryAtOnce(sql: string): NativeBlock {
    const result = new NativeBlock(48);
    return succeeded(duckdb.query(this.handle, sql, result.address), result, sql);
  }

  #query(sql: SqlText, result: NativeBlock): Promise<number> {
    if (typeof sql === 'string') return offLoop(result, duckdb.query, this.handle, sql, result.address);
    requireCString(sql, 'a statement');
    return offLoop({ result, sql }, duckdb.queryUtf8, this.handle, sql, result.address);
  }

  /** Closes the connection. Disconnecting drops the temp tables, which may take time. */
  async close(): Promise<void> {
    this.endInterrupt();
    await offLoop(this, duckdb.disconnect, this.#slot.address);
    this.#onClosed();
  }
}

function succeeded(failed: number, result: NativeBlock, sql: SqlText): NativeBlock {
  if (failed === 0) return result;
  const error = failureOf(result.address, sql);
  duckdb.destroyResult(result.address);
  throw error;
}
