import { pause } from '@tessera/common';
import type { BodyInFlight, BucketClient, ReadRequest } from './bucket-client.ts';

/** The vendors' clients repeat requests, but not for a body that breaks off. */
const BODY_TRIES = 5;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

export interface WholeBody {
  readonly etag: string;
  /** The offset of the body within the object. */
  readonly offset: number;
  readonly body: Uint8Array;
}

/** Reads an object or a range of it until a body arrives that is as long as its answer promised. */
export async function readBody(
  client: BucketClient,
  key: string,
  request: ReadRequest,
): Promise<WholeBody | undefined> {
  const { signal } = request;
  for (let attempt = 1; ; attempt++) {
    const found = await client.read(key, request);
    if (found === undefined) return undefined;
    const body = await collect(found).catch((error: Error) => error);
    if (!(body instanceof Error)) return { etag: found.etag, offset: found.offset, body };
    if (attempt === BODY_TRIES) throw body;
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS) * Math.random();
    await pause(waitMs, { signal });
  }
}

async function collect({ stream, bytes }: BodyInFlight): Promise<Uint8Array> {
  if (bytes === undefined) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
  const body = Buffer.allocUnsafeSlow(bytes);
  let filled = 0;
  for await (const chunk of stream) {
    if (filled + chunk.length > bytes) throw new Error(`the body is longer than the ${bytes} bytes promised`);
    body.set(chunk, filled);
    filled += chunk.length;
  }
  if (filled < bytes) throw new Error(`the body broke off after ${filled} of ${bytes} bytes`);
  return body;
}
