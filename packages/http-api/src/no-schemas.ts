import type { FastifyServerOptions } from 'fastify';

const refuse = (): never => {
  throw new Error('routes of this server have no schemas');
};

/** Keeps the framework from loading its validator and serializer of JSON schemas. */
export const NO_SCHEMAS: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: refuse, buildSerializer: refuse },
};
