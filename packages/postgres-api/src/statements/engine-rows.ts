import type { ResultChunk, RowsResult } from '@tessera/coordinator';
import type { OutputColumn, ValueFormat } from '@tessera/sql';
import { type DataRowBatch, DataRowReader } from '../values/data-rows.ts';
import type { ResultHooks } from './engine-statements.ts';
import type { MessageSink, RowSource, SentRows } from './row-source.ts';

/** The number of rows that are encoded as messages at once. */
const ROWS_AT_ONCE = 2_048;

/** The rows of an engine query, batch by batch as they arrive. */
export class EngineRows implements RowSource {
  readonly columns: readonly OutputColumn[];
  readonly formats: readonly ValueFormat[];
  readonly #result: RowsResult;
  readonly #chunks: AsyncIterator<ResultChunk>;
  readonly #reader: DataRowReader;
  readonly #hooks: ResultHooks;
  #batch: DataRowBatch | undefined;
  #chunk: ResultChunk | undefined;
  #at = 0;
  #closed: Promise<void> | undefined;

  constructor(result: RowsResult, formats: readonly ValueFormat[], hooks: ResultHooks) {
    this.columns = result.columns;
    this.formats = formats;
    this.#result = result;
    this.#chunks = result.chunks[Symbol.asyncIterator]();
    this.#reader = new DataRowReader(result.columns, formats);
    this.#hooks = hooks;
  }

  async send(sink: MessageSink, limit: number): Promise<SentRows> {
    if (this.#closed !== undefined) return { rows: 0, ended: true };
    this.#hooks.resume();
    try {
      let rows = 0;
      while (rows < limit) {
        const batch = await this.#current();
        if (batch === undefined) {
          await this.close();
          return { rows, ended: true };
        }
        const to = Math.min(batch.rows, this.#at + ROWS_AT_ONCE, this.#at + limit - rows);
        sink.write(batch.write(this.#at, to));
        rows += to - this.#at;
        this.#at = to;
        if (sink.isFull) await sink.flush();
      }
      return { rows, ended: false };
    } catch (error) {
      await this.#end(error);
      throw error;
    } finally {
      this.#hooks.suspend();
    }
  }

  /** The batch that contains the next row; undefined after the last row. */
  async #current(): Promise<DataRowBatch | undefined> {
    while (this.#batch === undefined || this.#at >= this.#batch.rows) {
      this.#releaseBatch();
      const next = await this.#chunks.next();
      if (next.done === true) return undefined;
      this.#batch = this.#reader.read(next.value.bytes);
      this.#chunk = next.value;
      this.#at = 0;
    }
    return this.#batch;
  }

  #releaseBatch(): void {
    this.#batch = undefined;
    this.#chunk?.release?.();
    this.#chunk = undefined;
  }

  close(): Promise<void> {
    return this.#end();
  }

  #end(failure?: unknown): Promise<void> {
    this.#closed ??= (async () => {
      this.#releaseBatch();
      try {
        await this.#result.close();
      } finally {
        await this.#hooks.end(failure);
      }
    })();
    return this.#closed;
  }
}
