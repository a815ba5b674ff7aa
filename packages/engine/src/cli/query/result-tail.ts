import { Transform } from 'node:stream';
import { parseErrors } from './error-report.ts';

const KEPT_BYTES = 64 * 1024;

/** Passes a result on and keeps its end, in which the line format reports whether the query succeeded. */
export class ResultTail extends Transform {
  #tail = Buffer.alloc(0);

  override _transform(chunk: Buffer, _encoding: string, done: (error: null, chunk: Buffer) => void): void {
    this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-KEPT_BYTES);
    done(null, chunk);
  }

  /** The errors in a last line FINISH_WITH_ERRORS. */
  get errors(): ReturnType<typeof parseErrors> {
    return parseErrors(this.#tail.toString('utf8').trimEnd().split('\n').at(-1)!);
  }
}
