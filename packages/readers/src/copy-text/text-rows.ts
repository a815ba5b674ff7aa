import {
  byteOf,
  type CellSink,
  checkCount,
  LF,
  type RowParser,
  type RowShape,
  tooMany,
} from './row-parser.ts';

const BACKSLASH = 0x5c;

/** Parses `a\tb\n`, with backslash escapes and `\N` for NULL. */
export class TextRows implements RowParser {
  readonly #columns: readonly string[];
  readonly #delimiter: number;
  readonly #nullText: Buffer;
  #scratch = Buffer.allocUnsafe(256);

  constructor({ columns, format }: RowShape) {
    this.#columns = columns;
    this.#delimiter = byteOf(format.delimiter);
    this.#nullText = Buffer.from(format.nullText);
  }

  rowEnd(bytes: Buffer, start: number): number {
    for (let from = start; ; ) {
      const at = bytes.indexOf(LF, from);
      if (at < 0 || !isEscaped(bytes, start, at)) return at;
      from = at + 1;
    }
  }

  parse(bytes: Buffer, start: number, end: number, sink: CellSink): void {
    const delimiter = this.#delimiter;
    // A table without columns has empty rows.
    if (this.#columns.length === 0 && start === end) return;
    let column = 0;
    for (let at = start; ; at += 1) {
      const first = at;
      let hasEscape = false;
      while (at < end && bytes[at] !== delimiter) {
        if (bytes[at] === BACKSLASH) {
          hasEscape = true;
          at += 1;
        }
        at += 1;
      }
      // A backslash at the end of the row stands for itself.
      if (at > end) at = end;
      if (column === this.#columns.length) throw tooMany();
      this.#cell(column, bytes, first, at, hasEscape, sink);
      column += 1;
      if (at >= end) break;
    }
    checkCount(this.#columns, column);
  }

  checkLast(): void {}

  #cell(column: number, bytes: Buffer, start: number, end: number, hasEscape: boolean, sink: CellSink): void {
    const { length } = this.#nullText;
    if (end - start === length && bytes.compare(this.#nullText, 0, length, start, end) === 0) {
      sink.addNull(column);
    } else if (hasEscape) {
      if (this.#scratch.length < end - start) this.#scratch = Buffer.allocUnsafe(2 * (end - start));
      sink.add(column, this.#scratch, 0, unescaped(bytes, start, end, this.#scratch));
    } else {
      sink.add(column, bytes, start, end);
    }
  }
}

function isEscaped(bytes: Buffer, start: number, at: number): boolean {
  let before = at;
  while (before > start && bytes[before - 1] === BACKSLASH) before -= 1;
  return (at - before) % 2 === 1;
}

const LETTERS: ReadonlyMap<number, number> = new Map(
  Object.entries({ b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 }).map(([letter, byte]) => [byteOf(letter), byte]),
);
const X = byteOf('x');

/** Writes the unescaped bytes of a cell and returns their number. */
function unescaped(bytes: Buffer, start: number, end: number, out: Buffer): number {
  let length = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at]!;
    if (byte !== BACKSLASH || at + 1 === end) {
      out[length++] = byte;
      continue;
    }
    at += 1;
    const letter = bytes[at]!;
    if (isOctal(letter)) {
      const digits = digitsAt(bytes, at, Math.min(end, at + 3), isOctal);
      out[length++] = Number.parseInt(digits, 8) & 0xff;
      at += digits.length - 1;
    } else if (letter === X && at + 1 < end && isHex(bytes[at + 1]!)) {
      const digits = digitsAt(bytes, at + 1, Math.min(end, at + 3), isHex);
      out[length++] = Number.parseInt(digits, 16);
      at += digits.length;
    } else {
      out[length++] = LETTERS.get(letter) ?? letter;
    }
  }
  return length;
}

const isOctal = (byte: number): boolean => byte >= 0x30 && byte <= 0x37;
const isHex = (byte: number): boolean => /[0-9a-fA-F]/.test(String.fromCharCode(byte));

function digitsAt(bytes: Buffer, start: number, end: number, isDigit: (byte: number) => boolean): string {
  let at = start;
  while (at < end && isDigit(bytes[at]!)) at += 1;
  return bytes.toString('latin1', start, at);
}
