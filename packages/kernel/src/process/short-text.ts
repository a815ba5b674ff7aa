import type { Pointer } from '../native/libc.ts';
import { duckdb, memcpy } from '../native/library.ts';
import { allocate, copyOut, NativeBlock } from '../native/memory.ts';
import { INLINE_BYTES } from '../native/scalar-value.ts';
import { destroyChunk, type NativeResult } from '../native/statement.ts';
import { type FrameKind, frameHeader, textPrefix } from '../protocol/frames.ts';
import type { Reply } from '../protocol/messages.ts';
import type { RowText } from '../protocol/row-text.ts';
import { RowWriter, TooLong } from './row-writer.ts';

/** The values of more rows are copied by the library, as an Arrow array: each takes a native call here. */
const MAX_ROWS = 256;
const ENTRY_BYTES = 16;

/** The entries of the rows of one chunk, which are read before the next chunk is fetched. */
const entries = new NativeBlock(MAX_ROWS * ENTRY_BYTES);

/**
 * The rows of a result as text, which are answered in one frame, together with the reply. To make an Arrow batch of them would
 * take longer than to plan a small query.
 */
export class ShortText {
  readonly rows: number;
  readonly isTooLong: boolean;
  readonly #texts: readonly Uint8Array[];

  private constructor(rows: number, texts: readonly Uint8Array[], isTooLong = false) {
    this.rows = rows;
    this.isTooLong = isTooLong;
    this.#texts = texts;
  }

  /** The rows of a result, of whatever number, unless their text is too long. */
  static async written(result: NativeResult, how: RowText): Promise<ShortText> {
    const writer = new RowWriter(result.typeIds, how);
    for (let chunk = result.next(); chunk !== undefined; chunk = result.next()) {
      try {
        await writer.add(chunk);
      } catch (error) {
        if (error instanceof TooLong) return new ShortText(0, [], true);
        throw error;
      } finally {
        destroyChunk(chunk);
      }
    }
    return new ShortText(result.rowCount, [writer.bytes]);
  }

  /** The values of one VARCHAR column. Undefined if there are too many rows; none of them has then been read. */
  static of(result: NativeResult): ShortText | undefined {
    const rows = result.rowCount;
    if (rows > MAX_ROWS || !result.isText) return undefined;
    const texts: Uint8Array[] = [];
    for (let chunk = result.next(); chunk !== undefined; chunk = result.next()) {
      try {
        texts.push(textsOf(chunk));
      } finally {
        destroyChunk(chunk);
      }
    }
    return new ShortText(rows, texts);
  }

  /** The frame that answers a call: the rows, and what the call leaves behind. */
  frame(kind: FrameKind, traces: Pick<Reply, 'dirty' | 'appended'>): Buffer {
    const prefix = textPrefix(this, traces);
    const bytes = this.#texts.reduce((sum, text) => sum + text.length, prefix.length);
    return Buffer.concat([frameHeader(kind, bytes), prefix, ...this.#texts]);
  }
}

/** The values of the first column, concatenated. NULL counts as an empty text, as in the data of an Arrow array. */
function textsOf(chunk: Pointer): Uint8Array {
  const rows = Number(duckdb.chunkSize(chunk));
  const vector = duckdb.chunkVector(chunk, 0);
  const { bytes, address } = entries;
  memcpy(address, duckdb.vectorData(vector), rows * ENTRY_BYTES);
  const validity = duckdb.vectorValidity(vector);
  if (validity) emptyNulls(copyOut(validity, 8 * Math.ceil(rows / 64)), rows);
  let length = 0;
  for (let at = 0; at < rows * ENTRY_BYTES; at += ENTRY_BYTES) length += bytes.readUInt32LE(at);
  const texts = allocate(length);
  let end = 0;
  for (let at = 0; at < rows * ENTRY_BYTES; at += ENTRY_BYTES) {
    const size = bytes.readUInt32LE(at);
    if (size > INLINE_BYTES) memcpy(texts.subarray(end, end + size), entries.pointerAt(at + 8), size);
    else bytes.copy(texts, end, at + 4, at + 4 + size);
    end += size;
  }
  return texts;
}

/** @param isPresent a bit for each row; the lowest bit of a byte is for the first of its rows */
function emptyNulls(isPresent: Uint8Array, rows: number): void {
  for (let row = 0; row < rows; row += 1)
    if (((isPresent[row >> 3]! >> (row & 7)) & 1) === 0) entries.bytes.writeUInt32LE(0, row * ENTRY_BYTES);
}
