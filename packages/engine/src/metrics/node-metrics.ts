import type { Authenticator } from '@tessera/auth';
import { collectDefaultMetrics } from 'prom-client';
import { authenticationMetrics } from './counted-authenticator.ts';
import { countEvents } from './counted-events.ts';
import { type EndpointMetrics, endpointMetrics } from './endpoint-metrics.ts';
import { MetricSet } from './metric-set.ts';
import { type MetricsSources, nodeGauges } from './node-gauges.ts';

/** What `GET /metrics` of a node tells. It counts from its making on; what it asks the node itself it asks once it `observes`. */
export class NodeMetrics {
  readonly endpoints: EndpointMetrics;
  /** The same authenticator, counted. */
  readonly counted: (authenticator: Authenticator) => Authenticator;
  readonly #set = new MetricSet();
  readonly #ends: readonly (() => void)[];

  constructor() {
    this.endpoints = endpointMetrics(this.#set);
    this.counted = authenticationMetrics(this.#set);
    this.#ends = countEvents(this.#set);
    collectDefaultMetrics({ register: this.#set.registry });
  }

  observe(sources: MetricsSources): void {
    nodeGauges(this.#set, sources);
  }

  /** Name, type and meaning of every metric. */
  get definitions(): readonly MetricDefinition[] {
    return this.#set.registry.getMetricsAsArray() as unknown as readonly MetricDefinition[];
  }

  get contentType(): string {
    return this.#set.registry.contentType;
  }

  /** Prometheus' text format. */
  text(): Promise<string> {
    return this.#set.registry.metrics();
  }

  close(): void {
    for (const end of this.#ends) end();
  }
}

export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames?: readonly string[];
}
