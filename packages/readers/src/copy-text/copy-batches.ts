import { type CopyTextFormat, isTextBytes, TesseraError, textOfUtf8 } from '@tessera/common';
import { Field, makeData, RecordBatch, Schema, Struct, Utf8 } from 'apache-arrow';
import { CsvRows } from './csv-rows.ts';
import { type CellSink, CopyRowError, CR, type RowParser } from './row-parser.ts';
import { TextColumn } from './text-column.ts';
import { TextRows } from './text-rows.ts';

const BATCH_BYTES = 1 << 20;
const BATCH_ROWS = 32_768;
const SHOWN_BYTES = 200;
const MAX_LINE_BYTES = 256 * 1024 * 1024;
const END_OF_DATA = Buffer.from('\\.');

export interface CopiedTexts {
  /** A description of what is copied, for messages. */
  readonly label: string;
  readonly columns: readonly string[];
  readonly format: CopyTextFormat;
  /** Converters for the cells of some columns, by column name. */
  readonly convert?: ReadonlyMap<string, (text: string) => string>;
}

/** The Arrow schema of the columns; all of them are texts. */
export const copySchema = (columns: readonly string[]): Schema =>
  new Schema(columns.map((name) => new Field(name, new Utf8(), true)));

/**
 * The rows of COPY FROM's input, as batches of texts.
 * @throws TesseraError BAD_FILE with the invalid line, INVALID_ENCODING
 */
export async function* copyBatches(
  source: AsyncIterable<Uint8Array>,
  texts: CopiedTexts,
): AsyncGenerator<RecordBatch, void> {
  const rows = new CopiedRows(texts);
  for await (const chunk of source) {
    rows.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    if (rows.isBatch) yield rows.take();
    if (rows.isEnded) break;
  }
  rows.end();
  if (rows.count > 0) yield rows.take();
}

class CopiedRows implements CellSink {
  readonly #texts: CopiedTexts;
  readonly #schema: Schema;
  readonly #parser: RowParser;
  readonly #columns: readonly TextColumn[];
  readonly #convert: readonly (((text: string) => string) | undefined)[];
  #rest: Buffer = Buffer.alloc(0);
  /**
   * Chunks after `#rest`, which contains no complete row. They are only joined when they are as long as
   * `#rest`, so that searching for the end of the row takes linear time.
   */
  #more: Buffer[] = [];
  #moreBytes = 0;
  #line = 0;
  /**
   * Whether rows of the chunk must be checked one by one, because one may be invalid text; the last character
   * of a chunk may also be cut.
   */
  #checksRows = true;
  #endsInCr = false;
  count = 0;
  /** Set after `\.`, which ends the data. */
  isEnded = false;

  constructor(texts: CopiedTexts) {
    const { columns, format, convert } = texts;
    this.#texts = texts;
    this.#schema = copySchema(columns);
    this.#parser = format.format === 'csv' ? new CsvRows(texts) : new TextRows(texts);
    this.#columns = columns.map(() => new TextColumn());
    this.#convert = columns.map((name) => convert?.get(name));
  }

  get isBatch(): boolean {
    return this.count >= BATCH_ROWS || this.#columns.reduce((sum, c) => sum + c.byteLength, 0) >= BATCH_BYTES;
  }

  /** Adds a chunk, whose memory must not change before `end`. */
  push(chunk: Buffer): void {
    this.#more.push(chunk);
    this.#moreBytes += chunk.length;
    if (this.#moreBytes >= this.#rest.length) this.#readRows();
  }

  #readRows(): void {
    const bytes = Buffer.concat([this.#rest, ...this.#more]);
    this.#more = [];
    this.#moreBytes = 0;
    this.#checksRows = !isTextBytes(bytes);
    let start = 0;
    while (!this.isEnded) {
      const end = this.#parser.rowEnd(bytes, start);
      if (end < 0) break;
      this.#row(bytes, start, end);
      start = end + 1;
    }
    this.#rest = bytes.subarray(start);
    if (this.#rest.length <= MAX_LINE_BYTES) return;
    this.#line += 1;
    this.#explained(this.#rest, 0, this.#rest.length, () => {
      throw new CopyRowError(`the line is longer than ${MAX_LINE_BYTES} bytes`);
    });
  }

  end(): void {
    if (!this.isEnded && this.#moreBytes > 0) this.#readRows();
    if (this.isEnded || this.#rest.length === 0) return;
    const { length } = this.#rest;
    this.#explained(this.#rest, 0, length, () => this.#parser.checkLast(this.#rest, 0), this.#line + 1);
    this.#row(this.#rest, 0, this.#rest.length);
  }

  add(column: number, source: Buffer, start: number, end: number): void {
    const convert = this.#convert[column];
    const target = this.#columns[column]!;
    if (convert === undefined) {
      target.add(source, start, end);
      return;
    }
    const converted = Buffer.from(convert(source.toString('utf8', start, end)));
    target.add(converted, 0, converted.length);
  }

  addNull(column: number): void {
    this.#columns[column]!.addNull();
  }

  take(): RecordBatch {
    const children = this.#columns.map((column) => column.take(this.#texts.label));
    const data = makeData({ type: new Struct(this.#schema.fields), length: this.count, children });
    this.count = 0;
    return new RecordBatch(this.#schema, data);
  }

  #row(bytes: Buffer, start: number, newline: number): void {
    this.#line += 1;
    const isCr = newline > start && bytes[newline - 1] === CR;
    if (this.#line === 1) this.#endsInCr = isCr;
    const end = isCr && this.#endsInCr ? newline - 1 : newline;
    if (end - start === 2 && bytes.compare(END_OF_DATA, 0, 2, start, end) === 0) {
      this.isEnded = true;
      return;
    }
    const { header } = this.#texts.format;
    if (this.#line === 1 && header !== false) {
      if (header === 'match') this.#matchHeader(bytes, start, end);
      return;
    }
    if (this.#checksRows) textOfUtf8(bytes.subarray(start, end), `${this.#texts.label}, line ${this.#line}`);
    this.#explained(bytes, start, end, () => this.#parser.parse(bytes, start, end, this));
    this.count += 1;
  }

  #matchHeader(bytes: Buffer, start: number, end: number): void {
    const { columns } = this.#texts;
    const given: (string | undefined)[] = [];
    this.#explained(bytes, start, end, () => {
      this.#parser.parse(bytes, start, end, {
        add: (_, source, from, to) => void given.push(source.toString('utf8', from, to)),
        addNull: () => void given.push(undefined),
      });
      const wrong = columns.findIndex((name, i) => name !== given[i]);
      if (wrong < 0) return;
      throw new CopyRowError(
        `column name mismatch in header line field ${wrong + 1}: got ${JSON.stringify(given[wrong] ?? null)}, expected "${columns[wrong]}"`,
      );
    });
  }

  /** @throws TesseraError BAD_FILE instead of the parser's error */
  #explained<T>(bytes: Buffer, start: number, end: number, work: () => T, line = this.#line): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof CopyRowError || error instanceof RangeError || error instanceof SyntaxError)) {
        throw error;
      }
      const shown = bytes.toString('utf8', start, Math.min(end, start + SHOWN_BYTES));
      const place = end > start ? `, line ${line}: ${JSON.stringify(shown)}` : '';
      throw TesseraError.of('BAD_FILE', { name: `${this.#texts.label}${place}`, reason: error.message });
    }
  }
}
