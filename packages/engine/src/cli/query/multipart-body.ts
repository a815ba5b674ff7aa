import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { SizedPart } from './file-part.ts';

const CHUNK_BYTES = 256 * 1024;

export interface MultipartBody {
  readonly contentType: string;
  /** Undefined if the size of a part is unknown: the request is then sent in chunks. */
  readonly lengthBytes: number | undefined;
  /** Reads the files on demand; `onSent` is called for every chunk. */
  stream(onSent: (bytes: number) => void): Readable;
}

/**
 * The request body of a statement and its files, which are never completely in memory.
 * @param localFileKey the server on this machine then gets the paths of the files instead of their content
 */
export function multipartBody(
  sql: string,
  files: readonly SizedPart[],
  stdin: Readable,
  localFileKey?: string,
): MultipartBody {
  const parts = files.map((part) => inPlace(part, localFileKey));
  const boundary = `----tessera-${randomBytes(16).toString('hex')}`;
  const statement = Buffer.from(`--${boundary}\r\n${disposition('sql')}\r\n\r\n${sql}\r\n`);
  const headers = parts.map((part) => Buffer.from(`--${boundary}\r\n${partHeaders(part)}\r\n\r\n`));
  const end = Buffer.from(`--${boundary}--\r\n`);
  const lengthBytes = parts.reduce<number | undefined>(
    (sum, part, i) =>
      sum === undefined || part.sizeBytes === undefined
        ? undefined
        : sum + headers[i]!.length + part.sizeBytes + 2,
    statement.length + end.length,
  );

  async function* chunks(): AsyncGenerator<Buffer> {
    yield statement;
    for (const [i, part] of parts.entries()) {
      yield headers[i]!;
      yield* contentOf(part, stdin);
      yield Buffer.from('\r\n');
    }
    yield end;
  }
  async function* counted(onSent: (bytes: number) => void): AsyncGenerator<Buffer> {
    for await (const chunk of chunks()) {
      yield chunk;
      onSent(chunk.length);
    }
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    lengthBytes,
    stream: (onSent) => Readable.from(counted(onSent), { objectMode: false }),
  };
}

interface BodyPart extends SizedPart {
  readonly contentType: string;
}

/** A part that refers to its file, if the server takes that; it has no content. */
function inPlace(part: SizedPart, key: string | undefined): BodyPart {
  if (key === undefined || part.sizeBytes === undefined)
    return { ...part, contentType: 'application/octet-stream' };
  const name = encodeURIComponent(resolve(part.path));
  const contentType = `message/external-body; access-type=local-file; name="${name}"; key="${key}"`;
  return { ...part, sizeBytes: 0, contentType };
}

function partHeaders(part: BodyPart): string {
  const lines = [`${disposition(part.name)}; filename="${part.name}"`, `Content-Type: ${part.contentType}`];
  if (part.encoding !== undefined) lines.push(`Content-Encoding: ${part.encoding}`);
  return lines.join('\r\n');
}

const disposition = (name: string) => `Content-Disposition: form-data; name="${name}"`;

/** Sends only the announced length of a file that grows meanwhile; a file that shrinks aborts the request. */
async function* contentOf(part: SizedPart, stdin: Readable): AsyncGenerator<Buffer> {
  if (part.path === '-') yield* stdin;
  else if (part.sizeBytes === undefined) yield* createReadStream(part.path, { highWaterMark: CHUNK_BYTES });
  else if (part.sizeBytes > 0)
    yield* createReadStream(part.path, { highWaterMark: CHUNK_BYTES, end: part.sizeBytes - 1 });
}
