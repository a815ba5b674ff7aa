import type { OutputColumn, ValueFormat } from '@tessera/sql';
import type { MessageSink, RowSource, SentRows } from '../statements/row-source.ts';

/** The next rows of a cursor, which stays open after them. */
export class LimitedRows implements RowSource {
  readonly #cursor: RowSource;
  #left: number;

  constructor(cursor: RowSource, rows: number) {
    this.#cursor = cursor;
    this.#left = rows;
  }

  get columns(): readonly OutputColumn[] {
    return this.#cursor.columns;
  }

  get formats(): readonly ValueFormat[] {
    return this.#cursor.formats;
  }

  async send(sink: MessageSink, limit: number): Promise<SentRows> {
    const { rows, ended } = await this.#cursor.send(sink, Math.min(limit, this.#left));
    this.#left -= rows;
    return { rows, ended: ended || this.#left === 0 };
  }

  async close(): Promise<void> {
    this.#left = 0;
  }
}
