import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { BodyReader } from './body-reader.ts';
import { decodeContent } from './codings/content-coding.ts';
import type { UploadLimits } from './limits.ts';
import { collectSqlText, sqlTextOf } from './sql-text.ts';

const NOTHING = Buffer.alloc(0);

/** The body of a request with its headers. */
type PlainBody = Readable & Partial<Pick<IncomingMessage, 'headers'>>;

/** Whether the whole body is in memory: a short one arrives together with the head of its request. */
const hasArrived = ({ headers, readableLength }: PlainBody): boolean =>
  headers?.['content-length'] === String(readableLength);

/**
 * The SQL text of a request without multipart body. It accepts the codings of upload parts and fails in the
 * same ways: UPLOAD_TOO_LARGE beyond the limit of SQL text, UNSUPPORTED_CODING, BAD_UPLOAD, CLIENT_TOO_SLOW,
 * the signal's reason.
 */
export async function decodePlainBody(
  body: PlainBody,
  contentEncoding: string | undefined,
  options: { readonly limits: UploadLimits; readonly signal: AbortSignal },
): Promise<string> {
  const { limits, signal } = options;
  if (!contentEncoding && hasArrived(body)) {
    signal.throwIfAborted();
    const bytes: Buffer | null = body.read();
    body.resume();
    return sqlTextOf(bytes ?? NOTHING, limits.sqlBytes);
  }
  const reader = new BodyReader(body, { signal, idleMs: limits.idleMs, maxBytes: 2 * limits.sqlBytes });
  try {
    const content = decodeContent(chunksOf(reader), contentEncoding, undefined);
    return await collectSqlText(content, limits.sqlBytes, undefined);
  } finally {
    reader.close();
  }
}

async function* chunksOf(reader: BodyReader): AsyncGenerator<Buffer, void> {
  for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next()) yield chunk;
}
