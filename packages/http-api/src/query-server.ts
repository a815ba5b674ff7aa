import { asQueryId, type Logger, TesseraError } from '@tessera/common';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { refuseForeignPages } from './request/browser-guard.ts';
import { drainRequest } from './request/drain-request.ts';
import { errorBody } from './results/error-body.ts';
import { discoveryDocument, listenerUrl } from './routes/discovery.ts';
import { registerHealth } from './routes/health.ts';
import { answerQuery, type QueryRouteOptions } from './routes/query.ts';

export interface QueryServerOptions extends QueryRouteOptions {
  readonly instanceId: string;
  /** Whether the listener can be reached from this machine only. */
  readonly loopbackOnly: boolean;
  /** The page for browsers at `GET /`. */
  readonly consolePage: { readonly html: string; readonly headers: Readonly<Record<string, string>> };
}

/** `query_parameters` may carry long values in the query string. */
const MAX_HEADER_BYTES = 1 << 20;
const HEADERS_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 75_000;

/** The query API, to be put on a TCP port or a Unix socket. */
export function createQueryServer(options: QueryServerOptions): FastifyInstance {
  const app = Fastify({
    http: { maxHeaderSize: MAX_HEADER_BYTES },
    // An upload may take hours; the time between two bytes is what has a limit, where the body is read.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 1000 },
    exposeHeadRoutes: false,
  });
  app.server.headersTimeout = HEADERS_TIMEOUT_MS;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));

  app.addHook('onRequest', async (request) => refuseForeignPages(request.raw, options));
  registerHealth(app, () => options.coordinator.ready);
  app.get('/ping', (_request, reply) =>
    options.coordinator.ready ? reply.send('Ok.\n') : reply.code(503).send('Not ready.\n'),
  );
  app.get('/', (_request, reply) =>
    reply
      .headers(options.consolePage.headers)
      .type('text/html; charset=utf-8')
      .send(options.consolePage.html),
  );
  app.get('/.well-known/firebolt', (request) => discoveryDocument(request.raw, options.instanceId));
  app.get('/web/v3/account/:account/engineUrl', (request) => ({ engineUrl: listenerUrl(request.raw) }));
  app.post<{ Querystring: { query_id?: string } }>('/cancel', (request, reply) =>
    cancel(request.query.query_id, options, reply),
  );
  app.post('/oauth/token', (_request, reply) =>
    sendFailure(
      reply,
      TesseraError.of('INVALID_ARGUMENT', { message: 'Authentication is disabled: no token is needed' }),
    ),
  );
  app.post('/*', async (request, reply) => {
    reply.hijack();
    await answerQuery(request.raw, reply.raw, options);
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

async function cancel(
  id: string | undefined,
  options: QueryServerOptions,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (id === undefined || id === '') {
    return sendFailure(reply, TesseraError.of('INVALID_ARGUMENT', { message: 'query_id is missing' }));
  }
  if (!(await options.coordinator.cancelAnywhere(asQueryId(id), 'POST /cancel by a user'))) {
    return sendFailure(reply, TesseraError.of('QUERY_NOT_FOUND', { queryId: id }));
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
  drainRequest(reply.request.raw);
  return reply.code(status).type('application/json; charset=utf-8').send(errorBody(error, undefined));
}
