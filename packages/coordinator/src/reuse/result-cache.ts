import type { ObjectId, RelationObject, Snapshot } from '@tessera/catalog';
import type { OutputColumn } from '@tessera/sql';
import type { ResultChunk, RowsResult } from '../request/statement-result.ts';
import { type RecordingMemory, recordedChunks } from './recorded-chunks.ts';

/** A relation that a result was computed from, and the contents that it had. */
export interface ResultSource {
  readonly id: ObjectId;
  /** The definition of a table or view; undefined for the partial rows of an aggregating index. */
  readonly object: RelationObject | undefined;
  /** See `Snapshot.contentsVersion`. */
  readonly version: number;
}

/**
 * The key under which the result of a query is kept, and the contents from which it is computed; or the reason
 * why it is not kept.
 */
export type Reuse =
  | { readonly key: string; readonly sources: readonly ResultSource[]; readonly refusal?: undefined }
  | { readonly key?: undefined; readonly refusal: string };

export interface CachedResult {
  readonly columns: readonly OutputColumn[];
  /** The body in the encoding of the request, in chunks that nobody may change. */
  readonly chunks: readonly Pick<ResultChunk, 'bytes' | 'rows'>[];
  readonly sources: readonly ResultSource[];
  /** The time in milliseconds that it took to compute. */
  readonly costMs: number;
}

interface Entry {
  readonly result: CachedResult;
  readonly bytes: number;
  /** The entry with the lowest rank is dropped first. */
  rank: number;
}

/** The result of a query that reads fewer rows is computed as fast as it is found. */
export const MIN_SCANNED_ROWS = 10_000;

/** The share of the memory for results that are being read. */
const RECORDING_SHARE = 1 / 4;
/** The share of the rest that one result may take. */
const MAX_RESULT_SHARE = 1 / 16;
/** The memory that an entry takes in addition to its key and its chunks, and a chunk in addition to its bytes. */
const ENTRY_BYTES = 1_024;
const CHUNK_BYTES = 128;
const KIBIBYTE = 1_024;
/**
 * The result to drop is chosen among as many that were not used for the longest time. A cache full of small results has more
 * than 50,000, and going through all of them would take milliseconds for each query.
 */
const CANDIDATES = 64;

/**
 * The results of this node's queries, by key. A result is only returned if its relations are the same and their
 * contents have not changed. Beyond the memory limit, the results go first whose computation took the least time for
 * their size and that were not used for the longest time (GreedyDual-Size, among the least recently used).
 */
export class ResultCache {
  readonly #maxBytes: number;
  /** The least recently used first, which goes first among those of one rank. */
  readonly #entries = new Map<string, Entry>();
  /** The memory that results being read may take in addition to the kept ones. */
  readonly #recording: RecordingMemory;
  /** The rank of the entry that was dropped last. */
  #floor = 0;
  #bytes = 0;
  /** The number of queries that were answered from the cache. */
  hits = 0;
  /** The number of queries that were computed although their result may be reused. */
  misses = 0;

  /** @param maxBytes 0 keeps nothing */
  constructor(maxBytes: number) {
    const recording = Math.floor(maxBytes * RECORDING_SHARE);
    this.#maxBytes = maxBytes - recording;
    this.#recording = memoryOf(recording);
  }

  get isOn(): boolean {
    return this.#maxBytes > 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** A result with more bytes is not kept. */
  get maxResultBytes(): number {
    return Math.floor(this.#maxBytes * MAX_RESULT_SHARE);
  }

  /** The result for a query that reads the snapshot; does not count as a use. */
  peek({ key }: Reuse, snapshot: Snapshot): CachedResult | undefined {
    const result = key === undefined ? undefined : this.#entries.get(key)?.result;
    return result !== undefined && isCurrent(result, snapshot) ? result : undefined;
  }

  get(reuse: Reuse, snapshot: Snapshot): CachedResult | undefined {
    const result = this.peek(reuse, snapshot);
    if (result === undefined) return undefined;
    this.hits += 1;
    const entry = this.#entries.get(reuse.key!)!;
    entry.rank = this.#rankOf(entry);
    this.#entries.delete(reuse.key!);
    this.#entries.set(reuse.key!, entry);
    return result;
  }

  /**
   * The same result, which is kept when it has been read to its end, if it may be reused and is worth it.
   * @param costMs the time that it took to compute
   */
  keeping(
    result: RowsResult,
    { reuse, scannedRows, costMs }: { reuse: Reuse; scannedRows: number; costMs: number },
  ): RowsResult {
    if (reuse.key === undefined || scannedRows < MIN_SCANNED_ROWS) return result;
    this.misses += 1;
    const { key, sources } = reuse;
    const { columns } = result;
    const chunks = recordedChunks(result.chunks, {
      maxBytes: this.maxResultBytes,
      memory: this.#recording,
      onEnd: (copies) => this.add(key, { columns, chunks: copies, sources, costMs }),
    });
    return { ...result, chunks };
  }

  /** Replaces what the key had. Does nothing for a result that is too large. */
  add(key: string, result: CachedResult): void {
    this.#drop(key);
    const bytes = bytesOf(key, result);
    if (bytes > this.maxResultBytes) return;
    const entry = { result, bytes, rank: 0 };
    entry.rank = this.#rankOf(entry);
    this.#entries.set(key, entry);
    this.#bytes += bytes;
    while (this.#bytes > this.#maxBytes) this.#dropLowest();
  }

  #rankOf({ result, bytes }: Pick<Entry, 'result' | 'bytes'>): number {
    return this.#floor + result.costMs / (bytes / KIBIBYTE);
  }

  #dropLowest(): void {
    let lowest: readonly [string, Entry] | undefined;
    for (const one of this.#entries.entries().take(CANDIDATES))
      if (lowest === undefined || one[1].rank < lowest[1].rank) lowest = one;
    if (lowest === undefined) return;
    this.#floor = Math.max(this.#floor, lowest[1].rank);
    this.#drop(lowest[0]);
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}

/** Whether every relation is the same, with the same rows. */
export const isCurrent = ({ sources }: Pick<CachedResult, 'sources'>, snapshot: Snapshot): boolean =>
  sources.every(
    ({ id, object, version }) =>
      (object === undefined || snapshot.object(id) === object) && snapshot.contentsVersion(id) === version,
  );

const bytesOf = (key: string, { chunks }: CachedResult): number =>
  chunks.reduce((sum, { bytes }) => sum + bytes.byteLength + CHUNK_BYTES, ENTRY_BYTES + 2 * key.length);

function memoryOf(bytes: number): RecordingMemory {
  let left = bytes;
  return {
    take: (taken) => {
      if (taken > left) return false;
      left -= taken;
      return true;
    },
    give: (given) => {
      left += given;
    },
  };
}
