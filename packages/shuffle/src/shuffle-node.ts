import { cancellation, TesseraError } from '@tessera/common';
import type { Kernel, KernelLog, KernelSession } from '@tessera/kernel';
import type { RpcChannel } from '@tessera/rpc';
import { PieceFetcher } from './fetch/piece-fetcher.ts';
import { KeptOutputs } from './outputs/kept-outputs.ts';
import type { Selection } from './outputs/output-table.ts';
import { type ReadPart, readOutput } from './outputs/read-output.ts';
import { SharedReads } from './outputs/shared-reads.ts';
import type { FetchedPieces, OutputShape, Piece, Shuffle, StoredOutput, TaskKey } from './shuffle.ts';

export interface ShuffleOptions {
  /** Its bootstrap holds `shuffleBootstrap`. */
  readonly kernel: Kernel;
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

/** What `Shuffle` promises, and the rows of its outputs for the service. */
export class ShuffleNode implements Shuffle {
  readonly incarnation: string;
  readonly #options: ShuffleOptions;
  readonly #outputs: KeptOutputs;
  readonly #shared: SharedReads;
  readonly #fetcher: PieceFetcher;

  constructor(options: ShuffleOptions) {
    this.#options = options;
    this.incarnation = options.incarnation;
    const { kernel, node, disturbedHash = false } = options;
    this.#outputs = new KeptOutputs({ kernel, node, disturbedHash });
    this.#shared = new SharedReads(kernel);
    this.#fetcher = new PieceFetcher({ ...options, outputs: this.#outputs });
  }

  get bytes(): number {
    return this.#outputs.bytes;
  }

  store(key: TaskKey, session: KernelSession, sql: string, shape: OutputShape): Promise<StoredOutput> {
    return this.#outputs.store(key, session, sql, shape);
  }

  fetch(
    session: KernelSession,
    pieces: readonly Piece[],
    shape: OutputShape,
    signal: AbortSignal,
  ): Promise<FetchedPieces> {
    if (signal.aborted) return Promise.reject(cancellation(signal));
    return this.#fetcher.fetch(session, pieces, shape, signal);
  }

  /**
   * Rows of an output for another node; see `readOutput`.
   * @throws TesseraError FETCH_FAILED when the output is not here
   */
  async *read(
    key: TaskKey,
    incarnation: string,
    selection: Selection,
    signal: AbortSignal,
  ): AsyncGenerator<ReadPart> {
    if (incarnation !== this.incarnation) throw this.#missing(key, 'the node was started anew since');
    const output = this.#outputs.find(key);
    if (output === undefined) throw this.#missing(key, 'the node has not got it');
    try {
      const isWhole = selection.buckets === undefined && selection.slice === undefined;
      if (isWhole && this.#shared.has(output)) yield* this.#shared.read(output, signal);
      else yield* readOutput(this.#options.kernel, output, selection, signal);
    } catch (error) {
      if (signal.aborted) throw cancellation(signal);
      if (
        error instanceof TesseraError &&
        (error.name === 'KERNEL_LOST' || error.name === 'QUERY_CANCELLED')
      ) {
        throw this.#missing(key, error.message);
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
