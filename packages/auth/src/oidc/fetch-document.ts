import { timeoutSignal } from '@tessera/common';
import { type Dispatcher, request } from 'undici';

export interface FetchLimits {
  readonly connectTimeoutMs: number;
  /** The whole answer, redirects included. */
  readonly totalTimeoutMs: number;
  readonly maxBytes: number;
  readonly redirects: number;
}

export const FETCH_LIMITS: FetchLimits = {
  connectTimeoutMs: 5_000,
  totalTimeoutMs: 10_000,
  maxBytes: 1 << 20,
  redirects: 3,
};

export type JsonObject = Readonly<Record<string, unknown>>;

/** The provider's response is invalid or missing. The message is meant for the log. */
export class ProviderError extends Error {}

/**
 * The JSON object at the URL. Never leaves https for http on a redirect.
 * @throws ProviderError
 */
export async function fetchDocument(
  url: URL,
  o: { readonly agent: Dispatcher; readonly limits: FetchLimits; readonly signal: AbortSignal },
): Promise<JsonObject> {
  const deadline = timeoutSignal(o.limits.totalTimeoutMs);
  const signal = AbortSignal.any([o.signal, deadline]);
  try {
    const response = await follow(url, signal, o);
    return parseObject(await readAll(response, o.limits.maxBytes));
  } catch (error) {
    const reason = deadline.aborted
      ? `no answer within ${o.limits.totalTimeoutMs / 1000} s`
      : error instanceof ProviderError
        ? error.message
        : reasonOf(error);
    throw new ProviderError(`${url.origin}${url.pathname}: ${reason}`, { cause: error });
  }
}

async function follow(
  first: URL,
  signal: AbortSignal,
  o: { readonly agent: Dispatcher; readonly limits: FetchLimits },
): Promise<Dispatcher.ResponseData> {
  let url = first;
  for (let redirects = 0; redirects <= o.limits.redirects; redirects++) {
    const response = await request(url, {
      dispatcher: o.agent,
      signal,
      headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'tessera' },
    });
    if (response.statusCode === 200) return response;
    // It may be endless: the connection is given up rather than read to the end.
    response.body.on('error', () => {}).destroy();
    const { location } = response.headers;
    if (![301, 302, 303, 307, 308].includes(response.statusCode) || typeof location !== 'string') {
      throw new ProviderError(`the server answered ${response.statusCode}`);
    }
    url = redirected(url, location);
  }
  throw new ProviderError(`more than ${o.limits.redirects} redirects`);
}

function redirected(from: URL, location: string): URL {
  const to = URL.parse(location, from.href);
  if (to === null || !/^https?:$/.test(to.protocol)) {
    throw new ProviderError('it redirects to something that is not an http(s):// URL');
  }
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new ProviderError('it redirects from https to http');
  }
  return to;
}

async function readAll(response: Dispatcher.ResponseData, maxBytes: number): Promise<string> {
  const coding = response.headers['content-encoding'];
  if (coding !== undefined && coding !== 'identity') {
    response.body.on('error', () => {}).destroy();
    throw new ProviderError(`it answers with content coding ${coding}, which was not asked for`);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new ProviderError(`its answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ProviderError('its answer is not JSON', { cause });
  }
  if (!isObject(value)) throw new ProviderError('its answer is not a JSON object');
  return value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    ENOTFOUND: 'its host name does not resolve',
    ECONNREFUSED: 'the connection was refused',
    ECONNRESET: 'the connection was reset',
    UND_ERR_CONNECT_TIMEOUT: 'the server could not be reached in time',
    UND_ERR_SOCKET: 'the connection broke off',
  };
  return reasons[code ?? ''] ?? code ?? message;
}
