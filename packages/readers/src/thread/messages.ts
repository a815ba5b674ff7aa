import type { ColumnBatch, ColumnField } from '../columns/column-batch.ts';

export interface ThreadInput {
  readonly format: 'avro' | 'arrow';
  readonly paths: readonly string[];
}

/** Messages to the decoding thread: its work, and then one for each batch that it may send. */
export type ThreadRequest =
  | { readonly kind: 'start'; readonly input: ThreadInput }
  | { readonly kind: 'more' };

/**
 * Messages from the decoding thread. For each file in turn: `file`, `fields`, then a `batch` for each request.
 * The last message of all is one of the others; after `end`, the thread waits for more work.
 */
export type ThreadMessage =
  | { readonly kind: 'file'; readonly position: number }
  | { readonly kind: 'fields'; readonly fields: readonly ColumnField[] }
  | { readonly kind: 'batch'; readonly batch: ColumnBatch }
  /** `heldBytes` is the memory that the thread keeps. */
  | { readonly kind: 'end'; readonly heldBytes: number }
  | { readonly kind: 'bad-file'; readonly reason: string }
  | { readonly kind: 'unsupported'; readonly what: string };
