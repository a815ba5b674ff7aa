/** The options of one node of the log. Times are in milliseconds. */
export interface LogNodeOptions {
  /** Identifies the process; a restarted node gets a new one. */
  readonly incarnation: string;
  /** The address by which other nodes reach this one, `host:port`; empty if they cannot. */
  readonly address: string;
  /** Whether it may lead. */
  readonly candidate: boolean;
  /** Whether it tries to lead at once when it starts, unless another node holds a lease. */
  readonly preferred: boolean;
  /**
   * Whether no other process can lead, because it would need a lock that this one holds. This node then
   * always knows the newest version, and no request is spent on proving it. If there were a second leader
   * despite the lock, it still could not append to the same slot: the log would stay intact, and only reads
   * might be stale.
   */
  readonly exclusive: boolean;
  /**
   * How long a leader without a sign of life is assumed to be alive. This only decides when another node
   * tries to lead.
   */
  readonly leaseMs: number;
  /** The first pause after a request without an answer; it doubles up to `retryMaxMs`. */
  readonly retryMs: number;
  readonly retryMaxMs: number;
  /** The maximum number of transactions, and the approximate maximum of bytes, of one entry. */
  readonly batchTransactions: number;
  readonly batchBytes: number;
  /** The number of entries after which a checkpoint is written. */
  readonly checkpointEntries: number;
  /** How long entries are kept after a checkpoint has made them unnecessary, for nodes that are behind. */
  readonly logRetentionMs: number;
  /** The maximum number of checkpoints (at least two). Entries older than the oldest of them are deleted. */
  readonly checkpointsKept: number;
  /**
   * How long the boundary must have covered entries before they are deleted. For a sixth of that time, a leader relies on the boundary that
   * it has read.
   */
  readonly boundaryAgeMs: number;
  /** The lifetime of a report of pins. */
  readonly pinTtlMs: number;
  /** The setting `storage.gc_ttl_seconds`. */
  readonly gcTtlMs: number;
  /** The age from which an object that no commit refers to is an orphan. */
  readonly orphanAgeMs: number;
  /** The store, which names its folders at the locations of tables. */
  readonly store: { readonly url: string; readonly id: string };
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
  boundaryAgeMs: 30_000,
  pinTtlMs: 30_000,
  gcTtlMs: 604_800_000,
  orphanAgeMs: 86_400_000,
  store: { url: '', id: '' },
} satisfies Partial<LogNodeOptions>;
