import Fastify, { type FastifyInstance } from 'fastify';
import type { MetricsText } from './metrics.ts';
import { NO_SCHEMAS } from './no-schemas.ts';
import { answerMalformed, MAX_HEAD_BYTES } from './request/malformed-request.ts';
import { registerHealth } from './routes/health.ts';

const OPTIONS = {
  forceCloseConnections: true,
  schemaController: NO_SCHEMAS,
  clientErrorHandler: answerMalformed,
  http: { maxHeaderSize: MAX_HEAD_BYTES },
};

/** The listener for the health probes of orchestrators. */
export function createHealthServer(ready: () => boolean): FastifyInstance {
  const app = Fastify(OPTIONS);
  registerHealth(app, ready);
  return app;
}

/** The listener for Prometheus. */
export function createMetricsServer(metrics: MetricsText): FastifyInstance {
  const app = Fastify(OPTIONS);
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
  return app;
}
