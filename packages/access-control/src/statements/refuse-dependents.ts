import type { Snapshot } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import type { GrantedRight } from './granted-rights.ts';

/** @throws TesseraError DEPENDENT_OBJECTS if a grant would be revoked that the statement does not name */
export function refuseDependents<R extends string>(
  snapshot: Snapshot,
  dependents: readonly GrantedRight<R>[],
  called: (right: R) => string,
): void {
  const [first] = dependents;
  if (first === undefined) return;
  const grantee = snapshot.object(first.grantee)?.name;
  const others = dependents.length === 1 ? '' : ` and ${dependents.length - 1} more`;
  const message = `"${first.grantor}" granted ${called(first.right)} to "${grantee}"${others}; CASCADE revokes that too`;
  throw TesseraError.of('DEPENDENT_OBJECTS', { message });
}
