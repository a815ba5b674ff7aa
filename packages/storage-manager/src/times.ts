/** The time limits and intervals of the storage manager, in milliseconds. */
export interface StorageManagerTimes {
  /**
   * A commit whose outcome is unknown after this time fails with METADATA_UNAVAILABLE; a retry with the same
   * id finds the outcome.
   */
  readonly commitTimeoutMs: number;
  readonly readTimeoutMs: number;
  /**
   * The time for a leader to answer a commit. After it, the leader at that moment is asked, which may be this
   * node.
   */
  readonly commitAskMs: number;
  /** The time for a leader to answer a short request. After it, the log in the store is read instead. */
  readonly askTimeoutMs: number;
  readonly garbageTimeoutMs: number;
  readonly pinReportMs: number;
  /** The interval between collections that the leader starts by itself; 0 means none. */
  readonly garbageMs: number;
  /** The interval between tests of the store's conditional writes. */
  readonly probeMs: number;
  /** The time for the running append when the node is closed. */
  readonly closeGraceMs: number;
}

export const STORAGE_MANAGER_TIMES: StorageManagerTimes = {
  commitTimeoutMs: 60_000,
  readTimeoutMs: 30_000,
  commitAskMs: 5_000,
  askTimeoutMs: 2_000,
  garbageTimeoutMs: 600_000,
  pinReportMs: 10_000,
  garbageMs: 3_600_000,
  probeMs: 86_400_000,
  closeGraceMs: 5_000,
};
