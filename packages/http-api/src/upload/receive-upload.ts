import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fail } from '@tessera/common';
import { BodyReader } from './body-reader.ts';
import { decodeContent, decodesChunkByChunk, givesChunksAway } from './codings/content-coding.ts';
import { FileWriter } from './file-writer.ts';
import { type ParameterizedValue, parseParameterizedValue } from './header-parameters.ts';
import { formatBytes, maxBodyBytes, type UploadLimits } from './limits.ts';
import { linkLocalFile } from './local-file.ts';
import { MultipartReader } from './multipart-reader.ts';
import { type PartHeaders, parsePartHeaders } from './part-headers.ts';
import { gathered } from './spent-memory.ts';
import { collectSqlText } from './sql-text.ts';

/** The boundary syntax of RFC 2046: up to 70 characters, not ending in a space. */
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;

/**
 * The boundary of a `multipart/form-data` request. Throws BAD_UPLOAD if the Content-Type does not contain a
 * valid one.
 */
function multipartBoundary(contentType: string): string {
  const { value, parameters } = parseContentType(contentType);
  if (value !== 'multipart/form-data')
    fail('BAD_UPLOAD', { reason: `Content-Type "${value}" is not multipart/form-data` });
  const boundary = parameters.get('boundary');
  if (boundary === undefined || boundary === '')
    fail('BAD_UPLOAD', { reason: 'the Content-Type multipart/form-data has no boundary' });
  if (!BOUNDARY.test(boundary))
    fail('BAD_UPLOAD', { reason: 'the boundary in the Content-Type is not one that RFC 2046 allows' });
  return boundary;
}

function parseContentType(contentType: string): ParameterizedValue {
  try {
    return parseParameterizedValue(contentType);
  } catch (cause) {
    return fail('BAD_UPLOAD', { reason: `Content-Type: ${(cause as Error).message}` }, { cause });
  }
}

interface UploadedFile {
  /** The name of the part, which `upload://` URLs refer to. */
  readonly name: string;
  readonly path: string;
  /** The decoded size. */
  readonly bytes: number;
}

export interface ReceivedUpload {
  readonly sql: string;
  readonly files: ReadonlyMap<string, UploadedFile>;
}

interface ReceiveOptions {
  /**
   * An existing directory for the files of this request alone. The caller removes it, whatever the outcome.
   */
  readonly directory: string;
  readonly limits: UploadLimits;
  readonly signal: AbortSignal;
  /** See `localPath`. */
  readonly localFileKey?: string | undefined;
  /** Called with the number of body bytes received so far. */
  readonly onProgress?: ((receivedBytes: number) => void) | undefined;
}

/**
 * Receives a `multipart/form-data` request: one SQL part and any number of file parts, decoded to files while
 * they stream. Fails with BAD_UPLOAD, UNSUPPORTED_CODING, UPLOAD_TOO_LARGE, DISK_FULL, CLIENT_TOO_SLOW or the
 * signal's reason. Reading has then stopped, all files are closed, and the rest of the body is still in
 * `body`.
 */
export async function receiveUpload(
  body: Readable,
  contentType: string,
  options: ReceiveOptions,
): Promise<ReceivedUpload> {
  const { limits, signal, localFileKey, onProgress } = options;
  const boundary = multipartBoundary(contentType);
  const reader = new BodyReader(body, {
    signal,
    idleMs: limits.idleMs,
    maxBytes: maxBodyBytes(limits),
    onProgress,
  });
  try {
    const multipart = new MultipartReader(reader, boundary, limits);
    let sql: string | undefined;
    const files = new Map<string, UploadedFile>();
    const budget = new FileBudget(limits.fileBytes);
    for (let number = 1; ; number++) {
      const block = await multipart.nextPart();
      if (block === undefined) break;
      const part = parsePartHeaders(block, number, localFileKey);
      const content = decodeContent(encodedContent(multipart, part), part.contentEncoding, part.name);
      if (part.name === 'sql') {
        if (sql !== undefined) fail('BAD_UPLOAD', { reason: 'there is more than one part named "sql"' });
        sql = await collectSqlText(content, limits.sqlBytes, part.name);
      } else {
        checkFilePart(part, files);
        // Files are named by number, because part names may be "." or "..".
        const path = join(options.directory, String(number));
        const bytes =
          part.localPath === undefined
            ? await storeFile(content, path, part, budget, limits)
            : await linkLocalFile(content, part.localPath, path, part.name);
        files.set(part.name, { name: part.name, path, bytes });
      }
    }
    if (sql === undefined) fail('BAD_UPLOAD', { reason: 'there is no part named "sql"' });
    return { sql, files };
  } finally {
    reader.close();
  }
}

/** If the decoder keeps no history, it receives large chunks, whose memory is freed after use. */
const encodedContent = (multipart: MultipartReader, part: PartHeaders) =>
  decodesChunkByChunk(part) ? gathered(multipart.content()) : multipart.content();

function checkFilePart(part: PartHeaders, files: ReadonlyMap<string, UploadedFile>): void {
  if (!part.hasFileName)
    fail('BAD_UPLOAD', {
      part: part.name,
      reason:
        'a file part needs a filename in its Content-Disposition (the statement is in the part named "sql")',
    });
  if (files.has(part.name))
    fail('BAD_UPLOAD', { part: part.name, reason: 'there is more than one part of this name' });
}

/** The number of decoded bytes that the remaining file parts of a request may have. */
class FileBudget {
  readonly #limitBytes: number;
  #usedBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  spend(bytes: number, part: string): void {
    this.#usedBytes += bytes;
    if (this.#usedBytes > this.#limitBytes)
      fail('UPLOAD_TOO_LARGE', {
        part,
        what: 'the decoded size of all files',
        limit: formatBytes(this.#limitBytes),
      });
  }
}

async function storeFile(
  content: AsyncIterable<Buffer>,
  path: string,
  part: PartHeaders,
  budget: FileBudget,
  { diskReserveBytes }: UploadLimits,
): Promise<number> {
  const file = await FileWriter.create(path, {
    diskReserveBytes,
    what: `the upload "${part.name}"`,
    ownsChunks: givesChunksAway(part),
  });
  try {
    for await (const chunk of content) {
      budget.spend(chunk.length, part.name);
      await file.write(chunk);
    }
    await file.finish();
    return file.bytes;
  } catch (error) {
    await file.abandon();
    throw error;
  }
}
