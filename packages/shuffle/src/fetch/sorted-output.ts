import { type ArrowBatchInput, RowBlock } from '@tessera/kernel';
import { aligned } from '../outputs/inline-rows.ts';
import type { ResultOutput, ShuffleBlock } from '../shuffle.ts';
import type { BatchPart, BlockRows } from './decode-responses.ts';

/** Rows of one message that have arrived. */
interface HeldRows {
  readonly block: RowBlock;
  readonly ipc: Uint8Array;
  readonly keyOf: (row: number) => Uint8Array;
  /** The rows before this one were taken. */
  from: number;
  /** To be called when the bytes are no longer read. */
  readonly release: () => void;
}

export interface SortedOutputOptions {
  readonly follow: (block: ShuffleBlock) => AsyncIterable<BlockRows>;
  /** The position of the key column. */
  readonly sortKey: number;
}

/**
 * The output of one task, whose rows are taken in the order of their keys. While none of them was taken,
 * another attempt may replace one that fails.
 */
export class SortedOutput {
  readonly #output: ResultOutput;
  readonly #options: SortedOutputOptions;
  #block: ShuffleBlock | undefined;
  #parts: AsyncIterator<BlockRows> | undefined;
  #schemaIpc: Uint8Array | undefined;
  readonly #held: HeldRows[] = [];
  #heldBytes = 0;
  /** The rows that have arrived. */
  #rows = 0;
  #hasBegun = false;
  #hasAllRows = false;
  #isEnded = false;
  /** The bytes that came from another node since they were last counted. */
  #bytes = 0;

  constructor(output: ResultOutput, options: SortedOutputOptions) {
    this.#output = output;
    this.#options = options;
  }

  /** The schema of the rows, followed by dictionaries; known when there are rows. */
  get schemaIpc(): Uint8Array | undefined {
    return this.#schemaIpc;
  }

  get hasRows(): boolean {
    return this.#held.length > 0;
  }

  /** The key of the first row that was not taken. */
  get firstKey(): Uint8Array | undefined {
    const first = this.#held[0];
    return first?.keyOf(first.from);
  }

  /** No row that arrives later has a smaller key; undefined if none will arrive. */
  get bound(): Uint8Array | undefined {
    const last = this.#held.at(-1);
    return this.#hasAllRows ? undefined : last?.keyOf(last.block.rows - 1);
  }

  /** Waits for rows until it holds this many bytes of them, at least some rows, or all rows that are left. */
  async fill(bytes: number): Promise<void> {
    while (!this.#isEnded) {
      if (this.hasRows && (this.#hasAllRows || this.#heldBytes >= bytes)) return;
      if (this.#hasAllRows) await this.#end();
      else await this.#fetch();
    }
  }

  /** To be called before rows are taken. If it returns false, the attempt does not count any more, and its rows are dropped. */
  begin(): boolean {
    this.#hasBegun ||= this.#output.begin(this.#block!);
    if (!this.#hasBegun) this.#drop();
    return this.#hasBegun;
  }

  /** Takes the rows with keys up to `bound`; undefined means all rows that it holds. */
  take(bound: Uint8Array | undefined): ArrowBatchInput[] {
    const taken: ArrowBatchInput[] = [];
    for (let rows = this.#held[0]; rows !== undefined; rows = this.#held[0]) {
      const to = bound === undefined ? rows.block.rows : endOf(rows, bound);
      const isWhole = rows.from === 0 && to === rows.block.rows;
      if (isWhole) taken.push({ ipc: rows.ipc, sent: rows.release });
      else if (to > rows.from) taken.push({ ipc: Buffer.concat(rows.block.cut(rows.from, to)) });
      rows.from = to;
      if (to < rows.block.rows) break;
      this.#held.shift();
      this.#heldBytes -= rows.ipc.length;
      if (!isWhole) rows.release();
    }
    return taken;
  }

  /** The bytes that came from another node since the last call. */
  newBytes(): number {
    const bytes = this.#bytes;
    this.#bytes = 0;
    return bytes;
  }

  /** Ends the reading. */
  close(): void {
    this.#isEnded = true;
    this.#drop();
  }

  async #end(): Promise<void> {
    if (!this.begin()) return;
    await this.#output.end(this.#block!, this.#rows);
    this.#isEnded = true;
  }

  async #fetch(): Promise<void> {
    this.#block ??= await this.#output.attempt();
    const block = this.#block;
    this.#parts ??= this.#options.follow(block)[Symbol.asyncIterator]();
    try {
      const next = await this.#parts.next();
      if (next.done === true) this.#hasAllRows = true;
      else if (next.value.kind === 'schema') this.#schemaIpc = next.value.ipc;
      else this.#hold(next.value);
    } catch (error) {
      if (this.#hasBegun || this.#isEnded) throw error;
      this.#drop();
      this.#output.failed(block, error);
    }
  }

  #hold({ ipc: arrived, rows, bytes, release }: BatchPart): void {
    const whole = aligned(arrived);
    this.#rows += rows;
    this.#bytes += bytes;
    let held = 0;
    const releaseOne = () => {
      held--;
      if (held === 0) release();
    };
    for (let at = 0; at < whole.length; ) {
      const block = new RowBlock(this.#schemaIpc!, whole.subarray(at));
      const ipc = whole.subarray(at, at + block.bytes);
      at += block.bytes;
      if (block.rows === 0) continue;
      held++;
      const keyOf = block.blobs(this.#options.sortKey);
      const last = this.#held.at(-1);
      if (last !== undefined && Buffer.compare(last.keyOf(last.block.rows - 1), keyOf(0)) > 0)
        throw new Error('The rows of a sorted output are not in order');
      this.#held.push({ block, ipc, keyOf, from: 0, release: releaseOne });
      this.#heldBytes += ipc.length;
    }
  }

  /** Forgets the attempt and its rows. */
  #drop(): void {
    for (const { release } of this.#held.splice(0)) release();
    this.#heldBytes = 0;
    this.#rows = 0;
    this.#hasAllRows = false;
    this.#block = undefined;
    // A part that is awaited ends when the signal of the reading aborts.
    this.#parts?.return?.().catch(() => undefined);
    this.#parts = undefined;
  }
}

/** The position after the last row whose key is not greater than `bound`. */
function endOf({ block, keyOf, from }: HeldRows, bound: Uint8Array): number {
  let [low, high] = [from, block.rows];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Buffer.compare(keyOf(middle), bound) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
