export { endConnections } from './connection-endings.ts';
export type { HttpMetrics } from './metrics.ts';
export { createHealthServer, createMetricsServer } from './operations-servers.ts';
export type { TlsKeyPair } from './query-listener.ts';
export { createQueryServer, type QueryServerOptions } from './query-server.ts';
export type { Instance, TokenSource } from './routes/discovery.ts';
export { DEFAULT_UPLOAD_LIMITS, type UploadLimits } from './upload/index.ts';
