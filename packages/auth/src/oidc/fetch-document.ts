import { connectionFailure, followRedirects, RedirectFailure, timeoutSignal } from '@tessera/common';
import { type Dispatcher, request } from 'undici';

export interface FetchLimits {
  readonly connectTimeoutMs: number;
  /** The time limit of the whole request, including redirects. */
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

/** Fetches the JSON object at the URL. Does not follow redirects from https to http. @throws ProviderError */
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
      : error instanceof ProviderError || error instanceof RedirectFailure
        ? error.message
        : connectionFailure(error);
    throw new ProviderError(`${url.origin}${url.pathname}: ${reason}`, { cause: error });
  }
}

const follow = (
  first: URL,
  signal: AbortSignal,
  o: { readonly agent: Dispatcher; readonly limits: FetchLimits },
): Promise<Dispatcher.ResponseData> =>
  followRedirects(first, o.limits.redirects, (url, previous) => {
    if (previous?.protocol === 'https:' && url.protocol === 'http:')
      throw new ProviderError('it redirects from https to http');
    return request(url, {
      dispatcher: o.agent,
      signal,
      headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'tessera' },
    });
  });

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
