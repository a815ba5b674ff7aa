import { createReadStream } from 'node:fs';
import { createGunzip, createZstdDecompress } from 'node:zlib';

/** The notation of cells in a CSV file. */
export interface CsvShape {
  readonly delimiter: string;
  readonly quote: string;
  readonly escape: string;
  readonly compression: 'none' | 'gzip' | 'zstd';
}

/** One record of a file. */
export interface CsvRecord {
  /** The line where it begins, counted from 1. */
  readonly line: number;
  readonly fields: readonly string[];
  /** The text in the file, without the line end. */
  readonly text: string;
  /** Undefined for a last line that does not end. */
  readonly end: 'LF' | 'CRLF' | 'CR' | undefined;
  /** The problem with its quotes, if any. */
  readonly problem?: 'a quote is not closed' | 'text follows a closing quote' | undefined;
}

/** Longer records are reported with this many characters. */
const MAX_RECORD_CHARACTERS = 1_000_000;

/**
 * The records of a file, one after the other, used to report what the kernel could not read and where. It
 * ends with the first record whose quotes are invalid.
 */
export async function* csvRecords(path: string, shape: CsvShape): AsyncGenerator<CsvRecord, void> {
  const parser = new RecordParser(shape);
  const decoder = new TextDecoder();
  for await (const chunk of contentOf(path, shape)) {
    for (const record of parser.push(decoder.decode(chunk, { stream: true }))) {
      yield record;
      if (record.problem !== undefined) return;
    }
  }
  yield* parser.end();
}

export function contentOf(
  path: string,
  { compression }: Pick<CsvShape, 'compression'>,
): AsyncIterable<Buffer> {
  const file = createReadStream(path);
  if (compression === 'none') return file;
  const decompressed = compression === 'gzip' ? createGunzip() : createZstdDecompress();
  file.on('error', (error) => decompressed.destroy(error));
  return file.pipe(decompressed);
}

class RecordParser {
  readonly #shape: CsvShape;
  #line = 1;
  #startLine = 1;
  #text = '';
  #field = '';
  #fields: string[] = [];
  #state: 'start' | 'bare' | 'quoted' | 'closed' = 'start';
  #problem: CsvRecord['problem'];
  #isAfterReturn = false;
  /** The last character of a chunk, held back because its meaning may depend on the next one. */
  #held = '';

  constructor(shape: CsvShape) {
    this.#shape = shape;
  }

  *push(chunk: string): Generator<CsvRecord, void> {
    const text = this.#held + chunk;
    const last = text.length - 1;
    for (let at = 0; at < last; at += 1) {
      const taken = this.#take(text[at]!, text[at + 1]);
      at += taken.skipped;
      if (taken.record !== undefined) yield taken.record;
      if (at === last) {
        this.#held = '';
        return;
      }
    }
    this.#held = last < 0 ? '' : text[last]!;
  }

  *end(): Generator<CsvRecord, void> {
    if (this.#held !== '') {
      const { record } = this.#take(this.#held, undefined);
      this.#held = '';
      if (record !== undefined) yield record;
    }
    if (this.#state === 'quoted') this.#problem ??= 'a quote is not closed';
    if (this.#text !== '') yield this.#record(undefined);
  }

  #take(character: string, next: string | undefined): { skipped: number; record?: CsvRecord } {
    const { delimiter, quote, escape: escaping } = this.#shape;
    if (character === '\n') this.#line += 1;
    if (this.#state === 'quoted') {
      if (character === escaping && next !== undefined && (next === quote || next === escaping)) {
        this.#keep(character + next, next);
        return { skipped: 1 };
      }
      if (character === quote) {
        this.#keep(character, '');
        this.#state = 'closed';
      } else this.#keep(character, character);
      return { skipped: 0 };
    }
    if (character === '\n') return { skipped: 0, record: this.#record(this.#isAfterReturn ? 'CRLF' : 'LF') };
    if (character === '\r' && next !== '\n') return { skipped: 0, record: this.#record('CR') };
    if (character === '\r') {
      this.#isAfterReturn = true;
      return { skipped: 0 };
    }
    if (character === delimiter) {
      this.#keep(character, '');
      this.#endField();
    } else if (character === quote && quote !== '' && this.#state === 'start') {
      this.#keep(character, '');
      this.#state = 'quoted';
    } else {
      if (this.#state === 'closed') this.#problem ??= 'text follows a closing quote';
      else this.#state = 'bare';
      this.#keep(character, character);
    }
    return { skipped: 0 };
  }

  #keep(text: string, value: string): void {
    if (this.#text.length >= MAX_RECORD_CHARACTERS) return;
    this.#text += text;
    this.#field += value;
  }

  #endField(): void {
    this.#fields.push(this.#field);
    this.#field = '';
    this.#state = 'start';
  }

  #record(end: CsvRecord['end']): CsvRecord {
    this.#endField();
    const [line, fields, text, problem] = [this.#startLine, this.#fields, this.#text, this.#problem];
    this.#isAfterReturn = false;
    this.#fields = [];
    this.#text = '';
    this.#problem = undefined;
    this.#startLine = this.#line;
    return { line, fields, text, end, problem };
  }
}
