/** What of the connections is counted. */
export interface PostgresMetrics {
  /** Called when a statement begins; what it answers is called when it has ended, with `ok` or the name of its error. */
  startQuery(): (outcome: string) => void;
}
