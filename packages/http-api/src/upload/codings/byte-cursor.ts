import { setImmediate as nextTurn } from 'node:timers/promises';
import { CorruptStream } from './corrupt-stream.ts';

/** Decoders on the main thread yield to other work after this time. */
const TURN_MS = 10;

/** Reads exact numbers of bytes from a source, as a format requires. */
export class ByteCursor {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  #turnStarted = performance.now();

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /**
   * The next `count` bytes; undefined at the end of the source. Throws CorruptStream if the source ends
   * within them.
   */
  async takeOrEnd(count: number): Promise<Buffer | undefined> {
    if (this.#rest.length === 0 && !(await this.#more())) return undefined;
    return this.take(count);
  }

  /** The next `count` bytes. Throws CorruptStream if the source has fewer. */
  async take(count: number): Promise<Buffer> {
    await this.#shareThread();
    if (this.#rest.length >= count) {
      const taken = this.#rest.subarray(0, count);
      this.#rest = this.#rest.subarray(count);
      return taken;
    }
    const pieces: Buffer[] = [];
    let missing = count;
    while (missing > 0) {
      const piece = await this.#upTo(missing);
      pieces.push(piece);
      missing -= piece.length;
    }
    return Buffer.concat(pieces);
  }

  /** Skips `count` bytes. */
  async skip(count: number): Promise<void> {
    for (let left = count; left > 0; ) left -= (await this.#upTo(left)).length;
  }

  async #upTo(count: number): Promise<Buffer> {
    if (this.#rest.length === 0 && !(await this.#more()))
      throw new CorruptStream('the compressed stream is cut short');
    const piece = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }

  async #more(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#chunks.next();
      if (done) return false;
      this.#rest = value;
    }
    return true;
  }

  async #shareThread(): Promise<void> {
    if (performance.now() - this.#turnStarted < TURN_MS) return;
    await nextTurn();
    this.#turnStarted = performance.now();
  }
}
