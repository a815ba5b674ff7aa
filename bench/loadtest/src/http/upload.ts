import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { pause } from '@tessera/common';
import { bearer } from './connection.ts';

const BOUNDARY = 'loadtest-7d3f1c';
const READ_BYTES = 1024 * 1024;

/** A local file as the part `data`. */
export interface UploadPart {
  readonly path: string;
  readonly contentEncoding?: 'gzip' | 'zstd';
}

export interface UploadOptions {
  /** Sends the file evenly over at least this time, instead of as fast as the server reads. */
  readonly spreadOverMs?: number;
  readonly token?: string | undefined;
  /** Called when the last byte has been handed to the connection. */
  onSent?(): void;
}

export interface UploadAnswer {
  readonly milliseconds: number;
  readonly text: string;
}

/** Posts a statement with one file, streaming. @throws if the status is not 200 */
export async function upload(
  url: string,
  sql: string,
  part: UploadPart,
  options: UploadOptions = {},
): Promise<UploadAnswer> {
  const start = performance.now();
  const { size } = await stat(part.path);
  const head = Buffer.from(`${sqlPart(sql)}${filePartHeader(part)}`);
  const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
  const headers = {
    ...bearer(options.token),
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': head.length + size + tail.length,
  };
  const post = request(url, { method: 'POST', headers, agent: false });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    post.once('response', resolve);
    post.once('error', reject);
  });
  const sent = pipeline(
    Readable.from(body(head, part.path, size, tail, options), {
      objectMode: false,
      highWaterMark: READ_BYTES,
    }),
    post,
  );
  const handedOver = sent.then(() => options.onSent?.());
  // A server that refuses may close the connection before it has read everything; its answer gives the
  // reason.
  handedOver.catch(() => {});
  const answer = await response;
  const answerText = await text(answer);
  if (answer.statusCode !== 200) {
    post.destroy();
    throw new Error(`HTTP ${answer.statusCode}: ${answerText}`);
  }
  await handedOver;
  return { milliseconds: performance.now() - start, text: answerText };
}

async function* body(head: Buffer, path: string, size: number, tail: Buffer, options: UploadOptions) {
  yield head;
  const start = performance.now();
  let sent = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) {
    yield chunk as Buffer;
    sent += (chunk as Buffer).length;
    const due = start + ((options.spreadOverMs ?? 0) * sent) / size;
    if (due > performance.now()) await pause(due - performance.now());
  }
  yield tail;
}

const sqlPart = (sql: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="sql"\r\n\r\n${sql}\r\n`;

function filePartHeader({ contentEncoding }: UploadPart): string {
  const encoding = contentEncoding === undefined ? '' : `Content-Encoding: ${contentEncoding}\r\n`;
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="data"; filename="data"\r\n${encoding}\r\n`;
}
