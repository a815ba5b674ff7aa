/** The parts of the program that scripts use to generate pages. */
export { type MetricDefinition, NodeMetrics } from './metrics/node-metrics.ts';
