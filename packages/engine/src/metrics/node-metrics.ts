import type { Authenticator } from '@tessera/auth';
import { authenticationMetrics } from './counted-authenticator.ts';
import { type EndpointMetrics, endpointMetrics } from './endpoint-metrics.ts';
import { type MetricsSources, nodeGauges } from './node-gauges.ts';
import { ServedMetrics } from './served-metrics.ts';

/** Of a node. What is asked of the node itself is asked once it `observes`. */
export class NodeMetrics extends ServedMetrics {
  readonly endpoints: EndpointMetrics = endpointMetrics(this.set);
  /** The same authenticator, counted. */
  readonly counted: (authenticator: Authenticator) => Authenticator = authenticationMetrics(this.set);

  observe(sources: MetricsSources): void {
    nodeGauges(this.set, sources);
  }

  /** Name, type and meaning of every metric. */
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
