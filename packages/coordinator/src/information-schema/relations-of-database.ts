import type { RelationObject, SchemaObject } from '@tessera/catalog';
import type { SystemFacts } from './system-facts.ts';

export interface PlacedRelation {
  readonly schema: SchemaObject;
  readonly relation: RelationObject;
}

/** Tables, views and external tables of the database, schema by schema. */
export function* relationsOfDatabase({ snapshot, database }: SystemFacts): Generator<PlacedRelation> {
  const owner = snapshot.database(database);
  if (owner === undefined) return;
  for (const schema of snapshot.schemas(owner.id)) {
    for (const relation of snapshot.relations(schema.id)) yield { schema, relation };
  }
}
