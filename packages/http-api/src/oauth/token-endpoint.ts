import type { Authenticator, ClientAddress, IssuedToken } from '@tessera/auth';
import { type Logger, reportableError, TesseraError } from '@tessera/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { drainUnread } from '../request/drain-request.ts';
import { readForm } from './form-body.ts';
import { OAuthError } from './oauth-error.ts';
import { readTokenRequest, type TokenRequest } from './token-request.ts';

interface TokenEndpoint {
  readonly authenticator: Authenticator;
  /** The `aud` claim of the tokens issued here. */
  readonly audience: string;
  readonly log: Logger;
}

/**
 * `POST /oauth/token`: issues a token in exchange for a password. Its errors have the format of RFC 6749,
 * section 5.2, not the API's.
 */
export async function answerTokenRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  from: ClientAddress,
  endpoint: TokenEndpoint,
): Promise<FastifyReply> {
  reply.headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' }).type('application/json');
  try {
    const { accessToken, expiresInSeconds } = await issue(request, from, endpoint);
    // One client library decodes strictly and accepts exactly these three members.
    return reply.send({ access_token: accessToken, token_type: 'Bearer', expires_in: expiresInSeconds });
  } catch (error) {
    const failure = error instanceof OAuthError ? error : internal(error, endpoint.log);
    if (failure.httpStatus === 401)
      reply.header('WWW-Authenticate', 'Basic realm="tessera", charset="UTF-8"');
    if (failure.httpStatus === 429 || failure.httpStatus === 503) reply.header('Retry-After', 1);
    drainUnread(request.raw);
    return reply.code(failure.httpStatus).send(failure.toJSON());
  }
}

async function issue(
  { raw }: FastifyRequest,
  from: ClientAddress,
  { authenticator, audience }: TokenEndpoint,
): Promise<IssuedToken> {
  if (authenticator.issue === undefined)
    throw new OAuthError(
      'unsupported_grant_type',
      authenticator.mode === 'oidc'
        ? 'this engine issues no tokens: its OpenID provider does'
        : 'authentication is disabled: no token is needed',
    );
  const wanted = readTokenRequest(await readForm(raw), raw.headers.authorization, audience);
  const user = await authenticated(authenticator, wanted, from);
  return authenticator.issue(user);
}

async function authenticated(authenticator: Authenticator, wanted: TokenRequest, from: ClientAddress) {
  try {
    return await authenticator.password(wanted.name, wanted.password, from);
  } catch (error) {
    if (!(error instanceof TesseraError) || error.name === 'INTERNAL') throw error;
    if (error.name !== 'UNAUTHENTICATED')
      throw new OAuthError('server_error', error.message, error.httpStatus);
    throw new OAuthError(wanted.grant === 'password' ? 'invalid_grant' : 'invalid_client', error.message);
  }
}

const internal = (error: unknown, log: Logger): OAuthError =>
  new OAuthError('server_error', reportableError(error, log).message, 500);
