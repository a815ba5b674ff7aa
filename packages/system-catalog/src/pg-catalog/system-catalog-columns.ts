import { RELATIONS_WITH_ROWS } from './pg-catalog.ts';
import { INFORMATION_SCHEMA_OID } from './postgres-facts.ts';
import { systemRelations } from './system-relations.ts';

/** A relation of `information_schema` or `pg_catalog`, as the reference pages list it. */
export interface SystemCatalogRelation {
  readonly schema: 'information_schema' | 'pg_catalog';
  readonly name: string;
  /** False for PostgreSQL's relations that are always empty here. */
  readonly hasRows: boolean;
  /** The types as PostgreSQL clients see them, such as `timestamp with time zone`. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** The relations that every database has. Their columns do not depend on the contents of the database. */
export const systemCatalogRelations = (): readonly SystemCatalogRelation[] =>
  systemRelations().map(({ schemaOid, name, columns }) => ({
    schema: schemaOid === INFORMATION_SCHEMA_OID ? 'information_schema' : 'pg_catalog',
    name,
    hasRows: schemaOid === INFORMATION_SCHEMA_OID || RELATIONS_WITH_ROWS.includes(name),
    columns: columns.map((column) => ({ name: column.name, type: column.type.sqlName })),
  }));
