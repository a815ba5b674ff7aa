import type { NodeName } from '@tessera/common';
import type { ArrowBatchInput, KernelSession } from '@tessera/kernel';
import type { Schema } from 'apache-arrow';
import type { OutputShape, ResultOutput, ResultPart, ShuffleBlock } from '../shuffle.ts';
import { exhaustedSpace } from '../space.ts';
import type { BatchPart, BlockRows } from './decode-responses.ts';
import { merged } from './merged.ts';
import { firstMessageBytes, otherTypes, readSchema } from './receive-blocks.ts';
import { fetchedColumns, relationSql } from './relation-sql.ts';

/** The number of outputs that are read at a time. */
const MAX_OPEN_STREAMS = 4;
/** A part gets more rows up to this size while they arrive without a pause: each part costs a statement. */
export const PART_BYTES = 8 << 20;
/** The longest time in milliseconds that rows wait for more of them. */
const MAX_HOLD_MS = 10;

export interface ResultPartsOptions {
  readonly outputs: readonly ResultOutput[];
  /** All rows of an attempt; see `BlockFetcher.follow`. */
  readonly follow: (block: ShuffleBlock) => AsyncIterable<BlockRows>;
  readonly shape: OutputShape;
  /** The name of this node, for errors. */
  readonly node: NodeName;
}

/** The rows of outputs as they arrive, part by part; see `Shuffle.results`. */
export async function* resultParts(
  session: KernelSession,
  { outputs, follow, shape, node }: ResultPartsOptions,
): AsyncGenerator<ResultPart, void> {
  const columns = await fetchedColumns(session, shape);
  const rows = new ArrivingRows(
    merged(
      outputs.map((output) => () => rowsOf(output, follow)),
      MAX_OPEN_STREAMS,
    ),
  );
  try {
    for (let isFirst = true; ; isFirst = false) {
      const first = await rows.next();
      if (first === undefined) return;
      // The first rows are needed as soon as possible.
      const taken = rows.take(first, isFirst ? 0 : PART_BYTES);
      const received = await session.receive(rows.schema, taken);
      const sql = relationSql(received, columns, shape);
      yield { ...received, sql, bytes: rows.bytes, release: () => session.dropReceived(received) };
    }
  } catch (error) {
    throw exhaustedSpace(error, node);
  } finally {
    await rows.close();
  }
}

/** The rows of one output. While none of them was handed over, another attempt may take the place of one that fails. */
async function* rowsOf(
  output: ResultOutput,
  follow: (block: ShuffleBlock) => AsyncIterable<BlockRows>,
): AsyncGenerator<BlockRows> {
  for (;;) {
    const block = await output.attempt();
    let rows: number | undefined;
    try {
      for await (const part of follow(block)) {
        if (part.kind === 'batch') {
          if (rows === undefined && !output.begin(block)) {
            part.release();
            break;
          }
          rows = (rows ?? 0) + part.rows;
        }
        yield part;
      }
    } catch (error) {
      if (rows !== undefined) throw error;
      output.failed(block, error);
      continue;
    }
    if (rows === undefined && !output.begin(block)) continue;
    await output.end(block, rows ?? 0);
    return;
  }
}

/** Rows as they arrive, cut into parts. */
class ArrivingRows {
  readonly #parts: AsyncGenerator<BlockRows>;
  #schemaIpc: Uint8Array | undefined;
  #upcoming: Promise<BatchPart | undefined> | undefined;
  /** The bytes that came from other nodes for the last part. */
  bytes = 0;

  constructor(parts: AsyncGenerator<BlockRows>) {
    this.#parts = parts;
  }

  /** Known when there are rows. */
  get schema(): Schema {
    return readSchema(this.#schemaIpc!);
  }

  async next(): Promise<BatchPart | undefined> {
    const next = this.#peek();
    this.#upcoming = undefined;
    return next;
  }

  /** The rows of a part: `first` and, up to `limitBytes` in all, those that arrive soon after each other. */
  async *take(first: BatchPart, limitBytes: number): AsyncGenerator<ArrowBatchInput> {
    const schemaIpc = this.#schemaIpc!;
    const dictionaries = schemaIpc.subarray(firstMessageBytes(schemaIpc));
    if (dictionaries.length > 0) yield { ipc: dictionaries };
    this.bytes = 0;
    let taken = 0;
    for (let part: BatchPart | undefined = first; part !== undefined; ) {
      const { ipc, bytes } = part;
      const { release } = part;
      taken += ipc.length;
      this.bytes += bytes;
      yield { ipc, sent: () => release() };
      part = taken < limitBytes && (await this.#isSoon()) ? await this.next() : undefined;
    }
  }

  async close(): Promise<void> {
    this.#upcoming?.catch(() => undefined);
    await this.#parts.return(undefined);
  }

  /** Whether there are more rows, or the end or an error, within a short time. */
  async #isSoon(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), MAX_HOLD_MS);
    });
    const isThere = this.#peek().then(
      () => true,
      () => true,
    );
    try {
      return await Promise.race([isThere, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #peek(): Promise<BatchPart | undefined> {
    this.#upcoming ??= this.#batch();
    return this.#upcoming;
  }

  async #batch(): Promise<BatchPart | undefined> {
    for (;;) {
      const next = await this.#parts.next();
      if (next.done === true) return undefined;
      const part = next.value;
      if (part.kind === 'batch') return part;
      this.#schemaIpc ??= part.ipc;
      if (Buffer.compare(part.ipc, this.#schemaIpc) !== 0) throw otherTypes();
    }
  }
}
