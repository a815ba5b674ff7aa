import { fail } from '@tessera/common';
import { formatBytes, type UploadLimits } from './limits.ts';

/** Returns the next chunk of the body, undefined at its end. */
export interface ChunkSource {
  next(): Promise<Buffer | undefined>;
}

const CRLF = Buffer.from('\r\n');
const HEADER_END = Buffer.from('\r\n\r\n');
const PART_HEADER_BYTES = 16 * 1024;
/**
 * The limit for text before the first boundary and after the last one, which RFC 2046 tells receivers to
 * ignore.
 */
const IGNORED_TEXT_BYTES = 64 * 1024;
/** The limit for white space between a boundary and its line end. */
const PADDING_BYTES = 256;

const [CR, LF, SPACE, TAB, DASH] = [13, 10, 32, 9, 45];

/**
 * Splits a multipart body (RFC 2046) into parts while it streams. Call `nextPart`, then read its `content` to
 * the end, and repeat. Chunks of content are views of the body's own chunks: nothing is copied. At most a
 * delimiter, or between parts the headers of one part, is held back.
 */
export class MultipartReader {
  readonly #source: ChunkSource;
  readonly #limits: UploadLimits;
  readonly #delimiter: Buffer;
  // The body may begin with a boundary. A line end is put in front of it, so that it is parsed like the
  // others.
  #rest: Buffer = CRLF;
  #at: 'preamble' | 'headers' | 'content' | 'epilogue' = 'preamble';
  #parts = 0;
  #headerBytes = 0;

  constructor(source: ChunkSource, boundary: string, limits: UploadLimits) {
    this.#source = source;
    this.#limits = limits;
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  /** The header block of the next part without its blank line; undefined at the end of the body. */
  async nextPart(): Promise<Buffer | undefined> {
    if (this.#at === 'preamble') await this.#skip(this.content(), 'before the first boundary');
    if (this.#at === 'epilogue') {
      await this.#skip(this.#epilogue(), 'after the last boundary');
      return undefined;
    }
    this.#parts++;
    if (this.#parts > this.#limits.parts)
      fail('UPLOAD_TOO_LARGE', { what: 'the number of parts', limit: String(this.#limits.parts) });
    const block = await this.#headerBlock();
    this.#at = 'content';
    return block;
  }

  /** The bytes of the current part, up to the next boundary. */
  async *content(): AsyncGenerator<Buffer, void> {
    let searchFrom = 0;
    for (;;) {
      const found = this.#rest.indexOf(this.#delimiter, searchFrom);
      if (found >= 0) {
        const line = await this.#delimiterLine(found);
        if (line === undefined) {
          searchFrom = found + this.#delimiter.length;
          continue;
        }
        if (found > 0) yield this.#rest.subarray(0, found);
        this.#rest = this.#rest.subarray(line.end);
        this.#at = line.last ? 'epilogue' : 'headers';
        return;
      }
      const cut = this.#rest.length - this.#heldBack(searchFrom);
      searchFrom = 0;
      if (cut > 0) {
        const ready = this.#rest.subarray(0, cut);
        this.#rest = this.#rest.subarray(cut);
        yield ready;
      }
      if (!(await this.#more())) this.#endsEarly();
    }
  }

  /**
   * Whether the boundary at `found` is alone on its line. `end` is the start of its line end (after the last
   * boundary, the start of the epilogue). Undefined for content that only begins like a boundary line.
   */
  async #delimiterLine(found: number): Promise<{ last: boolean; end: number } | undefined> {
    const start = found + this.#delimiter.length;
    for (;;) {
      if (this.#rest[start] === DASH && this.#rest[start + 1] === DASH) return { last: true, end: start + 2 };
      let at = start;
      while (this.#rest[at] === SPACE || this.#rest[at] === TAB) at++;
      if (this.#rest[at] === CR && this.#rest[at + 1] === LF) return { last: false, end: at };
      const undecided = this.#rest.length <= (this.#rest[at] === CR || at === start ? at + 1 : at);
      if (!undecided || at - start > PADDING_BYTES) return undefined;
      if (!(await this.#more())) this.#endsEarly();
    }
  }

  /** The number of bytes at the end of the input that could begin a delimiter. */
  #heldBack(searchFrom: number): number {
    const rest = this.#rest;
    let at = Math.max(searchFrom, rest.length - this.#delimiter.length + 1);
    for (;;) {
      at = rest.indexOf(CR!, at);
      if (at < 0) return 0;
      const length = rest.length - at;
      if (rest.compare(this.#delimiter, 0, length, at) === 0) return length;
      at++;
    }
  }

  /**
   * Reads headers from the line end of the boundary on, so that a part without headers is recognised like the
   * others.
   */
  async #headerBlock(): Promise<Buffer> {
    let end = this.#rest.indexOf(HEADER_END);
    while (end < 0) {
      if (this.#rest.length > PART_HEADER_BYTES) break;
      const searched = Math.max(0, this.#rest.length - HEADER_END.length + 1);
      if (!(await this.#more())) this.#endsEarly();
      end = this.#rest.indexOf(HEADER_END, searched);
    }
    if (end < 0 || end > PART_HEADER_BYTES)
      fail('UPLOAD_TOO_LARGE', {
        what: `the header block of part ${this.#parts} (it ends with an empty line)`,
        limit: formatBytes(PART_HEADER_BYTES),
      });
    this.#headerBytes += end;
    if (this.#headerBytes > this.#limits.headerBytes)
      fail('UPLOAD_TOO_LARGE', {
        what: 'the size of all part headers',
        limit: formatBytes(this.#limits.headerBytes),
      });
    const block = this.#rest.subarray(Math.min(CRLF.length, end), end);
    this.#rest = this.#rest.subarray(end + HEADER_END.length);
    return block;
  }

  async *#epilogue(): AsyncGenerator<Buffer, void> {
    do {
      yield this.#rest;
      this.#rest = this.#rest.subarray(this.#rest.length);
    } while (await this.#more());
  }

  async #skip(text: AsyncIterable<Buffer>, where: string): Promise<void> {
    let bytes = 0;
    for await (const chunk of text) {
      bytes += chunk.length;
      if (bytes > IGNORED_TEXT_BYTES)
        fail('BAD_UPLOAD', {
          reason: `more than ${formatBytes(IGNORED_TEXT_BYTES)} ${where} of the multipart body`,
        });
    }
  }

  async #more(): Promise<boolean> {
    const chunk = await this.#source.next();
    if (chunk === undefined) return false;
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    return true;
  }

  #endsEarly(): never {
    const where = {
      preamble: 'before its first boundary',
      headers: `inside the headers of part ${this.#parts}`,
      content: `inside part ${this.#parts}, without its final boundary`,
      epilogue: 'after its last boundary',
    }[this.#at];
    return fail('BAD_UPLOAD', { reason: `the multipart body ends early: ${where}` });
  }
}
