import type { Transaction } from '@tessera/catalog';
import type { OpId, RequestId, StoreAnswer } from './effects.ts';

/**
 * The events of a node. `nowMs` is the wall clock, which may jump; `monotonicMs` is a clock that does not.
 */
export type LogNodeEvent = { readonly nowMs: number; readonly monotonicMs: number } & Happening;

/** Requests that get an answer. */
export type NodeRequest =
  | { readonly kind: 'latest' }
  | { readonly kind: 'commit'; readonly transaction: Transaction }
  /** `limit`: the maximum number of tablets; 0 means no limit. */
  | { readonly kind: 'collect_garbage'; readonly limit: number };

export type Happening =
  | { readonly kind: 'start' }
  | { readonly kind: 'stored'; readonly op: OpId; readonly answer: StoreAnswer }
  | { readonly kind: 'timer'; readonly op: OpId }
  | (NodeRequest & { readonly request: RequestId })
  /** What a node (possibly this one) still needs. */
  | {
      readonly kind: 'pins';
      readonly node: string;
      readonly oldestVersion: number;
      readonly oldestWriteMs: number;
      /** The node's address, if it may lead. */
      readonly candidateAddress?: string | undefined;
    }
  /** Entries that another node read from the log and vouches for. */
  | { readonly kind: 'entries_received'; readonly bodies: readonly Uint8Array[] }
  /** Accept no new commits; the waiting ones are the last of this node. */
  | { readonly kind: 'leave' }
  /** Stop leading and do not try again. */
  | { readonly kind: 'resign' };
