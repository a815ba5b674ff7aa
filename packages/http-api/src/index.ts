export { HttpMetrics, type MetricsSources } from './metrics.ts';
export { createHealthServer, createMetricsServer } from './operations-servers.ts';
export { createQueryServer, type QueryServerOptions } from './query-server.ts';
export { clearUploadDirectories, DEFAULT_UPLOAD_LIMITS, type UploadLimits } from './upload/index.ts';
