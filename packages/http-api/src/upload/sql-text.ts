import { fail, TesseraError } from '@tessera/common';
import { formatBytes } from './limits.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Collects the text of a statement; `part` names it in errors, undefined for a plain body. */
export async function collectSqlText(
  content: AsyncIterable<Buffer>,
  limitBytes: number,
  part: string | undefined,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > limitBytes)
      fail('UPLOAD_TOO_LARGE', { part, what: 'the SQL text', limit: formatBytes(limitBytes) });
    chunks.push(chunk);
  }
  try {
    return utf8.decode(Buffer.concat(chunks));
  } catch (cause) {
    throw TesseraError.of('BAD_UPLOAD', { part, reason: 'the SQL text is not UTF-8' }, { cause });
  }
}
