import type { CatalogState, SealedEntry, SystemRecord, Transaction } from '@tessera/catalog';
import type { TesseraError } from '@tessera/common';
import type { Boundary } from './boundary.ts';
import type { OpId, RequestId } from './effects.ts';
import type { LeaderHint } from './leader-hint.ts';
import type { CheckpointName } from './log-keys.ts';
import type { LogNodeOptions } from './options.ts';

/** The complete state of a node of the log. It is immutable: `step` returns the next one. */
export interface LogNodeState {
  readonly options: LogNodeOptions;
  /** The wall clock of the current event. */
  readonly nowMs: number;
  readonly monotonicMs: number;
  readonly nextOp: OpId;
  readonly nextPut: number;
  readonly role: Role;
  /** The committed catalog as far as it is known; undefined until the log was read for the first time. */
  readonly catalog: CatalogState | undefined;
  /** For a candidate: whether it has read the log to its end since it became one. */
  readonly caughtUp: boolean;
  /** For a leader: whether another node seems to lead, so that the log must be checked. */
  readonly doubted: boolean;
  /** Whether it accepts no new commits. */
  readonly leaving: boolean;
  readonly reading: Reading | undefined;
  /** `latest` requests for which no running operation will prove the newest version. */
  readonly reads: readonly RequestId[];
  /** For a leader: the commits that wait to be appended, in order of arrival. */
  readonly queue: readonly QueuedCommit[];
  readonly append: Append | undefined;
  readonly proof: Proof | undefined;
  /** The last time when the boundary is known to have been below the next slot. */
  readonly undeletedAt: Clocks | undefined;
  /** Refused transactions whose refusal is not yet proven. */
  readonly refusals: readonly Refusal[];
  readonly watch: Watch;
  readonly maintenance: Maintenance;
  readonly pins: ReadonlyMap<string, PinReport>;
  readonly garbage: Garbage;
}

/** The clocks of a node at one moment. */
export interface Clocks {
  readonly nowMs: number;
  readonly monotonicMs: number;
}

export type Role =
  | { readonly kind: 'follower' }
  /** Reads the log to its end and then appends `new_epoch`. */
  | { readonly kind: 'candidate' }
  | { readonly kind: 'leader'; readonly epoch: number; readonly sinceMonotonicMs: number }
  /** The node has left and does not try to lead again. */
  | { readonly kind: 'resigned' }
  /** The log contradicts what this node knows for certain. The node answers nothing any more. */
  | { readonly kind: 'broken'; readonly error: TesseraError };

export interface QueuedCommit {
  readonly request: RequestId;
  readonly transaction: Transaction;
}

export interface Refusal {
  readonly request: RequestId;
  readonly error: TesseraError;
}

/**
 * Reads the log upwards from what is known, or from a checkpoint, until a slot is empty. The boundary then
 * tells whether the slots that were read were never deleted.
 */
export interface Reading {
  readonly op: OpId;
  readonly attempts: number;
  readonly phase: ReadingPhase;
}

export type ReadingPhase =
  | { readonly kind: 'listing_checkpoints' }
  | { readonly kind: 'finding_boundary'; readonly keys: readonly string[] }
  | {
      readonly kind: 'loading_checkpoint';
      readonly candidates: readonly CheckpointName[];
      readonly least: number;
    }
  | {
      readonly kind: 'reading_entries';
      /** The version from which the reading began. */
      readonly base: number;
      readonly catalog: CatalogState;
      readonly count: number;
      /** Requests that are answered when the reading ends: they arrived before the last request was sent. */
      readonly served: readonly RequestId[];
    }
  | {
      readonly kind: 'checking_boundary';
      readonly base: number;
      readonly catalog: CatalogState;
      readonly served: readonly RequestId[];
      /**
       * The reason why an entry could not be applied. The boundary decides whether that is a defect of the
       * log.
       */
      readonly misfit: unknown;
      /**
       * Whether a slot was empty below one that was not: it was deleted, or the store does not show it yet.
       */
      readonly hidden: boolean;
    }
  /** Nothing was found; entries that follow missing ones would show that the log was not always empty. */
  | { readonly kind: 'looking_for_entries'; readonly served: readonly RequestId[] }
  | { readonly kind: 'pausing'; readonly fromCheckpoint: boolean };

/** The entry that is being put. */
export interface Append {
  readonly op: OpId;
  readonly attempts: number;
  readonly phase: 'putting' | 'resolving' | 'checking_boundary' | 'looking_for_boundary' | 'pausing';
  /** The phase that follows a pause. */
  readonly resume: 'putting' | 'resolving' | 'checking_boundary' | 'looking_for_boundary';
  readonly purpose: 'epoch' | 'transactions' | 'gc_intent' | 'gc_done';
  readonly sealed: SealedEntry;
  /** The state after the entry is committed. */
  readonly after: CatalogState;
  /** The requests whose transactions are in the entry. */
  readonly commits: readonly QueuedCommit[];
  /**
   * Refusals that are answered once the entry is committed. The commit proves them, because they were made
   * before the put was sent.
   */
  readonly refusals: readonly Refusal[];
  readonly reads: readonly RequestId[];
}

/** A leader's check whether it still leads: the next slot is empty and was never deleted. */
export interface Proof {
  readonly op: OpId;
  readonly attempts: number;
  readonly phase: 'reading_slot' | 'checking_boundary' | 'pausing';
  /** The time when the boundary was requested; undefined if it is not. */
  readonly boundaryAskedAt: Clocks | undefined;
  readonly refusals: readonly Refusal[];
  readonly reads: readonly RequestId[];
}

/** The hint about the leader: followers watch it, the leader renews it. */
interface Watch {
  /**
   * In `finding` and `releasing`, a leader that resigned reads its hint and records in it that nobody leads
   * any more. In `identifying`, a leader checks that the store is still the same.
   */
  readonly phase: 'idle' | 'reading' | 'identifying' | 'writing' | 'pausing' | 'finding' | 'releasing';
  readonly op: OpId;
  readonly known: KnownHint | undefined;
}

export interface KnownHint {
  /** Undefined if there is no object. */
  readonly etag: string | undefined;
  readonly hint: LeaderHint | undefined;
  /** The time when this node first saw this version of the object. */
  readonly seenMonotonicMs: number;
}

/** Writes checkpoints and deletes what they make unnecessary. */
interface Maintenance {
  readonly op: OpId;
  readonly phase: MaintenancePhase;
  /** The version of the newest known checkpoint. */
  readonly checkpointed: number;
  readonly checkpointBytes: number;
  /** No checkpoint is attempted before this version. */
  readonly notBefore: number;
  /** The boundary that this node saw last, and when it saw it first; undefined if it has seen none. */
  readonly boundary: { readonly version: number; readonly seenMonotonicMs: number } | undefined;
}

export type MaintenancePhase =
  | { readonly kind: 'idle' }
  | { readonly kind: 'storing'; readonly version: number }
  /** `own`: the checkpoint that was just written, the only one that is known to be complete. */
  | { readonly kind: 'listing_checkpoints'; readonly own: CheckpointName }
  /** `boundary`: the boundary to write. */
  | { readonly kind: 'reading_boundary'; readonly boundary: Boundary; readonly outdated: readonly string[] }
  | { readonly kind: 'listing_log'; readonly move: BoundaryMove }
  | { readonly kind: 'deleting_log'; readonly move: BoundaryMove }
  | { readonly kind: 'moving_boundary'; readonly move: BoundaryMove }
  | { readonly kind: 'deleting_checkpoints' };

export interface BoundaryMove {
  /** The version of the boundary so far: entries up to it are deleted. */
  readonly from: number;
  /** The etag of the boundary so far; undefined if there is none. */
  readonly etag: string | undefined;
  readonly to: Boundary;
  /** The keys of the checkpoints that are deleted afterwards. */
  readonly outdated: readonly string[];
}

export interface PinReport {
  readonly oldestVersion: number;
  readonly oldestWriteMs: number;
  readonly reportedMonotonicMs: number;
  readonly candidateAddress: string | undefined;
}

interface GarbageRequest {
  readonly request: RequestId;
  readonly limit: number;
}

/** Garbage collection in rounds of at most a thousand objects. */
interface Garbage {
  readonly op: OpId;
  readonly phase: GarbagePhase;
  readonly waiting: readonly GarbageRequest[];
}

export type GarbagePhase =
  | { readonly kind: 'idle' }
  /** A new leader waits until every living node has reported what it needs. */
  | { readonly kind: 'waiting_for_pins'; readonly run: GarbageRun }
  | {
      readonly kind: 'listing';
      readonly run: GarbageRun;
      readonly prefix: string;
      /** The prefixes that are listed after this one. */
      readonly further: readonly string[];
      readonly horizonMs: number;
    }
  /** Waits for the running append: only then is it known what is committed. */
  | { readonly kind: 'choosing'; readonly run: GarbageRun }
  | { readonly kind: 'intending'; readonly run: GarbageRun; readonly record: SystemRecord }
  | { readonly kind: 'deleting'; readonly run: GarbageRun; readonly names: readonly string[] }
  | { readonly kind: 'finishing'; readonly run: GarbageRun; readonly record: SystemRecord };

export interface GarbageRun {
  readonly request: RequestId;
  /** The number of tablets that may still be collected; Infinity means no limit. */
  readonly left: number;
  readonly tablets: number;
  readonly objects: number;
  /** Orphans that were found and are not yet collected; undefined before the listing. */
  readonly orphans: readonly string[] | undefined;
  readonly orphansBeforeMs: number;
  /** Objects that this run could not delete, because the location of their table cannot be reached. */
  readonly unreachable: ReadonlySet<string>;
}
