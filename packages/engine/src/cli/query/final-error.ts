import { Transform, type TransformCallback } from 'node:stream';
import type { QueryId } from '@tessera/common';
import { parseErrors } from './error-report.ts';

const MAX_LINE_BYTES = 64 * 1024;
const NEWLINE = 10;

/**
 * Passes the results of several statements on, except for the error document that ends them if a statement
 * fails: a last line with `errors` and the id of the query, which no row can contain.
 */
export class FinalError extends Transform {
  readonly #queryId: QueryId;
  /** The last line so far, which may be the error document. */
  #held: Buffer = Buffer.alloc(0);
  #errors: ReturnType<typeof parseErrors>;

  constructor(queryId: QueryId) {
    super();
    this.#queryId = queryId;
  }

  get errors(): ReturnType<typeof parseErrors> {
    return this.#errors;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const bytes = Buffer.concat([this.#held, chunk]);
    const lineStart = bytes.subarray(0, -1).lastIndexOf(NEWLINE) + 1;
    const heldFrom = bytes.length - lineStart > MAX_LINE_BYTES ? bytes.length : lineStart;
    this.#held = bytes.subarray(heldFrom);
    done(null, bytes.subarray(0, heldFrom));
  }

  override _flush(done: TransformCallback): void {
    const line = this.#held.toString('utf8');
    if (line.startsWith('{"errors":') && line.includes(JSON.stringify(this.#queryId)))
      this.#errors = parseErrors(line);
    done(null, this.#errors === undefined ? this.#held : undefined);
  }
}
