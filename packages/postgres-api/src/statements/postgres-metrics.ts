/** Counters of PostgreSQL connections. */
export interface PostgresMetrics {
  /**
   * Called when a statement begins. The returned function is called when it ends, with `ok` or the name of
   * its error.
   */
  startQuery(): (outcome: string) => void;
}
