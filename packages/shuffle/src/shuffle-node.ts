import { cancellation, type Incarnation, type NodeName, type QueryId, TesseraError } from '@tessera/common';
import type { KernelLog, KernelSession } from '@tessera/kernel';
import type { RpcChannel } from '@tessera/rpc';
import { BlockFetcher } from './fetch/block-fetcher.ts';
import { resultParts } from './fetch/result-parts.ts';
import { sortedParts } from './fetch/sorted-parts.ts';
import { KeptOutputs } from './outputs/kept-outputs.ts';
import { readOutput } from './outputs/read-output.ts';
import type { ReadPart } from './outputs/read-part.ts';
import { CorruptSegment } from './outputs/segment-store.ts';
import type {
  BlockRange,
  FetchedBlocks,
  FetchOptions,
  OutputShape,
  ResultOutput,
  ResultPart,
  Shuffle,
  ShuffleBlock,
  StoredOutput,
  StoreOptions,
  TaskKey,
} from './shuffle.ts';

export interface ShuffleOptions {
  /** Owned by the shuffle (for spill files of outputs) and emptied when it is opened. */
  readonly directory: string;
  /** The memory of the process that outputs may use; what exceeds it goes to disk. */
  readonly memoryBytes?: number | undefined;
  /** The disk space that outputs may use; by default nine tenths of the free space. */
  readonly diskBytes?: number | undefined;
  /** The name of this node, for errors. */
  readonly node: NodeName;
  /** The id of this process; no other process of any node ever has the same. */
  readonly incarnation: Incarnation;
  /**
   * Opens a channel to the shuffle service at `host:port`. Called once per address; the shuffle closes the
   * channel.
   */
  readonly channel: (address: string) => RpcChannel;
  /** The name of the node whose shuffle service is at `host:port`, for errors; by default its address. */
  readonly nodeAt?: ((address: string) => string) | undefined;
  /**
   * Whether rows from the address should be compressed. By default, rows of other hosts are, that is, of all
   * addresses except loopback.
   */
  readonly compress?: ((address: string) => boolean) | undefined;
  readonly log: KernelLog;
  /** For tests: stores rows in the buckets of another hash function. */
  readonly disturbedHash?: boolean | undefined;
}

const DEFAULT_MEMORY_BYTES = 64 << 20;

/** Implements `Shuffle` and provides the rows of its outputs to the service. */
export class ShuffleNode implements Shuffle {
  readonly incarnation: Incarnation;
  readonly #options: ShuffleOptions;
  readonly #outputs: KeptOutputs;
  readonly #fetcher: BlockFetcher;

  constructor(options: ShuffleOptions) {
    this.#options = options;
    this.incarnation = options.incarnation;
    const { memoryBytes = DEFAULT_MEMORY_BYTES, disturbedHash = false } = options;
    this.#outputs = new KeptOutputs({ ...options, memoryBytes, disturbedHash });
    this.#fetcher = new BlockFetcher({ ...options, outputs: this.#outputs });
  }

  get bytes(): number {
    return this.#outputs.bytes;
  }

  get diskBytes(): number {
    return this.#outputs.diskBytes;
  }

  store(
    key: TaskKey,
    session: KernelSession,
    sql: string,
    shape: OutputShape,
    options: StoreOptions = {},
  ): Promise<StoredOutput> {
    return this.#outputs.store(key, session, sql, shape, options);
  }

  fetch(
    session: KernelSession,
    blocks: readonly ShuffleBlock[],
    shape: OutputShape,
    signal: AbortSignal,
    options?: FetchOptions,
  ): Promise<FetchedBlocks> {
    if (signal.aborted) return Promise.reject(cancellation(signal));
    return this.#fetcher.fetch(session, blocks, shape, signal, options);
  }

  results(
    session: KernelSession,
    outputs: readonly ResultOutput[],
    shape: OutputShape,
    signal: AbortSignal,
  ): AsyncGenerator<ResultPart, void> {
    const follow = (block: ShuffleBlock) => this.#fetcher.follow(block, signal);
    const parts = shape.sortKey === undefined ? resultParts : sortedParts;
    return parts(session, { outputs, follow, shape, node: this.#options.node });
  }

  /**
   * The rows of an output for another node; see `OutputRows.read` and `follow`.
   * @throws TesseraError FETCH_FAILED if the output is not on this node
   */
  async *read(
    key: TaskKey,
    incarnation: Incarnation,
    range: BlockRange,
    signal: AbortSignal,
  ): AsyncGenerator<ReadPart> {
    if (incarnation !== this.incarnation) throw this.#missing(key, 'the node has restarted since');
    const output = range.follow === undefined ? this.#outputs.find(key) : this.#outputs.findBegun(key);
    if (output === undefined) throw this.#missing(key, 'the node no longer has the output');
    try {
      yield* readOutput(output, range, signal);
    } catch (error) {
      if (signal.aborted) throw cancellation(signal);
      if (output.released.aborted || error instanceof CorruptSegment) {
        throw this.#missing(key, (error as Error).message);
      }
      throw error;
    }
  }

  #missing({ stage, task, attempt }: TaskKey, reason: string): TesseraError {
    return TesseraError.of('FETCH_FAILED', { node: this.#options.node, stage, task, attempt, reason });
  }

  release(
    queryId: QueryId,
    {
      run,
      stages,
    }: { readonly run?: number | undefined; readonly stages?: readonly number[] | undefined } = {},
  ): Promise<void> {
    return this.#outputs.release(
      (key) =>
        key.queryId === queryId &&
        (run === undefined || key.run === run) &&
        (stages === undefined || stages.includes(key.stage)),
    );
  }

  async close(): Promise<void> {
    await this.#outputs.close();
    this.#fetcher.close();
  }
}

/** Opens the shuffle of a node; the node's server must serve its `shuffleService`. */
export const openShuffle = (options: ShuffleOptions): Shuffle => new ShuffleNode(options);
