import type { Authenticator } from '@tessera/auth';
import { authenticationMetrics } from './counted-authenticator.ts';
import { type EndpointMetrics, endpointMetrics } from './endpoint-metrics.ts';
import { type MetricsSources, nodeGauges } from './node-gauges.ts';
import { ServedMetrics } from './served-metrics.ts';

/** The metrics of a node. Gauges of the node's state exist once it `observes`. */
export class NodeMetrics extends ServedMetrics {
  readonly endpoints: EndpointMetrics = endpointMetrics(this.set);
  /** Wraps an authenticator so that it is counted. */
  readonly counted: (authenticator: Authenticator) => Authenticator = authenticationMetrics(this.set);

  observe(sources: MetricsSources): void {
    nodeGauges(this.set, sources);
  }

  /** The name, type and help text of every metric. */
  get definitions(): readonly MetricDefinition[] {
    return this.set.registry.getMetricsAsArray() as unknown as readonly MetricDefinition[];
  }
}

export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames?: readonly string[];
}
