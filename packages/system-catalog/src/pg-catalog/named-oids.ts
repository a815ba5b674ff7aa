import { INFORMATION_SCHEMA, PG_CATALOG } from '@tessera/catalog';
import { sequencesOfDatabase } from '../facts/relations-of-database.ts';
import {
  INFORMATION_SCHEMA_OID,
  PG_CATALOG_OID,
  type PostgresFacts,
  schemaOid,
  userIndexes,
  userRelations,
  userSchemas,
} from './postgres-facts.ts';
import { systemRelations } from './system-relations.ts';

export interface NamedOid {
  readonly oid: number;
  readonly name: string;
}

export interface NamedClass extends NamedOid {
  readonly schema: string;
  /** Whether it is a system relation, which every database has and everybody may read. */
  readonly isOfSystem: boolean;
}

/** Everything in `pg_class`. */
export const allClasses = (facts: PostgresFacts): readonly NamedClass[] => [
  ...[...userRelations(facts)].map(({ oid, schema, relation }) => ({
    oid,
    name: relation.name,
    schema: schema.name,
    isOfSystem: false,
  })),
  ...[...userIndexes(facts)].map(({ oid, name, table }) => ({
    oid,
    name,
    schema: table.schema.name,
    isOfSystem: false,
  })),
  ...sequencesOfDatabase(facts).map(({ schema, sequence }) => ({
    oid: facts.oids.of(sequence.id),
    name: sequence.name,
    schema: schema.name,
    isOfSystem: false,
  })),
  ...systemRelations().map(({ oid, name, schemaOid: of }) => ({
    oid,
    name,
    schema: of === PG_CATALOG_OID ? PG_CATALOG : INFORMATION_SCHEMA,
    isOfSystem: true,
  })),
];

/** Everything in `pg_namespace`. */
export const allNamespaces = (
  facts: PostgresFacts,
): readonly (NamedOid & { readonly isOfSystem: boolean })[] => [
  { oid: PG_CATALOG_OID, name: PG_CATALOG, isOfSystem: true },
  { oid: INFORMATION_SCHEMA_OID, name: INFORMATION_SCHEMA, isOfSystem: true },
  ...userSchemas(facts).map((schema) => ({
    oid: schemaOid(facts, schema),
    name: schema.name,
    isOfSystem: false,
  })),
];
