import type { DeletionVector } from '@tessera/catalog';

/** The same text for the same deleted rows of a tablet; '' for none. */
export const vectorIdentity = (vector: DeletionVector | undefined): string =>
  vector === undefined ? '' : (vector.inline ?? vector.key!);
