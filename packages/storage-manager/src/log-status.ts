import { measurement } from '@tessera/common';
import type { LogNodeState, Role } from './log-node/state.ts';

/** What this node knows of the metadata log. */
export interface LogStatus {
  readonly role: Role['kind'];
  /** Whether it is for this node to lead when nobody does. */
  readonly mayLead: boolean;
  /** Undefined until the log was read for the first time, as are those that follow from it. */
  readonly version: number | undefined;
  readonly epoch: number | undefined;
  /** Seconds since this node last knew what is newest, 0 while it leads; undefined before the first time. */
  readonly readAgeSeconds: number | undefined;
  /** Of a leader: commits that wait to be appended or are being. */
  readonly waitingCommits: number;
  /** Of a leader: entries since the newest checkpoint. */
  readonly entriesSinceCheckpoint: number | undefined;
  readonly checkpointBytes: number | undefined;
  /** Objects that are deleted once nobody can need them. */
  readonly garbageObjects: number | undefined;
}

/** A commit that a statement or the upkeep of this node asked for. */
export interface CommitEnd {
  /** `ok`, or the name of the error. */
  readonly outcome: string;
  readonly seconds: number;
}

export const commitEnds = measurement<CommitEnd>('commit');

/** A collection of garbage that this node asked for. */
export interface CollectionEnd {
  /** `ok`, or the name of the error. */
  readonly outcome: string;
  readonly objects: number;
}

export const collectionEnds = measurement<CollectionEnd>('garbage-collection');

export function logStatus(state: LogNodeState, readAtMs: number | undefined): LogStatus {
  const { role, catalog, queue, append, upkeep } = state;
  const leads = role.kind === 'leader';
  const hasCheckpoint = leads && upkeep.checkpointBytes > 0;
  return {
    role: role.kind,
    mayLead: state.options.candidate && role.kind !== 'broken' && role.kind !== 'resigned',
    version: catalog?.version,
    epoch: catalog?.epoch,
    readAgeSeconds: leads ? 0 : readAtMs && (performance.now() - readAtMs) / 1_000,
    waitingCommits: queue.length + (append?.commits.length ?? 0),
    entriesSinceCheckpoint:
      leads && catalog !== undefined ? catalog.version - upkeep.checkpointed : undefined,
    checkpointBytes: hasCheckpoint ? upkeep.checkpointBytes : undefined,
    garbageObjects: catalog?.tombstoneCount,
  };
}
