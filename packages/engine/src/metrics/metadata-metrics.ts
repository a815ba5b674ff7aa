import type { LogStatus } from '@tessera/storage-manager';
import { collectDefaultMetrics } from 'prom-client';
import { countEvents } from './counted-events.ts';
import { MetricSet } from './metric-set.ts';
import { logGauges } from './node-gauges.ts';

/** What `GET /metrics` of a metadata service tells: what a node tells of the log and of the object store. */
export class MetadataMetrics {
  readonly #set = new MetricSet();
  readonly #ends = countEvents(this.#set);

  constructor() {
    collectDefaultMetrics({ register: this.#set.registry });
  }

  observe(log: () => LogStatus): void {
    logGauges(this.#set, log);
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
