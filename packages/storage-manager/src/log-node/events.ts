import type { Transaction } from '@tessera/catalog';
import type { OpId, RequestId, StoreAnswer } from './effects.ts';

/** What a node can be told. `nowMs`: the wall clock, which may jump; `monotonicMs`: one that does not. */
export type LogNodeEvent = { readonly nowMs: number; readonly monotonicMs: number } & Happening;

/** What has an answer. */
export type NodeRequest =
  | { readonly kind: 'latest' }
  | { readonly kind: 'commit'; readonly transaction: Transaction }
  /** `limit`: most tablets; 0 is no limit. */
  | { readonly kind: 'collect_garbage'; readonly limit: number };

export type Happening =
  | { readonly kind: 'start' }
  | { readonly kind: 'stored'; readonly op: OpId; readonly answer: StoreAnswer }
  | { readonly kind: 'timer'; readonly op: OpId }
  | (NodeRequest & { readonly request: RequestId })
  /** What a node, this one included, still needs. */
  | {
      readonly kind: 'pins';
      readonly node: string;
      readonly oldestVersion: number;
      readonly oldestWriteMs: number;
      /** Where the node is reached when it may lead. */
      readonly candidateAddress?: string | undefined;
    }
  /** Entries that another node had from the log and vouches for. */
  | { readonly kind: 'entries_received'; readonly bodies: readonly Uint8Array[] }
  /** Take no new commits: those that wait are the last of this node. */
  | { readonly kind: 'leave' }
  /** Lead no more, and do not try again. */
  | { readonly kind: 'resign' };
