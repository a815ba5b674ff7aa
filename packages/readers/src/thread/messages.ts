import type { ColumnBatch, ColumnField } from '../columns/column-batch.ts';

export interface ThreadInput {
  readonly format: 'avro' | 'arrow';
  readonly paths: readonly string[];
}

/**
 * Messages from the decoding thread. For each file in turn: `file`, `fields`, then a `batch` for each request.
 * The last message of all is one of the others.
 */
export type ThreadMessage =
  | { readonly kind: 'file'; readonly position: number }
  | { readonly kind: 'fields'; readonly fields: readonly ColumnField[] }
  | { readonly kind: 'batch'; readonly batch: ColumnBatch }
  | { readonly kind: 'end' }
  | { readonly kind: 'bad-file'; readonly reason: string }
  | { readonly kind: 'unsupported'; readonly what: string };
