import { collectDefaultMetrics } from 'prom-client';
import { countEvents } from './counted-events.ts';
import { MetricSet } from './metric-set.ts';

/**
 * The metrics that `GET /metrics` of a process returns: process metrics, and events of its packages from
 * construction on.
 */
export class ServedMetrics {
  protected readonly set = new MetricSet();
  readonly #ends = countEvents(this.set);

  /** @param engineId `engine.id`, the label `engine` of every sample. */
  constructor(engineId: string) {
    this.set.registry.setDefaultLabels({ engine: engineId });
    collectDefaultMetrics({ register: this.set.registry });
  }

  get contentType(): string {
    return this.set.registry.contentType;
  }

  /** The metrics in Prometheus' text format. */
  text(): Promise<string> {
    return this.set.registry.metrics();
  }

  close(): void {
    for (const end of this.#ends) end();
  }
}
