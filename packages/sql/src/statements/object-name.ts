import type { SqlLocation } from '@tessera/common';

/** Up to three parts: `[database, schema, name]`, folded. */
export interface ObjectName {
  readonly parts: readonly string[];
  readonly location: SqlLocation;
}
