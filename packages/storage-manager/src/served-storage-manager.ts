import type { Transaction } from '@tessera/catalog';
import type { NodeStore } from '@tessera/rpc';
import type { LogStatus } from './log-status.ts';
import type { GarbageReport, StorageManager } from './storage-manager.ts';

/** A storage manager that can answer other nodes. */
export interface ServedStorageManager extends StorageManager {
  /** Whether this node leads, as far as it knows. */
  readonly leads: boolean;
  /** Serves the leader's requests. Its methods throw NOT_LEADER if this node does not lead. */
  readonly leader: LogLeader;
  readonly status: LogStatus;
  /** The location of the log and the tables; nodes that share them compare it. */
  readonly store: NodeStore;
}

/** What a node still needs, and its address if it may lead. */
export interface PinsReport {
  readonly node: string;
  readonly oldestVersion: number;
  /** Milliseconds since 1970 by the clock of the node. */
  readonly oldestWriteMs: number;
  readonly candidateAddress: string | undefined;
}

export interface LogLeader {
  /** The newest version, with all entries after `have` if they are still kept. */
  latest(have: number | undefined): Promise<{ version: number; epoch: number; entries: Uint8Array[] }>;
  commit(transaction: Transaction): Promise<{ version: number }>;
  reportPins(report: PinsReport): void;
  collectGarbage(limit: number): Promise<GarbageReport>;
}
