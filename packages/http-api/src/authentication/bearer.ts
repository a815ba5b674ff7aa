import type { IncomingMessage } from 'node:http';
import { TesseraError } from '@tessera/common';

/** The syntax of RFC 6750, section 2.1. The name of the scheme is case-insensitive, as everywhere in HTTP. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** The credentials in a request: a token, nothing, or a malformed header. */
export type ShownToken =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed' };

/**
 * The token in a request's `Authorization` header. It is the only place where a token is accepted, because
 * URLs end up in logs.
 * @throws TesseraError BAD_REQUEST if the header occurs twice, since a proxy may have checked the other one
 */
export function shownToken({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): ShownToken {
  const [header, ...more] = headersDistinct.authorization ?? [];
  if (more.length > 0) {
    throw TesseraError.of('BAD_REQUEST', { message: 'The request has more than one Authorization header' });
  }
  if (header === undefined || !/^bearer\b/i.test(header)) return { kind: 'none' };
  const token = BEARER.exec(header)?.[1];
  return token === undefined ? { kind: 'malformed' } : { kind: 'token', token };
}

const REALM = 'Bearer realm="tessera"';

/**
 * The `WWW-Authenticate` header of answers to requests without a token (RFC 6750, section 3: without an error
 * code in that case).
 */
export const CHALLENGE = REALM;
export const INVALID_TOKEN = `${REALM}, error="invalid_token", error_description="The access token is not valid"`;
export const INVALID_REQUEST = `${REALM}, error="invalid_request", error_description="More than one Authorization header"`;
