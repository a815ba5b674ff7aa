import type {
  DatabaseObject,
  LocationObject,
  PrincipalObject,
  RelationObject,
  SchemaObject,
  SequenceObject,
} from '@tessera/catalog';
import type { SystemFacts } from './system-facts.ts';

export interface PlacedRelation {
  readonly schema: SchemaObject;
  readonly relation: RelationObject;
}

/** The databases of the cluster that the user may see. */
export const databasesOf = ({ snapshot, isVisible }: SystemFacts): readonly DatabaseObject[] =>
  snapshot.databases().filter(isVisible);

/** The users and roles that the user may see. */
export const principalsOf = ({ snapshot, isVisible }: SystemFacts): readonly PrincipalObject[] =>
  snapshot.principals().filter(isVisible);

/** The schemas of the database that the user may see. */
export const schemasOfDatabase = (facts: SystemFacts): readonly SchemaObject[] =>
  allSchemas(facts).filter(facts.isVisible);

/** The locations of the database that the user may see. */
export function locationsOfDatabase({
  snapshot,
  database,
  isVisible,
}: SystemFacts): readonly LocationObject[] {
  const owner = snapshot.database(database);
  return owner === undefined ? [] : snapshot.locations(owner.id).filter(isVisible);
}

function allSchemas({ snapshot, database }: SystemFacts): readonly SchemaObject[] {
  const owner = snapshot.database(database);
  return owner === undefined ? [] : snapshot.schemas(owner.id);
}

/** The tables, views and external tables of the database that the user may see, schema by schema. */
export function* relationsOfDatabase(facts: SystemFacts): Generator<PlacedRelation> {
  for (const schema of allSchemas(facts)) {
    for (const relation of facts.snapshot.relations(schema.id))
      if (facts.isVisible(relation)) yield { schema, relation };
  }
}

export interface PlacedSequence {
  readonly schema: SchemaObject;
  readonly sequence: SequenceObject;
}

/** The sequences of the database that the user may see. */
export const sequencesOfDatabase = (facts: SystemFacts): readonly PlacedSequence[] =>
  allSchemas(facts).flatMap((schema) =>
    facts.snapshot
      .sequences(schema.id)
      .filter(facts.isVisible)
      .map((sequence) => ({ schema, sequence })),
  );
