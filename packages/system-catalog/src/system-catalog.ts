import { INFORMATION_SCHEMA } from '@tessera/catalog';
import type { SystemFacts } from './facts/system-facts.ts';
import type { SystemRelation } from './facts/system-relation.ts';
import { informationSchemaRelation } from './information-schema/information-schema.ts';
import { pgCatalogRelation } from './pg-catalog/pg-catalog.ts';
import { postgresFacts } from './pg-catalog/postgres-facts.ts';

/** A relation of `information_schema` or `pg_catalog`; undefined if there is none of the name. */
export function systemRelation(
  { schema, name }: { readonly schema: string; readonly name: string },
  facts: SystemFacts,
): SystemRelation | undefined {
  if (schema === INFORMATION_SCHEMA) return informationSchemaRelation(name, facts);
  return pgCatalogRelation(name, postgresFacts(facts));
}

/** Whether the rows of a relation contain columns of views. */
export const tellsOfViewColumns = ({
  schema,
  name,
}: {
  readonly schema: string;
  readonly name: string;
}): boolean =>
  schema === INFORMATION_SCHEMA ? name === 'columns' : name === 'pg_class' || name === 'pg_attribute';
