import { cancellation, pause, TesseraError } from '@tessera/common';
import type { Kernel, KernelLog, KernelSession } from '@tessera/kernel';
import { type RpcChannel, ShuffleService } from '@tessera/rpc';
import type { KeptOutput, KeptOutputs } from '../outputs/kept-outputs.ts';
import { readOutput } from '../outputs/read-output.ts';
import type { FetchedPieces, OutputShape, Piece } from '../shuffle.ts';
import { exhaustedSpace } from '../space.ts';
import { appendPieces } from './append-pieces.ts';
import { Channels } from './channels.ts';
import { BrokenStream, decodeResponses, type PieceRows } from './decode-responses.ts';
import type { DistantPiece, NearPiece } from './located-piece.ts';
import { PartitionCheck } from './partition-check.ts';
import { type FetchedRelation, fetchedColumns, relationSql } from './relation-sql.ts';

export interface PieceFetcherOptions {
  readonly kernel: Kernel;
  readonly node: string;
  readonly incarnation: string;
  readonly outputs: KeptOutputs;
  readonly channel: (address: string) => RpcChannel;
  readonly nodeAt?: ((address: string) => string) | undefined;
  readonly compress?: ((address: string) => boolean) | undefined;
  readonly log: KernelLog;
}

/** How often pieces are asked for when what comes is broken or nothing comes. */
const ATTEMPTS = 3;
const FIRST_DELAY_MS = 50;

/** Makes pieces readable in sessions: those of this node where they are, others as a temp table. */
export class PieceFetcher {
  readonly #options: PieceFetcherOptions;
  readonly #channels: Channels;
  readonly #compress: (address: string) => boolean;
  readonly #partitions = new PartitionCheck();
  #tables = 0;

  constructor(options: PieceFetcherOptions) {
    this.#options = options;
    this.#channels = new Channels(options.channel);
    this.#compress = options.compress ?? isDistant;
  }

  async fetch(
    session: KernelSession,
    pieces: readonly Piece[],
    shape: OutputShape,
    signal: AbortSignal,
  ): Promise<FetchedPieces> {
    const near: NearPiece[] = [];
    const distant: DistantPiece[] = [];
    for (const piece of pieces) {
      if (piece.rows === 0) continue;
      if (piece.incarnation !== this.#options.incarnation) {
        distant.push({ piece, output: undefined });
        continue;
      }
      const output = this.#options.outputs.find(piece.producer);
      if (output === undefined) throw this.#failed(piece, 'the node has not got it');
      (output.processId === session.processId ? near : distant).push({ piece, output });
    }
    const fetched = distant.length === 0 ? undefined : await this.#bring(session, distant, shape, signal);
    const { rows = 0, bytes = 0 } = fetched?.table ?? {};
    const nearRows = near.reduce((sum, { piece, output }) => sum + rowsOf(piece, output), 0);
    return { sql: relationSql(near, fetched, shape), rows: rows + nearRows, bytes };
  }

  async #bring(
    session: KernelSession,
    pieces: readonly DistantPiece[],
    shape: OutputShape,
    signal: AbortSignal,
  ): Promise<FetchedRelation | undefined> {
    const columns = await fetchedColumns(session, shape);
    for (let attempt = 1; ; attempt++) {
      const name = `fetched_${++this.#tables}`;
      try {
        const sources = pieces.map((piece) => () => this.#rowsOf(piece, signal));
        const table = await appendPieces(session, name, sources, signal);
        if (table === undefined) return undefined;
        const fetched = { table, columns };
        await this.#partitions.check(session, fetched, pieces, shape, (piece) => this.#nodeOf(piece));
        return fetched;
      } catch (error) {
        if (signal.aborted) throw cancellation(signal);
        if (!(error instanceof PieceFailure)) throw exhaustedSpace(error, this.#options.node);
        if (attempt === ATTEMPTS) throw this.#failed(error.piece, error.message, error.cause);
        this.#options.log.warn(
          { ...error.piece.producer, node: this.#nodeOf(error.piece), attempt, reason: error.message },
          'What another node left is fetched again',
        );
        await pause(FIRST_DELAY_MS * 2 ** (attempt - 1), { signal }).catch(() => {
          throw cancellation(signal);
        });
      }
    }
  }

  /** @throws PieceFailure when asking again may help, else the error to report */
  async *#rowsOf({ piece, output }: DistantPiece, signal: AbortSignal): AsyncGenerator<PieceRows> {
    let rows = 0;
    try {
      const parts =
        output === undefined ? this.#remoteRows(piece, signal) : this.#ownRows(piece, output, signal);
      for await (const part of parts) {
        if (part.kind === 'batch') rows += part.rows;
        yield part;
      }
      if (piece.rows !== undefined && piece.slice === undefined && piece.rows !== rows) {
        throw new BrokenStream(`${rows} rows came of ${piece.rows}`);
      }
    } catch (error) {
      if (signal.aborted) throw cancellation(signal);
      if (error instanceof BrokenStream || isPassing(error)) {
        throw new PieceFailure(piece, (error as Error).message, { cause: error });
      }
      throw error;
    }
  }

  #remoteRows(piece: Piece, signal: AbortSignal): AsyncIterable<PieceRows> {
    const [bucketFrom, bucketTo] = piece.buckets ?? [0, 0];
    const [slice, slices] = piece.slice ?? [0, 0];
    const responses = this.#channels
      .to(piece.address)
      .client(ShuffleService)
      .fetch(
        {
          producer: piece.producer,
          incarnation: piece.incarnation,
          bucketFrom,
          bucketTo,
          slice,
          slices,
          compress: this.#compress(piece.address),
        },
        { signal },
      );
    return decodeResponses(responses);
  }

  /** Of this node, but kept by another kernel process than that of the session. */
  async *#ownRows(piece: Piece, output: KeptOutput, signal: AbortSignal): AsyncGenerator<PieceRows> {
    try {
      for await (const part of readOutput(this.#options.kernel, output, piece, signal)) {
        if (part instanceof Uint8Array) yield { kind: 'schema', ipc: part };
        else yield { kind: 'batch', ipc: part.ipc, rows: part.rows, bytes: 0 };
      }
    } catch (error) {
      if (error instanceof TesseraError && error.name === 'KERNEL_LOST')
        throw this.#failed(piece, error.message, error);
      throw error;
    }
  }

  #nodeOf(piece: Piece): string {
    return this.#options.nodeAt?.(piece.address) ?? piece.address;
  }

  #failed(piece: Piece, reason: string, cause?: unknown): TesseraError {
    const { stage, task, attempt } = piece.producer;
    const node = this.#nodeOf(piece);
    return TesseraError.of('FETCH_FAILED', { node, stage, task, attempt, reason }, { cause });
  }

  close(): void {
    this.#channels.close();
  }
}

/** A piece that did not come whole; it may when it is asked for again. */
class PieceFailure extends Error {
  readonly piece: Piece;

  constructor(piece: Piece, message: string, options: ErrorOptions) {
    super(message, options);
    this.piece = piece;
  }
}

/** Failures of a connection, as channels tell them. */
const isPassing = (error: unknown): boolean =>
  error instanceof TesseraError &&
  (error.retry === 'task' || error.retry === 'query') &&
  error.name !== 'FETCH_FAILED';

function rowsOf({ buckets, slice, rows }: Piece, output: KeptOutput): number {
  if (rows !== undefined) return rows;
  let chosen = output.rows;
  if (buckets !== undefined) {
    chosen = output.bucketRows.slice(...buckets).reduce((sum, count) => sum + count, 0);
  }
  return slice === undefined ? chosen : Math.round(chosen / slice[1]);
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?):\d+$/;
const isDistant = (address: string): boolean => !LOOPBACK.test(address);
