import { HASH_BUCKETS, noteBuffer } from '@tessera/common';
import { type KernelBatch, RowBlock } from '@tessera/kernel';
import type { BlockRange, InlineRows } from '../shuffle.ts';
import { addCounts, bucketStarts, rangeOf, sliceOf } from './bucket-starts.ts';
import { inlineRows } from './inline-rows.ts';
import { PartBuilder } from './part-builder.ts';
import { checksumOf, type Piece, readPieces } from './pieces.ts';
import type { ReadPart } from './read-part.ts';
import type { OutputFile, Segment, SegmentStore } from './segment-store.ts';

interface KeptBatch {
  readonly segment: Segment;
  readonly pieces: readonly Piece[];
  readonly rows: number;
  /** The start of each bucket's rows, and the end of the last one; undefined without hash keys. */
  readonly starts: Uint32Array | undefined;
}

/** Consumers fetch larger outputs. */
const MAX_INLINE_BYTES = 64 << 10;

/** The rows of one output, in batches that are each sorted by bucket and stored in pieces. */
export class OutputRows {
  readonly #schemaIpc: Uint8Array;
  readonly #store: SegmentStore;
  readonly #file: OutputFile;
  readonly #batches: KeptBatch[] = [];
  /** Parts of the segments in memory that readers have not released. */
  #lent = 0;
  #isComplete = false;
  /** Resolves when a batch was added or the output is complete. */
  #changed = Promise.withResolvers<void>();
  readonly bucketRows: number[];
  rows = 0;
  bytes = 0;
  spilledBytes = 0;

  constructor(schemaIpc: Uint8Array, hasBuckets: boolean, store: SegmentStore) {
    this.#schemaIpc = schemaIpc;
    this.#store = store;
    this.#file = store.output();
    this.bucketRows = hasBuckets ? new Array<number>(HASH_BUCKETS).fill(0) : [];
  }

  /** @throws TesseraError SHUFFLE_SPACE_EXHAUSTED */
  async add(batch: KernelBatch): Promise<void> {
    const { rows, ipc } = batch;
    const { length } = ipc;
    noteBuffer(length);
    const { pieces, starts } = this.#piecesOf(ipc);
    const segment = await this.#store.keep(ipc, this.#file, () => batch.release());
    this.#batches.push({ segment, pieces, rows, starts });
    this.rows += rows;
    this.bytes += length;
    if (segment.kind === 'disk') this.spilledBytes += length;
    this.#notify();
  }

  /** Marks the output as complete: nothing is added any more. */
  complete(): void {
    this.#isComplete = true;
    this.#notify();
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #piecesOf(ipc: Uint8Array): Pick<KeptBatch, 'pieces' | 'starts'> {
    const hasBuckets = this.bucketRows.length > 0;
    const counts = new Uint32Array(hasBuckets ? HASH_BUCKETS : 0);
    const pieces: Piece[] = [];
    for (let offset = 0, firstRow = 0; offset < ipc.length; ) {
      const block = new RowBlock(this.#schemaIpc, ipc.subarray(offset));
      if (hasBuckets) addCounts(counts, block.lastColumn());
      const { rows, bytes: length } = block;
      pieces.push({ offset, length, firstRow, rows, crc32c: checksumOf(ipc, { offset, length }) });
      offset += length;
      firstRow += rows;
    }
    for (let b = 0; b < counts.length; b++) this.bucketRows[b]! += counts[b]!;
    return { pieces, starts: hasBuckets ? bucketStarts(counts) : undefined };
  }

  /** The rows of a small output, to be sent with its description. */
  get inline(): InlineRows | undefined {
    const [batch, ...more] = this.#batches;
    if (batch === undefined || more.length > 0 || this.bytes > MAX_INLINE_BYTES) return undefined;
    if (batch.segment.kind === 'disk' || batch.pieces.length > 1) return undefined;
    return inlineRows(this.#schemaIpc, batch.segment.bytes);
  }

  /** Reads the rows of a range: first the schema, then batches. */
  async *read({ buckets, slice }: BlockRange): AsyncGenerator<ReadPart> {
    yield this.#schemaIpc;
    const ranges = this.#batches.map((batch) => ({ batch, ...rangeOf(batch, buckets) }));
    const total = ranges.reduce((sum, { length }) => sum + length, 0);
    const [first, end] = sliceOf(total, slice);
    const parts = new PartBuilder();
    let passed = 0;
    for (const { batch, from, length } of ranges) {
      const start = from + Math.max(0, first - passed);
      const stop = from + Math.min(length, end - passed);
      passed += length;
      if (start < stop) yield* this.#readRows(batch, start, stop, parts);
    }
    yield* parts.rest();
  }

  /**
   * Reads all rows in the order in which they were added, also while more are added: first the schema, then each batch
   * as one part. It ends when the output is complete.
   * @param firstBatch the number of batches to skip
   * @param signal must abort before the output is freed
   */
  async *follow(firstBatch: number, signal: AbortSignal): AsyncGenerator<ReadPart> {
    yield this.#schemaIpc;
    const aborted = Promise.withResolvers<void>();
    const stop = () => aborted.resolve();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const parts = new PartBuilder();
      for (let next = firstBatch; ; ) {
        signal.throwIfAborted();
        const batch = this.#batches[next];
        if (batch !== undefined) {
          next++;
          yield* this.#readRows(batch, 0, batch.rows, parts);
          yield* parts.rest();
        } else if (this.#isComplete) return;
        else await Promise.race([this.#changed.promise, aborted.promise]);
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async *#readRows(
    { segment, pieces }: KeptBatch,
    from: number,
    to: number,
    parts: PartBuilder,
  ): AsyncGenerator<ReadPart> {
    let whole: Piece[] = [];
    for (const piece of pieces) {
      const start = Math.max(from - piece.firstRow, 0);
      const stop = Math.min(to - piece.firstRow, piece.rows);
      if (start >= stop) continue;
      if (start === 0 && stop === piece.rows) {
        whole.push(piece);
        continue;
      }
      yield* this.#readWhole(segment, whole, parts);
      whole = [];
      yield* this.#cut(segment, piece, start, stop, parts);
    }
    yield* this.#readWhole(segment, whole, parts);
  }

  /** @param pieces one after the other */
  async *#readWhole(
    segment: Segment,
    pieces: readonly Piece[],
    parts: PartBuilder,
  ): AsyncGenerator<ReadPart> {
    const [first] = pieces;
    if (first === undefined) return;
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const rows = pieces.reduce((sum, piece) => sum + piece.rows, 0);
    if (segment.kind === 'memory' && parts.isLarge(length)) {
      yield* parts.rest();
      const ipc = segment.bytes.subarray(first.offset, first.offset + length);
      this.#lent++;
      yield { ipc, rows, release: () => void this.#lent-- };
      return;
    }
    yield* parts.makeRoom(length);
    await readPieces(segment, pieces, parts.take(length, rows));
  }

  async *#cut(
    segment: Segment,
    piece: Piece,
    from: number,
    to: number,
    parts: PartBuilder,
  ): AsyncGenerator<ReadPart> {
    const bytes =
      segment.kind === 'memory'
        ? segment.bytes.subarray(piece.offset, piece.offset + piece.length)
        : await readPieces(segment, [piece], Buffer.allocUnsafeSlow(piece.length));
    const message = new RowBlock(this.#schemaIpc, bytes).cut(from, to);
    const length = message.reduce((sum, part) => sum + part.length, 0);
    yield* parts.makeRoom(length);
    const target = parts.take(length, to - from);
    let at = 0;
    for (const part of message) {
      target.set(part, at);
      at += part.length;
    }
  }

  async free(): Promise<void> {
    for (const { segment } of this.#batches.splice(0)) {
      this.#store.forget(segment);
      // What is still read is left to the garbage collector.
      if (segment.kind === 'memory' && this.#lent === 0) segment.recycle();
    }
    await this.#file.free();
  }
}
