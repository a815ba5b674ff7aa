import type { Authenticator } from '@tessera/auth';
import { asQueryId, type Logger, TesseraError } from '@tessera/common';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { clientAddress } from './authentication/client-address.ts';
import { identifyUser, OPEN } from './authentication/request-user.ts';
import { NO_SCHEMAS } from './no-schemas.ts';
import { answerTokenRequest } from './oauth/token-endpoint.ts';
import { continueRequest, holdsBodyBack, queryListener, type TlsKeyPair } from './query-listener.ts';
import { refuseForeignPages } from './request/browser-guard.ts';
import { drainRequest, drainUnread } from './request/drain-request.ts';
import { answerMalformed, checkHead } from './request/malformed-request.ts';
import { errorBody } from './results/error-body.ts';
import { answerConsole, type ConsoleFiles } from './routes/console.ts';
import { discoveryDocument, type Instance, listenerUrl } from './routes/discovery.ts';
import { registerHealth } from './routes/health.ts';
import { answerQuery, type QueryRouteOptions } from './routes/query.ts';

export interface QueryServerOptions extends QueryRouteOptions {
  readonly authenticator: Authenticator;
  readonly instance: Instance;
  readonly listener: 'tcp' | 'unix';
  /** If present, the listener speaks TLS. */
  readonly tls?: TlsKeyPair | undefined;
  /** Whether the listener can be reached from this machine only. */
  readonly loopbackOnly: boolean;
  /** The files of the web console: the page at `GET /`, and what it loads from `/console/`. */
  readonly consoleFiles: ConsoleFiles;
}

/** The query API, which listens on a TCP port or a Unix socket. */
export function createQueryServer(options: QueryServerOptions): FastifyInstance {
  const app = Fastify({
    schemaController: NO_SCHEMAS,
    serverFactory: (handler) => queryListener(handler, options.tls),
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 1000 },
    exposeHeadRoutes: false,
    clientErrorHandler: answerMalformed,
    frameworkErrors: (error, _request, reply) => onError(error, reply, options.log),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));

  app.decorateRequest('user', '');
  app.decorateRequest('userId', undefined);
  // With authentication, a page that points its own host name at this address has no token; and a proxy with
  // another host name may stand in front.
  const named = { loopbackOnly: options.loopbackOnly && options.authenticator.mode === 'disabled' };
  // One hook takes less time than several.
  app.addHook('onRequest', async (request, reply) => {
    checkHead(request.raw);
    refuseForeignPages(request.raw, named);
    await identifyUser(request, reply, options);
    continueRequest(reply.raw);
  });
  registerHealth(app, () => options.coordinator.ready);
  app.get('/ping', OPEN, (_request, reply) =>
    options.coordinator.ready ? reply.send('Ok.\n') : reply.code(503).send('Not ready.\n'),
  );
  for (const path of ['/', '/console/*'])
    app.get(path, OPEN, (request, reply) => answerConsole(request, reply, options.consoleFiles));
  app.get('/.well-known/firebolt', OPEN, (request) => discoveryDocument(request.raw, options.instance));
  app.get('/web/v3/account/:account/engineUrl', (request) => ({ engineUrl: listenerUrl(request.raw) }));
  app.post<{ Querystring: { query_id?: string } }>('/cancel', (request, reply) =>
    cancel(request.query.query_id, request.user, options, reply),
  );
  registerTokenRoutes(app, options);
  app.post('/*', async (request, reply) => {
    reply.hijack();
    // The framework only sets the headers of hooks on its own answers; this answer is written directly.
    for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value!);
    await answerQuery(request.raw, reply.raw, request, options);
  });
  app.setNotFoundHandler((request, reply) =>
    sendFailure(
      reply,
      TesseraError.of('BAD_REQUEST', {
        message: `${request.method} ${request.url.split('?')[0]} is not served here: send queries by POST`,
      }),
      404,
    ),
  );
  app.setErrorHandler((error: Error, _request, reply) => onError(error, reply, options.log));
  return app;
}

function registerTokenRoutes(app: FastifyInstance, options: QueryServerOptions): void {
  const { authenticator, listener, log } = options;
  const { audience } = options.instance;
  app.post('/oauth/token', OPEN, (request, reply) =>
    answerTokenRequest(request, reply, clientAddress(request.raw, listener), {
      authenticator,
      audience,
      log,
    }),
  );
  app.get('/oauth/jwks', OPEN, (_request, reply) => {
    if (authenticator.jwks !== undefined) return reply.send(authenticator.jwks);
    const message = 'This engine issues no tokens, so it has no keys to check them by';
    return sendFailure(reply, TesseraError.of('BAD_REQUEST', { message }), 404);
  });
}

async function cancel(
  id: string | undefined,
  user: string,
  options: QueryServerOptions,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (id === undefined || id === '') {
    return sendFailure(reply, TesseraError.of('INVALID_ARGUMENT', { message: 'query_id is missing' }));
  }
  const queryId = asQueryId(id);
  if (!(await options.coordinator.cancelAnywhere(queryId, 'POST /cancel by a user', user))) {
    return sendFailure(reply, TesseraError.of('QUERY_NOT_FOUND', { queryId }));
  }
  return reply.send({ query_id: id, cancelled: true });
}

function onError(error: Error & { statusCode?: number }, reply: FastifyReply, log: Logger): FastifyReply {
  if (error instanceof TesseraError) return sendFailure(reply, error);
  const status = error.statusCode ?? 500;
  if (status >= 500) log.error({ err: error }, 'request failed');
  return sendFailure(reply, TesseraError.of('BAD_REQUEST', { message: error.message }), status);
}

function sendFailure(reply: FastifyReply, error: TesseraError, status = error.httpStatus): FastifyReply {
  // If a body was announced but not sent, the next request could not be separated from it.
  if (holdsBodyBack(reply.raw)) reply.header('Connection', 'close');
  if (status === 401) drainUnread(reply.request.raw);
  else drainRequest(reply.request.raw);
  return reply.code(status).type('application/json; charset=utf-8').send(errorBody(error, undefined));
}
