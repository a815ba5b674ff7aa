import type { CsvBytes } from '../file-scan.ts';

const LF = 10;
const CR = 13;
/** The first byte of a UTF-8 byte order mark. */
const BOM = 0xef;
/**
 * The number of records after a position that must look right before it is taken for the start of a record.
 */
const CHECKED_RECORDS = 20;
const LEAST_RECORDS = 2;

/**
 * The start of a record in a piece that was cut from anywhere in a CSV file; undefined if it cannot be
 * determined. The piece may begin inside or outside of a quoted field. A position is accepted if only one of
 * these assumptions gives the following records the right number of fields, or if both lead to the same
 * position. It remains a guess, which the reader of the preceding bytes confirms or refutes (`QuoteState`).
 */
export function recordStart(piece: Buffer, shape: CsvBytes, columns: number): number | undefined {
  const outside = startIf(piece, shape, columns, false);
  if (shape.quote === '') return outside;
  const inside = startIf(piece, shape, columns, true);
  if (outside === undefined || inside === undefined) return outside ?? inside;
  return inside === outside ? outside : undefined;
}

/** The start of the first record after the first line end, if the records from there on look right. */
function startIf(piece: Buffer, shape: CsvBytes, columns: number, isQuoted: boolean): number | undefined {
  const records = new Records(piece, shape);
  const cut = records.next(0, isQuoted);
  if (cut?.isSound !== true) return undefined;
  let found: number | undefined;
  let at = cut.end;
  for (let count = 0; count < CHECKED_RECORDS; count++) {
    const record = records.next(at, false);
    if (record === undefined) return count >= LEAST_RECORDS ? found : undefined;
    if (!record.isSound) return undefined;
    const isEmpty = record.length === 0;
    if (!isEmpty && record.fields !== columns) return undefined;
    // The kernel treats empty lines at the start and the end of a file specially.
    if (found === undefined && !isEmpty && piece[record.end] !== undefined) {
      const next = piece[record.end];
      if (next !== LF && next !== CR && next !== BOM) found = record.end;
    }
    at = record.end;
  }
  return found;
}

interface Record {
  /** The position after its line end. */
  readonly end: number;
  /** The length without its line end. */
  readonly length: number;
  readonly fields: number;
  /** Whether no text follows a closing quote. */
  readonly isSound: boolean;
}

class Records {
  readonly #piece: Buffer;
  readonly #delimiter: number;
  readonly #quote: number;
  readonly #escape: number;

  constructor(piece: Buffer, { delimiter, quote, escape: escaping }: CsvBytes) {
    this.#piece = piece;
    this.#delimiter = delimiter.charCodeAt(0);
    this.#quote = quote === '' ? -1 : quote.charCodeAt(0);
    this.#escape = escaping === '' ? -1 : escaping.charCodeAt(0);
  }

  /** The record at `from`; undefined if the piece ends before the record does. */
  next(from: number, isQuoted: boolean): Record | undefined {
    let state: 'start' | 'bare' | 'quoted' | 'closed' = isQuoted ? 'quoted' : 'start';
    let fields = 1;
    let isSound = true;
    for (let at = from; at < this.#piece.length; at++) {
      const byte = this.#piece[at]!;
      if (state === 'quoted') {
        const next = this.#piece[at + 1];
        if (byte === this.#escape && (next === this.#quote || next === this.#escape)) at++;
        else if (byte === this.#quote) state = 'closed';
      } else if (byte === LF) {
        const end = at > from && this.#piece[at - 1] === CR ? at - 1 : at;
        return { end: at + 1, length: end - from, fields, isSound };
      } else if (byte === this.#delimiter) {
        fields++;
        state = 'start';
      } else if (byte === this.#quote && state === 'start') state = 'quoted';
      else if (byte === CR || (byte === 32 && state !== 'bare')) continue;
      else {
        if (state === 'closed') isSound = false;
        state = 'bare';
      }
    }
    return undefined;
  }
}
