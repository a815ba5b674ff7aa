import type { UploadedFile } from '@tessera/coordinator';

/** What of the requests is counted. */
export interface HttpMetrics {
  /** Called when a query begins; what it answers is called when it has ended, with `ok` or the name of its error. */
  startQuery(): (outcome: string) => void;
  received(uploads: ReadonlyMap<string, UploadedFile>): void;
  /** Bytes of a result's body. */
  sent(bytes: number): void;
}

/** What `GET /metrics` answers. */
export interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}
