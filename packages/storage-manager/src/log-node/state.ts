import type { CatalogState, SealedEntry, SystemRecord, Transaction } from '@tessera/catalog';
import type { TesseraError } from '@tessera/common';
import type { Boundary } from './boundary.ts';
import type { OpId, RequestId } from './effects.ts';
import type { LeaderHint } from './leader-hint.ts';
import type { CheckpointName } from './log-keys.ts';
import type { LogNodeOptions } from './options.ts';

/** Everything a node of the log knows. Immutable: `step` makes the next one. */
export interface LogNodeState {
  readonly options: LogNodeOptions;
  /** Of the event being handled. */
  readonly nowMs: number;
  readonly monotonicMs: number;
  readonly nextOp: OpId;
  readonly nextPut: number;
  readonly role: Role;
  /** What is known to be committed; undefined until the log was read for the first time. */
  readonly catalog: CatalogState | undefined;
  /** Of a candidate: it has read the log to its end since it became one. */
  readonly caughtUp: boolean;
  /** Of a leader: somebody else seems to lead, the log is to be asked. */
  readonly doubted: boolean;
  /** It takes no new commits. */
  readonly leaving: boolean;
  readonly reading: Reading | undefined;
  /** `latest` requests for which nothing is under way that would prove what is newest. */
  readonly reads: readonly RequestId[];
  /** Of a leader: what waits to be appended, in the order of arrival. */
  readonly queue: readonly QueuedCommit[];
  readonly append: Append | undefined;
  readonly proof: Proof | undefined;
  /** Refused transactions whose refusal is not proven yet. */
  readonly refusals: readonly Refusal[];
  readonly watch: Watch;
  readonly upkeep: Upkeep;
  readonly pins: ReadonlyMap<string, PinReport>;
  readonly garbage: Garbage;
}

export type Role =
  | { readonly kind: 'follower' }
  /** Reads the log to its end, then appends `new_epoch`. */
  | { readonly kind: 'candidate' }
  | { readonly kind: 'leader'; readonly epoch: number; readonly sinceMonotonicMs: number }
  /** It left: it does not try to lead again. */
  | { readonly kind: 'resigned' }
  /** The log contradicts what this node knows for sure. It answers nothing any more. */
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
 * Reading the log upwards from what is known, or from a checkpoint, until a slot is empty; then the boundary tells whether
 * the slots read were never deleted.
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
      /** Version the reading began at. */
      readonly base: number;
      readonly catalog: CatalogState;
      readonly count: number;
      /** Answered when this ends: they came before the last request was sent. */
      readonly served: readonly RequestId[];
    }
  | {
      readonly kind: 'checking_boundary';
      readonly base: number;
      readonly catalog: CatalogState;
      readonly served: readonly RequestId[];
      /** Why an entry could not be applied; the boundary decides whether that is a defect of the log. */
      readonly misfit: unknown;
      /** A slot was empty below one that was not: deleted, or the store does not show it yet. */
      readonly hidden: boolean;
    }
  | { readonly kind: 'pausing'; readonly fromCheckpoint: boolean };

/** The one entry that is being put. */
export interface Append {
  readonly op: OpId;
  readonly attempts: number;
  readonly phase: 'putting' | 'resolving' | 'checking_boundary' | 'looking_for_boundary' | 'pausing';
  /** What a pause leads back to. */
  readonly resume: 'putting' | 'resolving' | 'checking_boundary' | 'looking_for_boundary';
  readonly purpose: 'epoch' | 'transactions' | 'gc_intent' | 'gc_done';
  readonly sealed: SealedEntry;
  /** The state once it is committed. */
  readonly after: CatalogState;
  /** The requests whose transactions are in the entry. */
  readonly commits: readonly QueuedCommit[];
  /** Answered once it is committed, which also proves them: they came before the put was sent. */
  readonly refusals: readonly Refusal[];
  readonly reads: readonly RequestId[];
}

/** A leader asking whether it still leads: the next slot is empty and was never deleted. */
export interface Proof {
  readonly op: OpId;
  readonly attempts: number;
  readonly phase: 'reading_slot' | 'checking_boundary' | 'pausing';
  readonly refusals: readonly Refusal[];
  readonly reads: readonly RequestId[];
}

/** The hint of who leads: followers watch it, the leader renews it. */
export interface Watch {
  /** `finding`, `releasing`: a leader that resigned reads its hint, and says in it that nobody leads any more. */
  readonly phase: 'idle' | 'reading' | 'writing' | 'pausing' | 'finding' | 'releasing';
  readonly op: OpId;
  readonly known: KnownHint | undefined;
}

export interface KnownHint {
  /** Undefined: there is no object. */
  readonly etag: string | undefined;
  readonly hint: LeaderHint | undefined;
  /** When this node first saw this very object. */
  readonly seenMonotonicMs: number;
}

/** Checkpoints, and the deletion of what they make unnecessary. */
export interface Upkeep {
  readonly op: OpId;
  readonly phase: UpkeepPhase;
  /** Version of the newest checkpoint known. */
  readonly checkpointed: number;
  readonly checkpointBytes: number;
  /** No checkpoint is tried before this version. */
  readonly notBefore: number;
}

export type UpkeepPhase =
  | { readonly kind: 'idle' }
  | { readonly kind: 'storing'; readonly version: number }
  /** `own`: the checkpoint that was just written, the only one that is known to be whole. */
  | { readonly kind: 'listing_checkpoints'; readonly own: CheckpointName }
  /** `boundary`: where it shall be. */
  | { readonly kind: 'reading_boundary'; readonly boundary: Boundary; readonly outdated: readonly string[] }
  | { readonly kind: 'moving_boundary'; readonly boundary: Boundary; readonly outdated: readonly string[] }
  | { readonly kind: 'listing_log'; readonly boundary: number; readonly outdated: readonly string[] }
  | { readonly kind: 'deleting_log'; readonly boundary: number; readonly outdated: readonly string[] }
  | { readonly kind: 'deleting_checkpoints' };

export interface PinReport {
  readonly oldestVersion: number;
  readonly oldestWriteMs: number;
  readonly reportedMonotonicMs: number;
  readonly candidateAddress: string | undefined;
}

export interface GarbageRequest {
  readonly request: RequestId;
  readonly limit: number;
}

/** The collection of garbage, one round of at most a thousand objects after another. */
export interface Garbage {
  readonly op: OpId;
  readonly phase: GarbagePhase;
  readonly waiting: readonly GarbageRequest[];
}

export type GarbagePhase =
  | { readonly kind: 'idle' }
  /** A new leader waits until every living node has told what it needs. */
  | { readonly kind: 'waiting_for_pins'; readonly run: GarbageRun }
  | {
      readonly kind: 'listing';
      readonly run: GarbageRun;
      readonly prefix: string;
      readonly horizonMs: number;
    }
  /** Waits for the append under way: only then is it known what is committed. */
  | { readonly kind: 'choosing'; readonly run: GarbageRun }
  | { readonly kind: 'intending'; readonly run: GarbageRun; readonly record: SystemRecord }
  | { readonly kind: 'deleting'; readonly run: GarbageRun; readonly names: readonly string[] }
  | { readonly kind: 'finishing'; readonly run: GarbageRun; readonly record: SystemRecord };

export interface GarbageRun {
  readonly request: RequestId;
  /** Tablets still allowed; Infinity: no limit. */
  readonly left: number;
  readonly tablets: number;
  readonly objects: number;
  /** Found and not yet collected; undefined before the listing. */
  readonly orphans: readonly string[] | undefined;
  readonly orphansBeforeMs: number;
}
