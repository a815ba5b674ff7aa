import { PG_CATALOG } from '@tessera/catalog';
import { databasesOf } from '../facts/relations-of-database.ts';
import type { SystemRelation } from '../facts/system-relation.ts';
import { aclOf } from './acl.ts';
import { CATALOG_TABLES } from './catalog-tables.ts';
import {
  ADMIN_OID,
  INFORMATION_SCHEMA_OID,
  PG_CATALOG_OID,
  type PostgresFacts,
  roleOid,
  schemaOid,
  userSchemas,
} from './postgres-facts.ts';
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

const EVERYBODY_USES = ['=U/system_admin'];

/** `pg_namespace`. */
export const namespaces = (facts: PostgresFacts): SystemRelation =>
  catalogRelation('pg_namespace', [
    { oid: PG_CATALOG_OID, nspname: PG_CATALOG, nspowner: ADMIN_OID, nspacl: EVERYBODY_USES },
    {
      oid: INFORMATION_SCHEMA_OID,
      nspname: 'information_schema',
      nspowner: ADMIN_OID,
      nspacl: EVERYBODY_USES,
    },
    ...userSchemas(facts).map((schema) => ({
      oid: schemaOid(facts, schema),
      nspname: schema.name,
      nspowner: roleOid(facts, schema.owner),
      nspacl: aclOf(schema, facts.snapshot),
    })),
  ]);

const NAMESPACES = CATALOG_TABLES.pg_namespace![0];

/** `pg_init_privs`: the initial grants on system schemas, which dumps leave out. */
export const initialPrivileges = (): SystemRelation =>
  catalogRelation(
    'pg_init_privs',
    [PG_CATALOG_OID, INFORMATION_SCHEMA_OID].map((objoid) => ({
      objoid,
      classoid: NAMESPACES,
      objsubid: 0,
      privtype: 'i',
      initprivs: EVERYBODY_USES,
    })),
  );
