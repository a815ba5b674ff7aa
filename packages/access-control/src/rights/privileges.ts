import type { CatalogObject, Privilege } from '@tessera/catalog';

const OF_TABLES = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'VACUUM'] as const;

/** The privileges that exist for each kind of object: the set that GRANT ALL grants. */
export const PRIVILEGES_ON: Readonly<
  Record<Exclude<CatalogObject['kind'], 'user' | 'role'>, readonly Privilege[]>
> = {
  database: ['USAGE', 'CREATE'],
  schema: ['USAGE', 'CREATE'],
  table: OF_TABLES,
  external_table: OF_TABLES,
  view: ['SELECT'],
  sequence: ['USAGE', 'SELECT', 'UPDATE'],
  location: ['USAGE'],
};
