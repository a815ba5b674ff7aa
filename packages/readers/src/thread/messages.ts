import type { ColumnBatch, ColumnField } from '../columns/column-batch.ts';

export interface ThreadInput {
  readonly format: 'avro' | 'arrow';
  readonly path: string;
}

/**
 * Messages from the decoding thread: `fields` once, then a `batch` for each request, then one of the others.
 */
export type ThreadMessage =
  | { readonly kind: 'fields'; readonly fields: readonly ColumnField[] }
  | { readonly kind: 'batch'; readonly batch: ColumnBatch }
  | { readonly kind: 'end' }
  | { readonly kind: 'bad-file'; readonly reason: string }
  | { readonly kind: 'unsupported'; readonly what: string };
