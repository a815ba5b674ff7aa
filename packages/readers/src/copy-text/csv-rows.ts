import {
  byteOf,
  type CellSink,
  CopyRowError,
  checkCount,
  isForced,
  LF,
  type RowParser,
  type RowShape,
  tooMany,
} from './row-parser.ts';

/** Parses rows of csv. Quotes may begin and end anywhere in a cell, and quoted parts may contain newlines. */
export class CsvRows implements RowParser {
  readonly #columns: readonly string[];
  readonly #delimiter: number;
  readonly #quote: number;
  readonly #escape: number;
  readonly #nullText: Buffer;
  /** For each column, whether `nullText` means NULL outside and inside quotes. */
  readonly #nullBare: readonly boolean[];
  readonly #nullQuoted: readonly boolean[];
  #scratch = Buffer.allocUnsafe(256);
  #searched: Buffer | undefined;
  #quoteAt = -1;

  constructor({ columns, format }: RowShape) {
    this.#columns = columns;
    this.#delimiter = byteOf(format.delimiter);
    this.#quote = byteOf(format.quote);
    this.#escape = byteOf(format.escape);
    this.#nullText = Buffer.from(format.nullText);
    this.#nullBare = columns.map((column) => !isForced(format.forceNotNull, column));
    this.#nullQuoted = columns.map((column) => isForced(format.forceNull, column));
  }

  rowEnd(bytes: Buffer, start: number): number {
    for (let from = start; ; ) {
      const end = bytes.indexOf(LF, from);
      const quote = this.#nextQuote(bytes, from);
      if (quote < 0 || (end >= 0 && end < quote)) return end;
      const behind = this.#quotedEnd(bytes, quote + 1, bytes.length);
      if (behind < 0) return -1;
      from = behind;
    }
  }

  parse(bytes: Buffer, start: number, end: number, sink: CellSink): void {
    const delimiter = this.#delimiter;
    const quote = this.#quote;
    let column = 0;
    for (let at = start; ; at += 1) {
      if (column === this.#columns.length) throw tooMany();
      const first = at;
      while (at < end && bytes[at] !== delimiter && bytes[at] !== quote) at += 1;
      if (at < end && bytes[at] === quote) at = this.#quotedCell(column, bytes, first, end, sink);
      else this.#cell(column, bytes, first, at, this.#nullBare[column]!, sink);
      column += 1;
      if (at >= end) break;
    }
    checkCount(this.#columns, column);
  }

  checkLast(bytes: Buffer, start: number): void {
    for (let at = bytes.indexOf(this.#quote, start); at >= 0; ) {
      const behind = this.#quotedEnd(bytes, at + 1, bytes.length);
      if (behind < 0) throw new CopyRowError('unterminated CSV quoted field');
      at = bytes.indexOf(this.#quote, behind);
    }
  }

  /**
   * The position of the next quote. It is cached: most rows contain none, and each would otherwise search the
   * whole chunk.
   */
  #nextQuote(bytes: Buffer, from: number): number {
    const isKnown = this.#searched === bytes && (this.#quoteAt >= from || this.#quoteAt < 0);
    if (!isKnown) {
      this.#searched = bytes;
      this.#quoteAt = bytes.indexOf(this.#quote, from);
    }
    return this.#quoteAt;
  }

  /** The position after the closing quote of the text that begins at `at`; -1 if there is none. */
  #quotedEnd(bytes: Buffer, at: number, end: number): number {
    for (let next = at; next < end; next += 1) {
      const byte = bytes[next]!;
      if (byte === this.#escape && this.#isEscapable(bytes[next + 1])) next += 1;
      else if (byte === this.#quote) return next + 1;
    }
    return -1;
  }

  #isEscapable(byte: number | undefined): boolean {
    return byte === this.#quote || byte === this.#escape;
  }

  /** Parses a quoted cell and returns its end. */
  #quotedCell(column: number, bytes: Buffer, start: number, end: number, sink: CellSink): number {
    if (this.#scratch.length < end - start) this.#scratch = Buffer.allocUnsafe(2 * (end - start));
    const out = this.#scratch;
    let length = 0;
    let isQuoted = false;
    let at = start;
    for (; at < end; at += 1) {
      const byte = bytes[at]!;
      if (isQuoted && byte === this.#escape && at + 1 < end && this.#isEscapable(bytes[at + 1])) {
        at += 1;
        out[length++] = bytes[at]!;
      } else if (byte === this.#quote) {
        isQuoted = !isQuoted;
      } else if (!isQuoted && byte === this.#delimiter) {
        break;
      } else {
        out[length++] = byte;
      }
    }
    this.#cell(column, out, 0, length, this.#nullQuoted[column]!, sink);
    return at;
  }

  #cell(column: number, bytes: Buffer, start: number, end: number, mayBeNull: boolean, sink: CellSink): void {
    const { length } = this.#nullText;
    const isNull =
      mayBeNull && end - start === length && bytes.compare(this.#nullText, 0, length, start, end) === 0;
    if (isNull) sink.addNull(column);
    else sink.add(column, bytes, start, end);
  }
}
