import type { ServerResponse } from 'node:http';
import { type Logger, reportableError } from '@tessera/common';
import type { RowsResult, RunningQuery } from '@tessera/coordinator';
import { BodyWriter } from './body-writer.ts';
import { setNoticeHeader } from './notices.ts';
import type { OutputFormat } from './output-format.ts';

export interface SendOptions {
  readonly query: RunningQuery;
  readonly format: OutputFormat;
  /** How long a client may take no byte, in milliseconds. */
  readonly idleMs: number;
  /** Whether the body goes out in compressed blocks. */
  readonly compressed: boolean;
  readonly log: Logger;
}

/**
 * Streams a result to the client. Throws what failed as long as nothing has left; afterwards the failure is told in the
 * body where the format has a way to, else the connection is cut: a short result must never look whole.
 * Answers how many bytes of result were written.
 */
export async function sendResult(
  response: ServerResponse,
  result: RowsResult,
  options: SendOptions,
): Promise<number> {
  const { query, format, log } = options;
  response.setHeader('Content-Type', format.contentType);
  const writer = new BodyWriter(response, { ...options, signal: query.signal });
  const envelope = format.envelope(query);
  let rows = 0;
  setNoticeHeader(response, query);
  try {
    await writer.write(envelope.head(result.columns));
    for await (const chunk of result.chunks) {
      if (chunk.bytes.byteLength === 0) continue;
      const pieces = envelope.rows(chunk.bytes, rows === 0);
      const last = pieces.at(-1);
      for (const piece of pieces) await writer.write(piece, piece === last ? chunk.release : undefined);
      rows += chunk.rows;
    }
    await writer.write(envelope.tail(rows, result.statistics()));
    if (!writer.started) setNoticeHeader(response, query);
    await writer.end();
    return writer.bytes;
  } catch (error) {
    if (!writer.started && envelope.failure === undefined) throw error;
    const failure = reportableError(error, log);
    const told = envelope.failure?.(failure, result.statistics());
    if (told === undefined || query.signal.aborted || failure.name === 'CLIENT_TOO_SLOW') {
      log.info({ queryId: query.queryId, error: failure.name }, 'result cut off');
      response.destroy();
      return writer.bytes;
    }
    await result.close();
    await writer.write(told);
    await writer.end();
    return writer.bytes;
  }
}
