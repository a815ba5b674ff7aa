import { fail, invalidByteAt, invalidBytes } from '@tessera/common';
import { locationAt } from '@tessera/sql';
import { formatBytes } from './limits.ts';

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Collects the text of a statement. `part` is its name in errors, undefined for a plain body.
 * @throws TesseraError UPLOAD_TOO_LARGE, INVALID_ENCODING with the position of the first invalid byte
 */
export async function collectSqlText(
  content: AsyncIterable<Buffer>,
  limitBytes: number,
  part: string | undefined,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    requireLength(bytes, limitBytes, part);
    chunks.push(chunk);
  }
  return decodedSql(Buffer.concat(chunks));
}

/** The text of a statement that was received whole in a plain body. @throws TesseraError as `collectSqlText` */
export function sqlTextOf(bytes: Buffer, limitBytes: number): string {
  requireLength(bytes.length, limitBytes, undefined);
  return decodedSql(bytes);
}

function requireLength(bytes: number, limitBytes: number, part: string | undefined): void {
  if (bytes > limitBytes)
    fail('UPLOAD_TOO_LARGE', { part, what: 'the SQL text', limit: formatBytes(limitBytes) });
}

function decodedSql(bytes: Buffer): string {
  const at = invalidByteAt(bytes);
  const text = bytes.toString('utf8', 0, at);
  if (at === undefined) return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  throw invalidBytes(bytes, at, 'the statement').with({ location: locationAt(text, text.length) });
}
