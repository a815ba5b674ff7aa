import {
  cancellation,
  type Incarnation,
  type NodeName,
  pause,
  retryDecision,
  TesseraError,
} from '@tessera/common';
import type { KernelLog, KernelSession } from '@tessera/kernel';
import { type RpcChannel, RpcChannels, ShuffleService } from '@tessera/rpc';
import { isIntact, readInline } from '../outputs/inline-rows.ts';
import type { KeptOutput, KeptOutputs } from '../outputs/kept-outputs.ts';
import { readOutput } from '../outputs/read-output.ts';
import type { ReadPart } from '../outputs/read-part.ts';
import { CorruptSegment } from '../outputs/segment-store.ts';
import type { FetchedBlocks, FetchOptions, OutputShape, ShuffleBlock } from '../shuffle.ts';
import { exhaustedSpace } from '../space.ts';
import { type BlockRows, BrokenStream, decodeResponses } from './decode-responses.ts';
import { literalRows } from './literal-rows.ts';
import { PartitionCheck } from './partition-check.ts';
import { type FetchedRows, receiveBlocks } from './receive-blocks.ts';
import { fetchedColumns, relationSql } from './relation-sql.ts';

export interface BlockFetcherOptions {
  readonly node: NodeName;
  readonly incarnation: Incarnation;
  readonly outputs: KeptOutputs;
  readonly channel: (address: string) => RpcChannel;
  readonly nodeAt?: ((address: string) => string) | undefined;
  readonly compress?: ((address: string) => boolean) | undefined;
  readonly log: KernelLog;
}

/** How often blocks are requested if the response is broken or missing. */
const ATTEMPTS = 3;
/** The same if nothing else can take the place of the block: until then, the cluster has noticed whether its node is lost. */
const LAST_RESORT_ATTEMPTS = 8;
const FIRST_DELAY_MS = 50;

/** Makes blocks readable in sessions. */
export class BlockFetcher {
  readonly #options: BlockFetcherOptions;
  readonly #channels: RpcChannels;
  readonly #compress: (address: string) => boolean;
  readonly #partitions = new PartitionCheck();

  constructor(options: BlockFetcherOptions) {
    this.#options = options;
    this.#channels = new RpcChannels(options.channel);
    this.#compress = options.compress ?? isDistant;
  }

  async fetch(
    session: KernelSession,
    blocks: readonly ShuffleBlock[],
    shape: OutputShape,
    signal: AbortSignal,
    { asExchange = false }: FetchOptions = {},
  ): Promise<FetchedBlocks> {
    const wanted = blocks.filter(({ rows }) => rows !== 0);
    const columns = wanted.length === 0 ? [] : await fetchedColumns(session, shape);
    const fetched =
      wanted.length === 0
        ? undefined
        : ((asExchange ? undefined : this.#inText(wanted, shape)) ??
          (await this.#bring(session, wanted, columns, shape, signal)));
    const { rows = 0, bytes = 0, spilledBytes = 0 } = fetched ?? {};
    return { sql: relationSql(fetched, columns, shape), rows, bytes, spilledBytes };
  }

  /**
   * All rows of a block, also while its task still runs. If the connection breaks, it continues with the batch after the last
   * one that arrived: an output keeps its batches.
   * @throws TesseraError FETCH_FAILED, QUERY_CANCELLED
   */
  async *follow(block: ShuffleBlock, signal: AbortSignal): AsyncGenerator<BlockRows> {
    let hasSchema = false;
    let firstBatch = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        for await (const part of this.#partsOf({ ...block, follow: { firstBatch } }, signal)) {
          if (part.kind === 'schema') {
            if (!hasSchema) yield part;
            hasSchema = true;
            continue;
          }
          firstBatch++;
          attempt = 1;
          yield part;
        }
        return;
      } catch (error) {
        if (signal.aborted) throw cancellation(signal);
        if (!(error instanceof BrokenStream || isPassing(error))) throw error;
        const { message } = error as Error;
        if (attempt === (firstBatch === 0 ? ATTEMPTS : LAST_RESORT_ATTEMPTS))
          throw this.#failed(block, message, error);
        await this.#pauseBefore(block, attempt, message, signal);
      }
    }
  }

  /** A few rows that came with the task as a part of its statement, which takes no further calls of the kernel. */
  #inText(
    blocks: readonly ShuffleBlock[],
    shape: OutputShape,
  ): Omit<FetchedRows, 'schema' | 'samples'> | undefined {
    const { incarnation } = this.#options;
    if (blocks.some((block) => this.#partitions.isNeeded(block, shape))) return undefined;
    return literalRows(blocks, shape, (block) => block.incarnation === incarnation);
  }

  async #bring(
    session: KernelSession,
    blocks: readonly ShuffleBlock[],
    columns: readonly string[],
    shape: OutputShape,
    signal: AbortSignal,
  ): Promise<FetchedRows | undefined> {
    const sources = blocks.map((block) => () => this.#rowsOf(block, signal));
    const isSampled = (source: number) => this.#partitions.isNeeded(blocks[source]!, shape);
    const nodeOf = (block: ShuffleBlock) => this.#nodeOf(block);
    for (let attempt = 1; ; attempt++) {
      try {
        const fetched = await receiveBlocks(session, { sources, isSampled, signal });
        if (fetched !== undefined && fetched.samples.length > 0)
          await this.#partitions.check(session, fetched, columns, blocks, shape, nodeOf);
        return fetched;
      } catch (error) {
        if (signal.aborted) throw cancellation(signal);
        if (!(error instanceof BlockFailure)) throw exhaustedSpace(error, this.#options.node);
        if (attempt === ATTEMPTS) throw this.#failed(error.block, error.message, error.cause);
        await this.#pauseBefore(error.block, attempt, error.message, signal);
      }
    }
  }

  async #pauseBefore(
    block: ShuffleBlock,
    attempt: number,
    reason: string,
    signal: AbortSignal,
  ): Promise<void> {
    this.#options.log.warn(
      { ...block.producer, node: this.#nodeOf(block), attempt, reason },
      'the output of a task is fetched again',
    );
    await pause(FIRST_DELAY_MS * 2 ** (attempt - 1), { signal }).catch(() => {
      throw cancellation(signal);
    });
  }

  /** @throws BlockFailure if a retry may help, otherwise the error to report */
  async *#rowsOf(block: ShuffleBlock, signal: AbortSignal): AsyncGenerator<BlockRows> {
    let rows = 0;
    try {
      for await (const part of this.#partsOf(block, signal)) {
        if (part.kind === 'batch') rows += part.rows;
        yield part;
      }
      if (block.rows !== undefined && block.slice === undefined && block.rows !== rows) {
        throw new BrokenStream(`${rows} rows came of ${block.rows}`);
      }
    } catch (error) {
      if (signal.aborted) throw cancellation(signal);
      if (error instanceof BrokenStream || isPassing(error)) {
        throw new BlockFailure(block, (error as Error).message, { cause: error });
      }
      throw error;
    }
  }

  #partsOf(block: ShuffleBlock, signal: AbortSignal): AsyncIterable<BlockRows> {
    const isOwn = block.incarnation === this.#options.incarnation;
    // A block that was damaged in a message is fetched from its producer, which still has it.
    if (block.inline !== undefined && isIntact(block.inline))
      return here(readInline(block.inline, block), isOwn);
    if (!isOwn) return this.#remoteRows(block, signal);
    const { outputs } = this.#options;
    const output =
      block.follow === undefined ? outputs.find(block.producer) : outputs.findBegun(block.producer);
    if (output === undefined) throw this.#failed(block, 'the node no longer has the output');
    return here(this.#ownRows(block, output, signal), true);
  }

  #remoteRows(block: ShuffleBlock, signal: AbortSignal): AsyncIterable<BlockRows> {
    const [bucketFrom, bucketTo] = block.buckets ?? [0, 0];
    const [slice, slices] = block.slice ?? [0, 0];
    const { follow } = block;
    const responses = this.#channels
      .to(block.address)
      .client(ShuffleService)
      .fetch(
        {
          producer: block.producer,
          incarnation: block.incarnation,
          bucketFrom,
          bucketTo,
          slice,
          slices,
          compress: this.#compress(block.address),
          ...(follow && { follow: true, firstBatch: follow.firstBatch }),
        },
        { signal },
      );
    return decodeResponses(responses);
  }

  async *#ownRows(block: ShuffleBlock, output: KeptOutput, signal: AbortSignal): AsyncGenerator<ReadPart> {
    try {
      yield* readOutput(output, block, signal);
    } catch (error) {
      if (output.released.aborted || error instanceof CorruptSegment) {
        throw this.#failed(block, (error as Error).message, error);
      }
      throw error;
    }
  }

  #nodeOf(block: ShuffleBlock): string {
    return this.#options.nodeAt?.(block.address) ?? block.address;
  }

  #failed(block: ShuffleBlock, reason: string, cause?: unknown): TesseraError {
    const { stage, task, attempt } = block.producer;
    const node = this.#nodeOf(block);
    return TesseraError.of('FETCH_FAILED', { node, stage, task, attempt, reason }, { cause });
  }

  close(): void {
    this.#channels.close();
  }
}

/** Rows that are already in this process. */
async function* here(
  parts: Iterable<ReadPart> | AsyncIterable<ReadPart>,
  isOwn: boolean,
): AsyncGenerator<BlockRows> {
  for await (const part of parts) {
    if (part instanceof Uint8Array) yield { kind: 'schema', ipc: part };
    else yield { kind: 'batch', ...part, bytes: isOwn ? 0 : part.ipc.length };
  }
}

/** A block did not arrive completely; a retry may succeed. */
class BlockFailure extends Error {
  readonly block: ShuffleBlock;

  constructor(block: ShuffleBlock, message: string, options: ErrorOptions) {
    super(message, options);
    this.block = block;
  }
}

/** Whether an error is a transient failure of a connection, as channels report it. */
const isPassing = (error: unknown): boolean => retryDecision(error, 'fetch') !== undefined;

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?):\d+$/;
const isDistant = (address: string): boolean => !LOOPBACK.test(address);
