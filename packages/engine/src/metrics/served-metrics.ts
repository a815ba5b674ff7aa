import { collectDefaultMetrics } from 'prom-client';
import { countEvents } from './counted-events.ts';
import { MetricSet } from './metric-set.ts';

/** What `GET /metrics` of a process tells: itself, and what its packages tell of as they do it, from its making on. */
export class ServedMetrics {
  protected readonly set = new MetricSet();
  readonly #ends = countEvents(this.set);

  constructor() {
    collectDefaultMetrics({ register: this.set.registry });
  }

  get contentType(): string {
    return this.set.registry.contentType;
  }

  /** Prometheus' text format. */
  text(): Promise<string> {
    return this.set.registry.metrics();
  }

  close(): void {
    for (const end of this.#ends) end();
  }
}
