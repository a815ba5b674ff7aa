import type { OutputColumn, ValueFormat } from '@tessera/sql';
import { MessageWriter } from '../protocol/message-writer.ts';
import type { MessageSink, RowSource, SentRows } from './row-source.ts';

/** A few rows of texts, which are encoded identically in text and binary format. */
export class TextRows implements RowSource {
  readonly columns: readonly OutputColumn[];
  readonly formats: readonly ValueFormat[];
  readonly #rows: readonly (readonly (string | null)[])[];
  #at = 0;

  constructor(
    names: readonly string[],
    rows: readonly (readonly (string | null)[])[],
    formats: readonly ValueFormat[],
  ) {
    this.columns = names.map((name) => ({ name, type: { kind: 'text' }, nullable: false }));
    this.formats = formats;
    this.#rows = rows;
  }

  async send(sink: MessageSink, limit: number): Promise<SentRows> {
    const rows = this.#rows.slice(this.#at, this.#at + limit);
    for (const row of rows) sink.write(dataRow(row));
    this.#at += rows.length;
    return { rows: rows.length, ended: rows.length < limit };
  }

  async close(): Promise<void> {
    this.#at = this.#rows.length;
  }
}

function dataRow(values: readonly (string | null)[]): Buffer {
  const writer = new MessageWriter('D').int16(values.length);
  for (const value of values) {
    if (value === null) writer.int32(-1);
    else {
      const bytes = Buffer.from(value);
      writer.int32(bytes.length).bytes(bytes);
    }
  }
  return writer.done();
}
