import type { UploadedFile } from '@tessera/coordinator';

/** Counters of HTTP requests. */
export interface HttpMetrics {
  /**
   * Called when a query begins. The returned function is called when it ends, with `ok` or the name of its
   * error.
   */
  startQuery(): (outcome: string) => void;
  received(uploads: ReadonlyMap<string, UploadedFile>): void;
  /** Counts the bytes of a result's body. */
  sent(bytes: number): void;
}

/** The source of the answer to `GET /metrics`. */
export interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}
