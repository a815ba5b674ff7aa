/** How long the storage manager waits for what, in milliseconds. */
export interface StorageManagerTimes {
  /** A commit whose outcome is not known then fails with METADATA_UNAVAILABLE; asking again with its id tells. */
  readonly commitTimeoutMs: number;
  readonly readTimeoutMs: number;
  /** For a leader to answer a commit; afterwards whoever leads by then is asked, which may be this node. */
  readonly commitAskMs: number;
  /** For a leader to answer a short question; afterwards the log in the store is read instead. */
  readonly askTimeoutMs: number;
  readonly garbageTimeoutMs: number;
  readonly pinReportMs: number;
  /** Between collections that the leader begins by itself; 0: none. */
  readonly garbageMs: number;
  /** Between probes of the store's conditional writes. */
  readonly probeMs: number;
  /** For the entry under way when the node is closed. */
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
