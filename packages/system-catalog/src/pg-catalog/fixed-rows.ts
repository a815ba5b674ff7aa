import type { SystemRelation } from '../facts/system-relation.ts';
import { INDEX_METHODS } from './classes.ts';
import { ADMIN_OID, PG_CATALOG_OID } from './postgres-facts.ts';
import { catalogRelation } from './row.ts';

/** `pg_am`. */
export const accessMethods = (): SystemRelation =>
  catalogRelation('pg_am', [
    { oid: 2, amname: 'heap', amhandler: 0, amtype: 't' },
    ...Object.entries(INDEX_METHODS).map(([amname, oid]) => ({ oid, amname, amhandler: 0, amtype: 'i' })),
  ]);

/** `pg_language`. */
export const languages = (): SystemRelation =>
  catalogRelation(
    'pg_language',
    [
      { oid: 12, lanname: 'internal', lanpltrusted: false },
      { oid: 14, lanname: 'sql', lanpltrusted: true },
    ].map((language) => ({
      ...language,
      lanowner: ADMIN_OID,
      lanispl: false,
      lanplcallfoid: 0,
      laninline: 0,
      lanvalidator: 0,
    })),
  );

/** `pg_collation`: texts are compared by their bytes. */
export const collations = (): SystemRelation =>
  catalogRelation(
    'pg_collation',
    [
      { oid: 100, collname: 'default', collprovider: 'd' },
      { oid: 950, collname: 'C', collprovider: 'c', collcollate: 'C', collctype: 'C' },
      { oid: 951, collname: 'POSIX', collprovider: 'c', collcollate: 'POSIX', collctype: 'POSIX' },
    ].map((collation) => ({
      ...collation,
      collnamespace: PG_CATALOG_OID,
      collowner: ADMIN_OID,
      collisdeterministic: true,
      collencoding: -1,
    })),
  );
