import type { IncomingMessage } from 'node:http';
import { TesseraError } from '@tessera/common';

/** The syntax of RFC 6750, section 2.1; the scheme's name in any case, as everywhere in HTTP. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** What a request shows of itself: a token, nothing, or something that is no token. */
export type ShownToken =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed' };

/**
 * The token of a request's `Authorization` header, the only place where one is looked for: URLs end in logs.
 * @throws TesseraError BAD_REQUEST for a header that is there twice, of which a proxy may have checked the other
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

/** The `WWW-Authenticate` of answers to requests without a token (RFC 6750, section 3: no error code then). */
export const CHALLENGE = REALM;
export const INVALID_TOKEN = `${REALM}, error="invalid_token", error_description="The access token is not valid"`;
export const INVALID_REQUEST = `${REALM}, error="invalid_request", error_description="More than one Authorization header"`;
