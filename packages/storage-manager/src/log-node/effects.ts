import type { CatalogState } from '@tessera/catalog';
import type { TesseraError } from '@tessera/common';
import type { GarbageReport } from '../storage-manager.ts';

/** Identifies an operation of the store or a pause, so that its answer can be matched. Every id is new. */
export type OpId = number;
/** Identifies a request of a caller to the node. */
export type RequestId = number;

/** One request to the object store. */
export type StoreRequest =
  | { readonly kind: 'get'; readonly key: string }
  /** Requests several objects at the same time. All gets begin after the effect was issued. */
  | { readonly kind: 'get_all'; readonly keys: readonly string[] }
  | { readonly kind: 'put_if_absent'; readonly key: string; readonly body: Uint8Array }
  | { readonly kind: 'put_if_match'; readonly key: string; readonly body: Uint8Array; readonly etag: string }
  /** Writes the state under a new name. */
  | { readonly kind: 'put_checkpoint'; readonly catalog: CatalogState }
  /** Returns at most `limit` keys. */
  | { readonly kind: 'list'; readonly prefix: string; readonly startAfter: string; readonly limit: number }
  | { readonly kind: 'delete'; readonly keys: readonly string[] };

export type StoreAnswer =
  | { readonly kind: 'created' }
  | { readonly kind: 'exists' }
  | { readonly kind: 'replaced' }
  | { readonly kind: 'changed' }
  | { readonly kind: 'found'; readonly body: Uint8Array; readonly etag: string }
  | { readonly kind: 'absent' }
  /** The objects in the order of their keys; undefined for a missing one. */
  | { readonly kind: 'got_all'; readonly bodies: readonly (Uint8Array | undefined)[] }
  | { readonly kind: 'listed'; readonly keys: readonly string[] }
  /** `left`: objects at locations of tables that could not be reached. */
  | { readonly kind: 'deleted'; readonly left?: readonly string[] }
  | { readonly kind: 'checkpoint_stored'; readonly key: string; readonly bytes: number }
  /**
   * There was no answer, or one that does not tell whether the request was executed: 5xx, time-out, reset.
   */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** The store refuses permanently: missing permissions or bucket. */
  | { readonly kind: 'forbidden'; readonly reason: string };

export type Reply =
  | { readonly kind: 'snapshot'; readonly catalog: CatalogState }
  | { readonly kind: 'committed'; readonly version: number }
  | { readonly kind: 'collected'; readonly report: GarbageReport }
  | { readonly kind: 'failed'; readonly error: TesseraError };

/** The actions that the reducer requests. */
export type Effect =
  | { readonly kind: 'store'; readonly op: OpId; readonly request: StoreRequest }
  | { readonly kind: 'timer'; readonly op: OpId; readonly delayMs: number }
  | { readonly kind: 'reply'; readonly request: RequestId; readonly reply: Reply }
  | {
      readonly kind: 'log';
      readonly level: 'debug' | 'info' | 'warn' | 'error' | 'fatal';
      readonly message: string;
      readonly fields: Readonly<Record<string, unknown>>;
    };
