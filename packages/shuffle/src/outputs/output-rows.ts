import { HASH_BUCKETS } from '@tessera/common';
import { type KernelBatch, RowBlock } from '@tessera/kernel';
import { discardBytes } from '@tessera/rpc';
import type { BlockRange, InlineRows } from '../shuffle.ts';
import { bucketStarts, rangeOf, sliceOf } from './bucket-starts.ts';
import { inlineRows } from './inline-rows.ts';
import type { ReadBatch, ReadPart } from './read-part.ts';
import { type Segment, type SegmentStore, type SpillFile, segmentBytes } from './segment-store.ts';

interface KeptBatch {
  readonly segment: Segment;
  readonly rows: number;
  /** The start of each bucket's rows, and the end of the last one; undefined without hash keys. */
  readonly starts: Uint32Array | undefined;
  block: RowBlock | undefined;
}

/** Consumers fetch larger outputs. */
const MAX_INLINE_BYTES = 64 << 10;

/** The rows of one output, in batches that are each sorted by bucket. */
export class OutputRows {
  readonly #schemaIpc: Uint8Array;
  readonly #store: SegmentStore;
  readonly #file: SpillFile;
  readonly #batches: KeptBatch[] = [];
  readonly bucketRows: number[];
  rows = 0;
  bytes = 0;

  constructor(schemaIpc: Uint8Array, hasBuckets: boolean, store: SegmentStore) {
    this.#schemaIpc = schemaIpc;
    this.#store = store;
    this.#file = store.spillFile();
    this.bucketRows = hasBuckets ? new Array<number>(HASH_BUCKETS).fill(0) : [];
  }

  /** @throws TesseraError SHUFFLE_SPACE_EXHAUSTED */
  async add(batch: KernelBatch): Promise<void> {
    const { rows, ipc } = batch;
    const starts = this.bucketRows.length === 0 ? undefined : this.#count(ipc);
    const segment = await this.#store.keep(ipc, this.#file, () => batch.release());
    this.#batches.push({ segment, rows, starts, block: undefined });
    this.rows += rows;
    this.bytes += segment.kind === 'memory' ? segment.bytes.length : segment.length;
  }

  #count(ipc: Uint8Array): Uint32Array {
    const starts = bucketStarts(new RowBlock(this.#schemaIpc, ipc).lastColumn());
    for (let b = 0; b < HASH_BUCKETS; b++) this.bucketRows[b]! += starts[b + 1]! - starts[b]!;
    return starts;
  }

  /** The rows of a small output, to be sent with its description. */
  get inline(): InlineRows | undefined {
    const [batch, ...more] = this.#batches;
    if (batch === undefined || more.length > 0 || this.bytes > MAX_INLINE_BYTES) return undefined;
    if (batch.segment.kind === 'disk') return undefined;
    return inlineRows(this.#schemaIpc, batch.segment.bytes);
  }

  /** The rows of a range: first the schema, then batches. */
  async *read({ buckets, slice }: BlockRange): AsyncGenerator<ReadPart> {
    yield this.#schemaIpc;
    const ranges = this.#batches.map((batch) => ({ batch, ...rangeOf(batch, buckets) }));
    const total = ranges.reduce((sum, { length }) => sum + length, 0);
    const [first, end] = sliceOf(total, slice);
    let passed = 0;
    for (const { batch, from, length } of ranges) {
      const start = from + Math.max(0, first - passed);
      const stop = from + Math.min(length, end - passed);
      passed += length;
      if (start < stop) yield await this.#cut(batch, start, stop);
    }
  }

  async #cut(batch: KeptBatch, from: number, to: number): Promise<ReadBatch> {
    const { segment, rows } = batch;
    const bytes = await segmentBytes(segment);
    if (from === 0 && to === rows) return { ipc: bytes, rows, release: () => undefined };
    const block = batch.block ?? new RowBlock(this.#schemaIpc, bytes);
    if (segment.kind === 'memory') batch.block = block;
    const ipc = block.cut(from, to);
    return { ipc, rows: to - from, release: () => discardBytes(ipc) };
  }

  async free(): Promise<void> {
    for (const { segment } of this.#batches.splice(0)) this.#store.forget(segment);
    await this.#file.close();
  }
}
