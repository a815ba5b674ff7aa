import type { LogStatus } from '@tessera/storage-manager';
import { logGauges } from './node-gauges.ts';
import { ServedMetrics } from './served-metrics.ts';

/** Of a metadata service: what a node tells of the log and of the object store. */
export class MetadataMetrics extends ServedMetrics {
  observe(log: () => LogStatus): void {
    logGauges(this.set, log);
  }
}
