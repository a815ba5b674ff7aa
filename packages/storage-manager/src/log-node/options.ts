/** What one node of the log is told. Times in milliseconds. */
export interface LogNodeOptions {
  /** Names the process: a node that restarts has another one. */
  readonly incarnation: string;
  /** Where other nodes reach this one, `host:port`; empty when they cannot. */
  readonly address: string;
  /** Whether it may lead. */
  readonly candidate: boolean;
  /** Whether it tries at once when it starts, unless another node's lease holds. */
  readonly preferred: boolean;
  /**
   * No other process can lead, because it would need a lock that this one holds. Then what this node knows is the newest,
   * and no request is spent on proving it. A second leader, were there one in spite of the lock, still could not append to
   * the same slot: the log stays whole, only reads might be old.
   */
  readonly exclusive: boolean;
  /** How long a leader is believed in that gives no sign of life. Decides only when another one tries. */
  readonly leaseMs: number;
  /** First pause after a request without an answer; doubles up to `retryMaxMs`. */
  readonly retryMs: number;
  readonly retryMaxMs: number;
  /** Most transactions, and about the most bytes, of one entry. */
  readonly batchTransactions: number;
  readonly batchBytes: number;
  /** A checkpoint is written after so many entries. */
  readonly checkpointEntries: number;
  /** Entries are kept so long after a checkpoint made them unnecessary, for nodes that are behind. */
  readonly logRetentionMs: number;
  /** But no more checkpoints than this (two at least), and no entries older than the oldest of them. */
  readonly checkpointsKept: number;
  /** How long a report of pins holds. */
  readonly pinTtlMs: number;
  /** `storage.gc_ttl_seconds` */
  readonly gcTtlMs: number;
  /** Objects that no commit named are orphans when they are older than this. */
  readonly orphanAgeMs: number;
}

export const LOG_NODE_DEFAULTS = {
  candidate: true,
  preferred: true,
  exclusive: false,
  leaseMs: 9_000,
  retryMs: 20,
  retryMaxMs: 2_000,
  batchTransactions: 1_000,
  batchBytes: 4 << 20,
  checkpointEntries: 500,
  logRetentionMs: 600_000,
  checkpointsKept: 4,
  pinTtlMs: 30_000,
  gcTtlMs: 604_800_000,
  orphanAgeMs: 86_400_000,
} satisfies Partial<LogNodeOptions>;
