import type { Kind } from './random-tables.ts';

/** A column that can be referred to. */
export interface Reference {
  readonly sql: string;
  readonly kind: Kind;
}
