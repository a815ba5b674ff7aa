import type { DeletionVector } from '@tessera/catalog';

/** An identity of the deleted rows of a tablet: equal texts mean equal rows; '' means none. */
export const vectorIdentity = (vector: DeletionVector | undefined): string =>
  vector === undefined ? '' : (vector.inline ?? vector.key!);
