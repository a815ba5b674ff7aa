import { cancellation, TesseraError } from '@tessera/common';
import type { KernelLog, KernelSession } from '@tessera/kernel';
import type { RpcChannel } from '@tessera/rpc';
import { BlockFetcher } from './fetch/block-fetcher.ts';
import { KeptOutputs } from './outputs/kept-outputs.ts';
import { readOutput } from './outputs/read-output.ts';
import type { ReadPart } from './outputs/read-part.ts';
import { CorruptSegment } from './outputs/segment-store.ts';
import type {
  BlockRange,
  FetchedBlocks,
  OutputShape,
  Shuffle,
  ShuffleBlock,
  StoredOutput,
  TaskKey,
} from './shuffle.ts';

export interface ShuffleOptions {
  /** Owned by the shuffle (spill files of outputs) and wiped when it is opened. */
  readonly directory: string;
  /** Outputs take this much memory of the process; what is beyond it goes to disk. */
  readonly memoryBytes?: number | undefined;
  /** The most that outputs take of the disk; by default nine tenths of what is free. */
  readonly diskBytes?: number | undefined;
  /** Name of this node, for errors. */
  readonly node: string;
  /** Of this process: no other one of any node ever has or had it. */
  readonly incarnation: string;
  /** A channel to the shuffle service at `host:port`; called once for each, closed by the shuffle. */
  readonly channel: (address: string) => RpcChannel;
  /** Name of the node whose shuffle service is at `host:port`, for errors; its address when not given. */
  readonly nodeAt?: ((address: string) => string) | undefined;
  /**
   * Whether rows from the address are to come compressed. When not given, those of other hosts are, which an address is
   * of unless it is a loopback one.
   */
  readonly compress?: ((address: string) => boolean) | undefined;
  readonly log: KernelLog;
  /** For tests: stores rows in the buckets of another hash function. */
  readonly disturbedHash?: boolean | undefined;
}

const DEFAULT_MEMORY_BYTES = 64 << 20;

/** What `Shuffle` promises, and the rows of its outputs for the service. */
export class ShuffleNode implements Shuffle {
  readonly incarnation: string;
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

  store(key: TaskKey, session: KernelSession, sql: string, shape: OutputShape): Promise<StoredOutput> {
    return this.#outputs.store(key, session, sql, shape);
  }

  fetch(
    session: KernelSession,
    blocks: readonly ShuffleBlock[],
    shape: OutputShape,
    signal: AbortSignal,
  ): Promise<FetchedBlocks> {
    if (signal.aborted) return Promise.reject(cancellation(signal));
    return this.#fetcher.fetch(session, blocks, shape, signal);
  }

  /**
   * Rows of an output for another node; see `OutputRows.read`.
   * @throws TesseraError FETCH_FAILED when the output is not here
   */
  async *read(
    key: TaskKey,
    incarnation: string,
    range: BlockRange,
    signal: AbortSignal,
  ): AsyncGenerator<ReadPart> {
    if (incarnation !== this.incarnation) throw this.#missing(key, 'the node was started anew since');
    const output = this.#outputs.find(key);
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
    queryId: string,
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
    await this.#outputs.release(() => true);
    this.#fetcher.close();
  }
}

/** The shuffle of a node; give `shuffleService` of it to the node's server. */
export const openShuffle = (options: ShuffleOptions): Shuffle => new ShuffleNode(options);
