import { TesseraError } from '@tessera/common';
import type { KernelSession, KernelType, StatementProfile } from '@tessera/kernel';
import {
  type OutputShape,
  type StoredOutput,
  type StoreOptions,
  type TaskKey,
  taskName,
} from '../shuffle.ts';
import { exhaustedSpace } from '../space.ts';
import { typesNamed } from '../types/named-types.ts';
import { OutputRows } from './output-rows.ts';
import { columnCount, outputSql, storedType } from './output-sql.ts';
import { SegmentStore, type SegmentStoreOptions } from './segment-store.ts';

/** An output that can be read. */
export interface KeptOutput {
  readonly rows: OutputRows;
  /** Aborts when the output is released, or when its task fails. */
  readonly released: AbortSignal;
}

interface Entry {
  readonly key: TaskKey;
  readonly release: AbortController;
  /** Set as soon as there are rows. */
  rows?: OutputRows;
  isComplete: boolean;
}

export interface KeptOutputsOptions extends SegmentStoreOptions {
  /** For tests: computes buckets as another kernel might. */
  readonly disturbedHash: boolean;
}

/** Rows are sorted by bucket within batches of about this size. */
const BATCH_BYTES = 2 << 20;
/** An output of this size is worth reading before it is complete. */
const LARGE_BYTES = 1 << 20;

/** The outputs of this node, each kept until it is released. */
export class KeptOutputs {
  readonly #options: KeptOutputsOptions;
  readonly #store: SegmentStore;
  readonly #entries = new Map<string, Entry>();

  constructor(options: KeptOutputsOptions) {
    this.#options = options;
    this.#store = new SegmentStore(options);
  }

  get bytes(): number {
    return this.#store.memoryBytes + this.#store.diskBytes;
  }

  get diskBytes(): number {
    return this.#store.diskBytes;
  }

  /** A complete output. */
  find(key: TaskKey): KeptOutput | undefined {
    const entry = this.#entries.get(taskName(key));
    return entry?.isComplete === true ? kept(entry) : undefined;
  }

  /** An output that has rows, even if more are being added. */
  findBegun(key: TaskKey): KeptOutput | undefined {
    const entry = this.#entries.get(taskName(key));
    return entry && kept(entry);
  }

  async store(
    key: TaskKey,
    session: KernelSession,
    sql: string,
    shape: OutputShape,
    options: StoreOptions,
  ): Promise<StoredOutput> {
    const name = taskName(key);
    if (this.#entries.has(name)) throw new Error(`The output ${name} exists already`);
    const entry: Entry = { key, release: new AbortController(), isComplete: false };
    this.#entries.set(name, entry);
    try {
      const { signal } = entry.release;
      const { rows, profile } = await this.#make(session, sql, shape, entry, options);
      if (signal.aborted) {
        await rows.free();
        throw signal.reason;
      }
      entry.isComplete = true;
      rows.complete();
      const { inline } = rows;
      return {
        rows: rows.rows,
        bytes: rows.bytes,
        spilledBytes: rows.spilledBytes,
        bucketRows: rows.bucketRows,
        ...(inline !== undefined && { inline }),
        ...(profile !== undefined && { profile }),
      };
    } catch (error) {
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
      throw exhaustedSpace(error, this.#options.node);
    }
  }

  async #make(
    session: KernelSession,
    sql: string,
    shape: OutputShape,
    entry: Entry,
    { onLarge, fewRows = false, keep = false, profiled = false }: StoreOptions,
  ): Promise<{ readonly rows: OutputRows; readonly profile: StatementProfile | undefined }> {
    const hasBuckets = shape.hashKeys.length > 0;
    const types = await storedTypes(session, shape);
    const result = await session.query(outputSql(sql, shape, types, this.#options.disturbedHash), [], {
      maxBatchBytes: BATCH_BYTES,
      batches: hasBuckets ? 'sorted' : 'full',
      fewRows,
      keep,
      profiled,
    });
    const rows = new OutputRows(result.schemaIpc, hasBuckets, this.#store);
    entry.rows = rows;
    let isLarge = false;
    try {
      for await (const batch of result.batches) {
        if (entry.release.signal.aborted) break;
        await rows.add(batch);
        if (isLarge || rows.bytes < LARGE_BYTES) continue;
        isLarge = true;
        onLarge?.();
      }
      return { rows, profile: result.profile() };
    } catch (error) {
      entry.release.abort(error);
      await rows.free();
      throw error;
    }
  }

  async release(chosen: (key: TaskKey) => boolean): Promise<void> {
    const freed: Promise<void>[] = [];
    for (const [name, { key, release, rows, isComplete }] of this.#entries) {
      if (!chosen(key)) continue;
      this.#entries.delete(name);
      release.abort(released());
      // The task that writes an unfinished output releases it.
      if (rows !== undefined && isComplete) freed.push(rows.free());
    }
    await Promise.all(freed);
  }

  /** Frees all outputs. */
  async close(): Promise<void> {
    await this.release(() => true);
    await this.#store.close();
  }
}

const kept = ({ rows, release }: Entry): KeptOutput | undefined => rows && { rows, released: release.signal };

async function storedTypes(session: KernelSession, shape: OutputShape): Promise<KernelType[]> {
  const texts = Array.from({ length: columnCount(shape) }, (_, i) => storedType(shape, i));
  const named = await typesNamed(
    session,
    texts.filter((text) => text !== undefined),
  );
  return texts.map((text) => (text === undefined ? UNTYPED : named.get(text)!));
}

/** The kernel's type of a column of untyped NULLs. */
const UNTYPED: KernelType = { id: 'INTEGER' };

const released = () =>
  TesseraError.of('QUERY_CANCELLED', { reason: 'what it left for other nodes was released' });
