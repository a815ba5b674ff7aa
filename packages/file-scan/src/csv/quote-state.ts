import type { CsvBytes } from '../file-scan.ts';

const SPACE = 32;
const LF = 10;
const CR = 13;

/**
 * Tracks the quotes of CSV text that begins at the start of a record, to find out whether the text ends
 * inside a quoted field. Text between quotes is skipped by native searches, so that files with few quotes
 * cost little.
 */
export class QuoteState {
  readonly #delimiter: number;
  readonly #quote: number;
  readonly #escape: number;
  #state: 'outside' | 'quoted' | 'escaped' | 'closing' = 'outside';
  /** Whether only spaces stand between the last delimiter or line end and the current position. */
  #isFieldStart = true;

  constructor({ delimiter, quote, escape: escaping }: CsvBytes) {
    this.#delimiter = codeOf(delimiter);
    this.#quote = codeOf(quote);
    this.#escape = codeOf(escaping);
  }

  /** Whether the text so far ends inside a quoted field. */
  get isQuoted(): boolean {
    return this.#state === 'quoted' || this.#state === 'escaped';
  }

  push(chunk: Buffer): void {
    if (this.#quote < 0 || chunk.length === 0) return;
    let at = 0;
    while (at < chunk.length)
      at = this.isQuoted || this.#state === 'closing' ? this.#inside(chunk, at) : this.#outside(chunk, at);
  }

  /** Scans from a position outside of quotes to the position after the next opening quote, or to the end. */
  #outside(chunk: Buffer, from: number): number {
    const at = chunk.indexOf(this.#quote, from);
    const end = at < 0 ? chunk.length : at;
    this.#isFieldStart = this.#startsField(chunk, from, end);
    if (at < 0) return chunk.length;
    if (this.#isFieldStart) this.#state = 'quoted';
    this.#isFieldStart = false;
    return at + 1;
  }

  #startsField(chunk: Buffer, from: number, end: number): boolean {
    for (let i = end - 1; i >= from; i--) {
      const byte = chunk[i]!;
      if (byte === this.#delimiter || byte === LF || byte === CR) return true;
      if (byte !== SPACE) return false;
    }
    return this.#isFieldStart;
  }

  #inside(chunk: Buffer, from: number): number {
    if (this.#state === 'closing') {
      this.#state = chunk[from] === this.#quote ? 'quoted' : 'outside';
      return this.isQuoted ? from + 1 : from;
    }
    if (this.#state === 'escaped') {
      this.#state = 'quoted';
      return from + 1;
    }
    const isOwnEscape = this.#escape >= 0 && this.#escape !== this.#quote;
    const quote = chunk.indexOf(this.#quote, from);
    const escaping = isOwnEscape ? chunk.indexOf(this.#escape, from) : -1;
    if (escaping >= 0 && (quote < 0 || escaping < quote)) {
      this.#state = 'escaped';
      return escaping + 1;
    }
    if (quote < 0) return chunk.length;
    this.#state = this.#escape === this.#quote ? 'closing' : 'outside';
    return quote + 1;
  }
}

const codeOf = (character: string): number => (character === '' ? -1 : character.charCodeAt(0));
