import type { IncomingMessage } from 'node:http';
import type { Authenticator, ClientAddress, IssuedToken } from '@tessera/auth';
import { type Logger, reportableError, TesseraError } from '@tessera/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { drainUnread } from '../request/drain-request.ts';
import { OAuthError } from './oauth-error.ts';
import { readTokenRequest, type TokenRequest } from './token-request.ts';

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
async function readForm(request: IncomingMessage): Promise<ReadonlyMap<string, string>> {
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
    if (seen.has(name)) throw invalid(`a parameter is specified twice`);
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
