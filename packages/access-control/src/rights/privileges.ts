import type { CatalogObject, Privilege } from '@tessera/catalog';

const OF_TABLES = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'VACUUM'] as const;

/** What can be granted on an object of the kind: what GRANT ALL gives. */
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
