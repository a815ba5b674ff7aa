import type { LogStatus } from '@tessera/storage-manager';
import { logGauges } from './node-gauges.ts';
import { ServedMetrics } from './served-metrics.ts';

/** The metrics of a metadata service: those of a node about the log and the object store. */
export class MetadataMetrics extends ServedMetrics {
  observe(log: () => LogStatus): void {
    logGauges(this.set, log);
  }
}
