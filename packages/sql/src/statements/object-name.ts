import type { SqlLocation } from '@tessera/common';

/** A name and its place in the statement. */
export interface PlacedName {
  readonly name: string;
  readonly location: SqlLocation;
}

/** Up to three parts: `[database, schema, name]`, folded. */
export interface ObjectName {
  readonly parts: readonly string[];
  readonly location: SqlLocation;
}
