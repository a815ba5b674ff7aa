import { defaultCopyFormat, TesseraError } from '@tessera/common';
import type { CopyInput } from '@tessera/coordinator';
import type { OutputColumn } from '@tessera/sql';
import { binaryText } from '../../values/binary-text.ts';
import { wireType } from '../../values/type-oids.ts';

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
/** The signature, 32 bits of flags, and the length of an extension. */
const HEADER_BYTES = SIGNATURE.length + 8;
/** Flags that a reader must refuse if it does not know them. */
const CRITICAL_FLAGS = 0xffff0000;

/** The beginning of the binary format, without flags or an extension. */
export const BINARY_COPY_HEADER: Buffer = Buffer.concat([SIGNATURE, Buffer.alloc(8)]);
/** The end of the binary format: a row with -1 columns. */
export const BINARY_COPY_END: Buffer = Buffer.from([0xff, 0xff]);

/** The format of the rows that `BinaryCopyDecoder` writes. */
export const DECODED_FORMAT: CopyInput['format'] = defaultCopyFormat('text');

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const MAX_VALUE_BYTES = 256 * 1024 * 1024;

/** Thrown if the received bytes end inside a row. */
class Incomplete extends Error {
  /** The number of bytes that are needed to read on. */
  readonly bytes: number;

  constructor(bytes: number) {
    super('The row is not complete');
    this.bytes = bytes;
  }
}

/** Converts the input of COPY FROM STDIN in binary format to COPY's text format, as it arrives. */
export class BinaryCopyDecoder {
  readonly #table: string;
  readonly #columns: readonly { readonly name: string; readonly oid: number }[];
  /** Bytes that contain no complete row. They are only joined when they may contain one. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #neededBytes = HEADER_BYTES;
  #hasHeader = false;
  #isEnded = false;
  #rows = 0;

  constructor(table: string, columns: readonly OutputColumn[]) {
    this.#table = table;
    this.#columns = columns.map(({ name, type }) => ({ name, oid: wireType(type).oid }));
  }

  /**
   * The rows that the received bytes complete.
   * @throws TesseraError BAD_FILE, CAST_ERROR, INVALID_ENCODING
   */
  decode(received: Buffer): Buffer {
    this.#pending.push(received);
    this.#pendingBytes += received.length;
    if (this.#pendingBytes < this.#neededBytes) return Buffer.alloc(0);
    const bytes = Buffer.concat(this.#pending);
    const lines: string[] = [];
    let at = 0;
    try {
      if (!this.#hasHeader) at = this.#header(bytes);
      while (at < bytes.length) at = this.#row(bytes, at, lines);
      this.#neededBytes = 1;
    } catch (error) {
      if (!(error instanceof Incomplete)) throw error;
      this.#neededBytes = error.bytes - at;
    }
    this.#pending = [bytes.subarray(at)];
    this.#pendingBytes = bytes.length - at;
    return Buffer.from(lines.join(''));
  }

  /** @throws TesseraError BAD_FILE if the input ends in the header or in a row */
  end(): void {
    if (this.#pendingBytes > 0 || !this.#hasHeader) this.#refuse('unexpected EOF in COPY data');
  }

  /** Returns the position after the header. */
  #header(bytes: Buffer): number {
    if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE))
      this.#refuse('COPY file signature not recognized');
    if ((bytes.readUInt32BE(SIGNATURE.length) & CRITICAL_FLAGS) !== 0)
      this.#refuse('unrecognized critical flags in COPY file header');
    const extension = bytes.readUInt32BE(SIGNATURE.length + 4);
    if (extension > MAX_VALUE_BYTES) this.#refuse('invalid COPY file header (wrong length)');
    const end = HEADER_BYTES + extension;
    if (bytes.length < end) throw new Incomplete(end);
    this.#hasHeader = true;
    return end;
  }

  /** Adds the line of the row at `start` and returns its end. */
  #row(bytes: Buffer, start: number, lines: string[]): number {
    if (this.#isEnded) this.#refuse('received copy data after EOF marker');
    let at = start + 2;
    if (bytes.length < at) throw new Incomplete(at);
    const count = bytes.readInt16BE(start);
    if (count === -1) {
      this.#isEnded = true;
      return at;
    }
    if (count !== this.#columns.length)
      this.#refuse(`row field count is ${count}, expected ${this.#columns.length}`, this.#rows + 1);
    const cells: string[] = [];
    for (const { name, oid } of this.#columns) {
      const from = at + 4;
      if (bytes.length < from) throw new Incomplete(from);
      const size = bytes.readInt32BE(at);
      at = from;
      if (size === -1) {
        cells.push(DECODED_FORMAT.nullText);
        continue;
      }
      if (size < 0 || size > MAX_VALUE_BYTES) this.#refuse('invalid field size', this.#rows + 1);
      at += size;
      if (bytes.length < at) throw new Incomplete(at);
      cells.push(this.#cell(name, oid, bytes.subarray(from, at)));
    }
    this.#rows += 1;
    lines.push(`${cells.join(DECODED_FORMAT.delimiter)}\n`);
    return at;
  }

  #cell(name: string, oid: number, bytes: Buffer): string {
    try {
      return binaryText(oid, bytes).replace(/[\\\t\n\r]/g, (char) => ESCAPES[char]!);
    } catch (error) {
      const place = `COPY ${this.#table}, line ${this.#rows + 1}, column ${name}`;
      if (error instanceof TesseraError) throw error.with({ message: `${place}: ${error.message}` });
      if (!(error instanceof RangeError)) throw error;
      throw TesseraError.of('CAST_ERROR', {
        message: `${place}: incorrect binary data format: ${error.message}`,
      });
    }
  }

  #refuse(reason: string, line?: number): never {
    const name = line === undefined ? `COPY ${this.#table}` : `COPY ${this.#table}, line ${line}`;
    throw TesseraError.of('BAD_FILE', { name, reason });
  }
}
