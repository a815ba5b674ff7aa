import type { Action } from '@tessera/catalog';
import { discardTablets as discardStored } from '@tessera/storage-agent';
import type { TableServices } from '../tables.ts';

/**
 * Deletes the objects of a change that will not be committed. This is best effort: remaining objects are
 * orphans, which garbage collection deletes.
 */
export async function discardTablets(
  { agent, store }: Pick<TableServices, 'agent' | 'store'>,
  actions: readonly Action[],
): Promise<void> {
  const tablets = actions.flatMap((action) => (action.kind === 'add_tablet' ? [action.tablet] : []));
  const vectors = actions.flatMap((action) => (action.kind === 'set_deletion_vector' ? [action.vector] : []));
  const keys = vectors.flatMap(({ key, sharesKey }) => (key === undefined || sharesKey ? [] : [key]));
  await Promise.allSettled([
    keys.length === 0 ? undefined : store.delete(keys),
    discardStored({ agent, store }, tablets),
  ]);
}
