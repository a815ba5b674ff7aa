import { databasesOf } from '../facts/relations-of-database.ts';
import type { SystemRelation } from '../facts/system-relation.ts';
import { type PostgresFacts, schemaOid, userRelations, userSchemas } from './postgres-facts.ts';
import { catalogRelation, type Row } from './row.ts';

const PG_CLASS = 1259;
const PG_NAMESPACE = 2615;
const PG_DATABASE = 1262;

/** `pg_description`: the comments of relations and schemas. */
export const descriptions = (facts: PostgresFacts): SystemRelation =>
  catalogRelation('pg_description', rows(facts));

function* rows(facts: PostgresFacts): Generator<Row> {
  for (const { oid, relation } of userRelations(facts)) {
    const { description } = relation;
    if (description !== undefined) yield { objoid: oid, classoid: PG_CLASS, objsubid: 0, description };
  }
  for (const schema of userSchemas(facts)) {
    const { description } = schema;
    if (description === undefined) continue;
    yield { objoid: schemaOid(facts, schema), classoid: PG_NAMESPACE, objsubid: 0, description };
  }
}

/** `pg_shdescription`: the comments of databases. */
export const sharedDescriptions = (facts: PostgresFacts): SystemRelation =>
  catalogRelation(
    'pg_shdescription',
    databasesOf(facts).flatMap(({ id, description }) =>
      description === undefined ? [] : [{ objoid: facts.oids.of(id), classoid: PG_DATABASE, description }],
    ),
  );
