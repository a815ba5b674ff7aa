import type { ServerResponse } from 'node:http';
import type { Logger, TesseraError } from '@tessera/common';
import type { QueryStatistics, RowsResult, RunningQuery } from '@tessera/coordinator';
import { BodyWriter } from './body-writer.ts';
import type { Envelope } from './envelope.ts';
import { errorBody } from './error-body.ts';
import { setNoticeHeader } from './notices.ts';
import { isText, type OutputFormat, separatorOf } from './output-format.ts';

export interface ResultBodyOptions {
  readonly query: RunningQuery;
  readonly format: OutputFormat;
  /** The longest time, in milliseconds, for which a client may accept no data. */
  readonly idleMs: number;
  /** Whether the body is sent in compressed blocks. */
  readonly compressed: boolean;
  readonly log: Logger;
}

/** The result that is being written, or the last one written. */
interface Written {
  readonly envelope: Envelope;
  readonly statistics: () => QueryStatistics;
  whole: boolean;
}

/** Streams one result to the client, or the results of several statements one after the other. */
export class ResultBody {
  readonly #response: ServerResponse;
  readonly #options: ResultBodyOptions;
  readonly #writer: BodyWriter;
  #written: Written | undefined;
  #flushed = false;

  constructor(response: ServerResponse, options: ResultBodyOptions) {
    this.#response = response;
    this.#options = options;
    this.#writer = new BodyWriter(response, { ...options, signal: options.query.signal });
  }

  /**
   * Whether a failure has to be reported within the body, with `fail`. Before that, the answer can still
   * become an error.
   */
  get hasBegun(): boolean {
    return this.#flushed || this.#writer.started || this.#written?.envelope.failure !== undefined;
  }

  /** Writes a result. The caller must close it, even if this throws. */
  async add(result: RowsResult): Promise<void> {
    const { query, format } = this.#options;
    const envelope = format.envelope(query);
    const written = { envelope, statistics: () => result.statistics(), whole: false };
    this.#written = written;
    this.#setHeaders();
    let rows = 0;
    if (this.#flushed) await this.#writer.write(separatorOf(format));
    await this.#writer.write(envelope.head(result.columns));
    for await (const chunk of result.chunks) {
      if (chunk.bytes.byteLength === 0) continue;
      await this.#writer.write(envelope.rows(chunk.bytes, rows === 0), chunk.release);
      rows += chunk.rows;
    }
    await this.#writer.write(envelope.tail(rows, result.statistics()));
    written.whole = true;
    if (!this.#writer.started) this.#setHeaders();
  }

  /** Sends a message of its own, before or between the others, in a format of messages. */
  async message(message: object): Promise<void> {
    this.#setHeaders();
    await this.#writer.write(`${JSON.stringify(message)}\n`);
    await this.flush();
  }

  #setHeaders(): void {
    if (this.#response.headersSent) return;
    this.#response.setHeader('Content-Type', this.#options.format.contentType);
    setNoticeHeader(this.#response, this.#options.query);
  }

  /** Sends the results added so far, because the next ones may take long. */
  async flush(): Promise<void> {
    await this.#writer.flush();
    this.#flushed = true;
  }

  /** Ends the body and returns its number of bytes. */
  end(): number {
    this.#writer.end();
    return this.#writer.bytes;
  }

  /**
   * Ends a body that has begun with the error. If the format cannot express an error, the connection is cut:
   * a truncated result must never look complete. Returns the number of bytes of the body.
   */
  fail(error: TesseraError): number {
    const { query, log } = this.#options;
    const sent = this.#failure(error);
    if (sent === undefined) {
      log.info({ queryId: query.queryId, error: error.name }, 'result truncated');
      this.#response.destroy();
    } else {
      this.#writer.end(sent);
    }
    return this.#writer.bytes;
  }

  #failure(error: TesseraError): string | undefined {
    const { query, format } = this.#options;
    if (this.#response.destroyed || error.name === 'CLIENT_TOO_SLOW') return undefined;
    if (this.#written === undefined) return errorBody(error, query, format);
    const { envelope, statistics, whole } = this.#written;
    if (envelope.failure !== undefined) return envelope.failure(error, statistics());
    if (!whole && query.signal.aborted) return undefined;
    if (!isText(format) || (!whole && this.#writer.started)) return undefined;
    if (!whole) this.#writer.drop();
    return separatorOf(format) + errorBody(error, query);
  }
}
