import type { IncomingMessage } from 'node:http';
import { TesseraError } from '@tessera/common';

const LOOPBACK_NAMES = /^(localhost|[^.]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Keeps web pages of other origins from using a visitor's browser to reach an engine without authentication:
 * a page may post to any address, and may resolve its own host name to 127.0.0.1. Programs send neither a
 * foreign origin nor, on a loopback listener, a foreign host.
 * @throws TesseraError FORBIDDEN
 */
export function refuseForeignPages(
  request: IncomingMessage,
  options: { readonly loopbackOnly: boolean },
): void {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw TesseraError.of('FORBIDDEN', {
      message: 'A web page of another origin may not send queries to this engine',
    });
  }
  const { host } = request.headers;
  if (options.loopbackOnly && host !== undefined && host !== '' && !LOOPBACK_NAMES.test(host)) {
    throw TesseraError.of('FORBIDDEN', {
      message: `This engine listens on loopback only and does not answer to the name ${host}`,
    });
  }
}
