import type { IncomingMessage } from 'node:http';
import { OAuthError } from './oauth-error.ts';

/** The body holds names, passwords and addresses, which need far less than this. */
const MAX_BYTES = 16 * 1024;
/**
 * The limit for receiving the whole body: an unauthenticated client must not hold the connection by sending
 * slowly.
 */
const WITHIN_MS = 10_000;

/**
 * The parameters of an `application/x-www-form-urlencoded` body; one without a value counts as absent (RFC 6749, section 3.2).
 * @throws OAuthError invalid_request
 */
export async function readForm(request: IncomingMessage): Promise<ReadonlyMap<string, string>> {
  const type = /^[^;]*/
    .exec(request.headers['content-type'] ?? '')?.[0]
    .trim()
    .toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw invalid('Content-Type must be application/x-www-form-urlencoded');
  if (request.headers['content-encoding'] !== undefined) throw invalid('the body may not be encoded');
  const form = new Map<string, string>();
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(await readText(request))) {
    if (seen.has(name)) throw invalid(`a parameter is given twice`);
    seen.add(name);
    if (value !== '') form.set(name, value);
  }
  return form;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const late = setTimeout(() => request.destroy(invalid('the body took too long')), WITHIN_MS);
  try {
    // The request stays open, so that the client can read the error.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.byteLength;
      if (length > MAX_BYTES) throw new OAuthError('invalid_request', 'the body is too long', 413);
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(late);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const invalid = (description: string) => new OAuthError('invalid_request', description);
