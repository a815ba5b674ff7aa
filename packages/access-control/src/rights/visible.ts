import type { CatalogObject, Snapshot } from '@tessera/catalog';
import type { Rights } from './rights.ts';

/** Whether a user may see an object in `information_schema`, `pg_catalog` and hints of error messages. */
export type Visible = (object: CatalogObject) => boolean;

/**
 * Visible are objects that the user owns or has any privilege on, and everything in schemas and databases
 * that the user owns. Users and roles: oneself and one's roles, or all of them with CREATE ROLE.
 */
export function visibleTo(rights: Rights, snapshot: Snapshot): Visible {
  const isVisible: Visible = (object) => {
    if (rights.isAdministrator) return true;
    switch (object.kind) {
      case 'user':
      case 'role':
        return rights.isMemberOf(object.name) || rights.mayOnEngine('CREATE ROLE');
      case 'database':
        return rights.mayAnything(object);
      case 'schema':
      case 'location':
        return rights.mayAnything(object) || isOwned(object.databaseId);
      default:
        return rights.mayAnything(object) || isOwned(object.schemaId);
    }
  };
  const isOwned = (id: CatalogObject['id']): boolean => {
    const container = snapshot.object(id);
    if (container === undefined) return false;
    return rights.isOwner(container) || (container.kind === 'schema' && isOwned(container.databaseId));
  };
  return isVisible;
}
