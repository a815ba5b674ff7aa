import { measurement, type QueryId } from '@tessera/common';
import type { LogNodeState, Role } from './log-node/state.ts';

/** What this node knows about the metadata log. */
export interface LogStatus {
  readonly role: Role['kind'];
  /** Whether this node should lead when no other does. */
  readonly mayLead: boolean;
  /** Undefined, like the values derived from it, until the log was read for the first time. */
  readonly version: number | undefined;
  readonly epoch: number | undefined;
  /**
   * The seconds since this node last knew the newest version, 0 while it leads; undefined before the first
   * time.
   */
  readonly readAgeSeconds: number | undefined;
  /** For a leader: the commits that are being appended or wait for it. */
  readonly waitingCommits: number;
  /** For a leader: the entries since the newest checkpoint. */
  readonly entriesSinceCheckpoint: number | undefined;
  readonly checkpointBytes: number | undefined;
  /** The objects that will be deleted once no node can need them. */
  readonly garbageObjects: number | undefined;
}

/** A finished commit that a statement or the maintenance of this node requested. */
export interface CommitEnd {
  /** The query that asked for it; for maintenance an id of its own. */
  readonly queryId: QueryId;
  /** `ok`, or the name of the error. */
  readonly outcome: string;
  readonly seconds: number;
}

export const commitEnds = measurement<CommitEnd>('commit');

/** A finished garbage collection that this node requested. */
export interface CollectionEnd {
  /** `ok`, or the name of the error. */
  readonly outcome: string;
  readonly objects: number;
}

export const collectionEnds = measurement<CollectionEnd>('garbage-collection');

export function logStatus(state: LogNodeState, readAtMs: number | undefined): LogStatus {
  const { role, catalog, queue, append, maintenance } = state;
  const leads = role.kind === 'leader';
  const hasCheckpoint = leads && maintenance.checkpointBytes > 0;
  return {
    role: role.kind,
    mayLead: state.options.candidate && role.kind !== 'broken' && role.kind !== 'resigned',
    version: catalog?.version,
    epoch: catalog?.epoch,
    readAgeSeconds: leads ? 0 : readAtMs && (performance.now() - readAtMs) / 1_000,
    waitingCommits: queue.length + (append?.commits.length ?? 0),
    entriesSinceCheckpoint:
      leads && catalog !== undefined ? catalog.version - maintenance.checkpointed : undefined,
    checkpointBytes: hasCheckpoint ? maintenance.checkpointBytes : undefined,
    garbageObjects: catalog?.tombstoneCount,
  };
}
