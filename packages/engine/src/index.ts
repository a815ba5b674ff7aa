/** What scripts use of the program: the pages that are written from it. */
export { type MetricDefinition, NodeMetrics } from './metrics/node-metrics.ts';
