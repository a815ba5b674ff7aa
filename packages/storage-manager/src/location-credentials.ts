import type { ObjectId, Snapshot } from '@tessera/catalog';
import type { LocationCredentials } from '@tessera/object-store';

/** The catalog of a process, which is read after its store was opened. */
interface ReadCatalog {
  readonly current: Snapshot | undefined;
  latest(): Promise<Snapshot>;
}

/**
 * The credentials of LOCATION objects in the catalog.
 * @param catalog returns undefined until the catalog can be read
 */
export const locationCredentials = (catalog: () => ReadCatalog | undefined): LocationCredentials => ({
  known: (id) => credentialsIn(catalog()?.current, id),
  newest: async (id) => credentialsIn(await catalog()?.latest(), id),
});

/** The same for a process that reads the log itself: its catalog is read when it is first needed. */
export function locationCredentialsOf(read: () => Promise<Snapshot>): LocationCredentials {
  let current: Snapshot | undefined;
  const latest = async () => (current = await read());
  return locationCredentials(() => ({ current, latest }));
}

function credentialsIn(catalog: Snapshot | undefined, id: string) {
  const found = catalog?.object(id as ObjectId);
  return found?.kind === 'location' ? found.credentials : undefined;
}
