import type { FastifyInstance } from 'fastify';
import { OPEN } from '../authentication/request-user.ts';

/** `GET /health/live` and `/health/ready`: 200 or 503, never authenticated. */
export function registerHealth(app: FastifyInstance, ready: () => boolean): void {
  app.get('/health/live', OPEN, (_request, reply) => reply.send({ status: 'live' }));
  app.get('/health/ready', OPEN, (_request, reply) =>
    ready() ? reply.send({ status: 'ready' }) : reply.code(503).send({ status: 'not ready' }),
  );
}
