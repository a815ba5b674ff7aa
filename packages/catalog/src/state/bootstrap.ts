import type { DatabaseObject, ObjectId, SchemaObject } from '../model.ts';

const NEVER = '1970-01-01T00:00:00.000Z';

/** The database that is there from the start. */
export const BOOTSTRAP_DATABASE: DatabaseObject = {
  kind: 'database',
  id: '00000000000000000000000001' as ObjectId,
  name: 'tessera',
  createdAt: NEVER,
  alteredAt: NEVER,
  owner: 'tessera',
};

/** Its schema. */
export const BOOTSTRAP_SCHEMA: SchemaObject = {
  kind: 'schema',
  id: '00000000000000000000000002' as ObjectId,
  databaseId: BOOTSTRAP_DATABASE.id,
  name: 'public',
  createdAt: NEVER,
  alteredAt: NEVER,
  owner: 'tessera',
};

/** What version 0 has; the first entry's time becomes their time of creation. */
export const BOOTSTRAP_OBJECTS = [BOOTSTRAP_DATABASE, BOOTSTRAP_SCHEMA] as const;
