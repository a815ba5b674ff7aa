/** The part of an HTTP response that decides whether and where to follow it. */
export interface RedirectableResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: { on(event: 'error', listener: () => void): { destroy(): unknown } };
}

/** A chain of redirects that did not end with status 200. */
export class RedirectFailure extends Error {
  /** The URL that was refused; for too many redirects, the first one. */
  readonly url: URL;
  /** The status of the refusal; undefined if a redirect itself is invalid or forbidden. */
  readonly status: number | undefined;

  constructor(url: URL, reason: string, status?: number) {
    super(reason);
    this.url = url;
    this.status = status;
  }
}

const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Sends a request and follows its redirects to other http(s) URLs.
 * @param redirects the maximum number of redirects
 * @param send requests one URL, and rejects if it must not be requested
 * @returns the response with status 200
 * @throws RedirectFailure, and what `send` throws
 */
export async function followRedirects<R extends RedirectableResponse>(
  first: URL,
  redirects: number,
  send: (url: URL, previous: URL | undefined) => Promise<R>,
): Promise<R> {
  let [url, previous]: [URL, URL | undefined] = [first, undefined];
  for (let followed = 0; followed <= redirects; followed++) {
    const response = await send(url, previous);
    if (response.statusCode === 200) return response;
    // The body may be endless: the connection is closed instead of reading it to the end.
    response.body.on('error', () => {}).destroy();
    const { location } = response.headers;
    if (!REDIRECTS.includes(response.statusCode) || typeof location !== 'string')
      throw new RedirectFailure(url, `the server answered ${response.statusCode}`, response.statusCode);
    const target = URL.parse(location, url.href);
    if (target === null || !/^https?:$/.test(target.protocol))
      throw new RedirectFailure(url, 'it redirects to something that is not an http(s):// URL');
    [url, previous] = [target, url];
  }
  throw new RedirectFailure(first, `more than ${redirects} redirects`);
}

const CONNECTION_FAILURES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host name does not resolve',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  UND_ERR_CONNECT_TIMEOUT: 'the server could not be reached in time',
  UND_ERR_HEADERS_TIMEOUT: 'the server was silent for too long',
  UND_ERR_BODY_TIMEOUT: 'the server was silent for too long',
  UND_ERR_SOCKET: 'the connection broke off',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the body is shorter or longer than its Content-Length',
};

/** Describes in words why a request of undici failed; an unknown failure by its code or message. */
export function connectionFailure(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return CONNECTION_FAILURES[code ?? ''] ?? code ?? message;
}
