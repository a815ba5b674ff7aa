import type { IncomingMessage } from 'node:http';
import { type Authenticator, DISABLED_USER } from '@tessera/auth';
import { type Logger, TesseraError } from '@tessera/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress } from './client-address.ts';

/** The syntax of RFC 6750, section 2.1. The name of the scheme is case-insensitive, as everywhere in HTTP. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** The credentials in a request: a token, nothing, or a malformed header. */
type ShownToken =
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
const CHALLENGE = REALM;
const INVALID_TOKEN = `${REALM}, error="invalid_token", error_description="The access token is not valid"`;
const INVALID_REQUEST = `${REALM}, error="invalid_request", error_description="More than one Authorization header"`;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route needs no token. Routes require one unless they set this. */
    open?: boolean;
  }
  interface FastifyRequest {
    /** The authenticated user; on open routes, the user is not authenticated. */
    user: string;
    /** Undefined if authentication is off. */
    userId: string | undefined;
  }
}

/** The options of a route that needs no token. */
export const OPEN = { config: { open: true } } as const;

interface Door {
  readonly authenticator: Authenticator;
  readonly listener: 'tcp' | 'unix';
  readonly log: Logger;
}

/**
 * Sets `request.user` and its id from the request's head alone: the body of an unauthenticated request is
 * never read.
 * @throws TesseraError UNAUTHENTICATED, with the challenge set in the reply
 */
export async function identifyUser(request: FastifyRequest, reply: FastifyReply, door: Door): Promise<void> {
  if (request.routeOptions.config.open === true) return;
  const { authenticator, listener, log } = door;
  if (authenticator.mode === 'disabled') {
    request.user = DISABLED_USER;
    return;
  }
  // Answers depend on the user, so proxies must not serve one user's answer to another.
  reply.header('Vary', 'Authorization');
  const token = requiredToken(request, reply);
  try {
    const { name, id } = await authenticator.token(token, clientAddress(request.raw, listener));
    request.user = name;
    request.userId = id;
  } catch (error) {
    if (!(error instanceof TesseraError) || error.name !== 'UNAUTHENTICATED') throw error;
    log.debug({ path: pathOf(request.url), reason: error.message }, 'token refused');
    reply.header('WWW-Authenticate', INVALID_TOKEN);
    throw error;
  }
}

/** The token of the request. Without a valid one, the reply carries the matching challenge. */
function requiredToken(request: FastifyRequest, reply: FastifyReply): string {
  const shown = readToken(request, reply);
  if (shown.kind === 'token') return shown.token;
  reply.header('WWW-Authenticate', shown.kind === 'none' ? CHALLENGE : INVALID_TOKEN);
  throw TesseraError.of('UNAUTHENTICATED', {
    message:
      shown.kind === 'none'
        ? 'This engine asks for an access token: send it as `Authorization: Bearer <token>`'
        : 'The Authorization header holds no access token: `Bearer <token>` was expected',
  });
}

function readToken(request: FastifyRequest, reply: FastifyReply): ReturnType<typeof shownToken> {
  try {
    return shownToken(request.raw);
  } catch (error) {
    reply.header('WWW-Authenticate', INVALID_REQUEST);
    throw error;
  }
}

/** The path without the query string, which may contain values of a statement. */
const pathOf = (url: string): string => url.split('?', 1)[0]!;
