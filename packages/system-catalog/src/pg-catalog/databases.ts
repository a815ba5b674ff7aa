import { databasesOf } from '../facts/relations-of-database.ts';
import type { SystemRelation } from '../facts/system-relation.ts';
import { aclOf } from './acl.ts';
import { ADMIN_OID, type PostgresFacts, roleOid } from './postgres-facts.ts';
import { catalogRelation } from './row.ts';

const UTF8 = 6;
const DEFAULT_TABLESPACE = 1663;

/** `pg_database`. */
export const databases = (facts: PostgresFacts): SystemRelation =>
  catalogRelation(
    'pg_database',
    databasesOf(facts).map((database) => ({
      oid: facts.oids.of(database.id),
      datname: database.name,
      datdba: roleOid(facts, database.owner),
      encoding: UTF8,
      datlocprovider: 'c',
      datistemplate: false,
      datallowconn: true,
      datconnlimit: -1,
      datfrozenxid: 0,
      datminmxid: 0,
      dattablespace: DEFAULT_TABLESPACE,
      datcollate: 'C',
      datctype: 'C',
      datacl: aclOf(database, facts.snapshot),
    })),
  );

/** `pg_tablespace`: there is only one. */
export const tablespaces = (): SystemRelation =>
  catalogRelation('pg_tablespace', [
    { oid: DEFAULT_TABLESPACE, spcname: 'pg_default', spcowner: ADMIN_OID },
    { oid: 1664, spcname: 'pg_global', spcowner: ADMIN_OID },
  ]);
