export type { Certificate } from './connection/tls.ts';
export {
  createPostgresServer,
  type PostgresLimits,
  type PostgresServer,
  type PostgresServerOptions,
} from './postgres-server.ts';
export type { PostgresMetrics } from './statements/postgres-metrics.ts';
