import type { DatabaseObject, Grant, ObjectId, RoleObject, SchemaObject, UserObject } from '../model.ts';

const bootstrapId = (number: number) => String(number).padStart(26, '0') as ObjectId;

const NEVER = '1970-01-01T00:00:00.000Z';

/** The owner of the initial objects, and the user of every request to an engine without authentication. */
const SYSTEM_USER = 'tessera';

const base = { createdAt: NEVER, alteredAt: NEVER, owner: SYSTEM_USER };

/** The role that every user has without a grant. */
export const PUBLIC_ROLE: RoleObject = {
  kind: 'role',
  id: bootstrapId(3),
  ...base,
  name: 'public',
  memberOf: [],
};

/** Its members may do everything. */
export const ADMIN_ROLE: RoleObject = {
  kind: 'role',
  id: bootstrapId(4),
  ...base,
  name: 'system_admin',
  memberOf: [],
};

/** This user has no password until one is set, so nobody can log in as this user. */
export const BOOTSTRAP_USER: UserObject = {
  kind: 'user',
  id: bootstrapId(5),
  ...base,
  name: SYSTEM_USER,
  enabled: true,
  memberOf: [{ role: ADMIN_ROLE.id, admin: true, grantor: SYSTEM_USER }],
};

/** The privileges that everybody has on a new database and its schema `public`. */
export const usageForEverybody = (grantor: string): readonly Grant[] => [
  { privilege: 'USAGE', grantee: PUBLIC_ROLE.id, grantable: false, grantor },
];

/** The database that is there from the start. */
export const BOOTSTRAP_DATABASE: DatabaseObject = {
  kind: 'database',
  id: bootstrapId(1),
  ...base,
  name: 'tessera',
  grants: usageForEverybody(SYSTEM_USER),
};

/** Its schema. */
export const BOOTSTRAP_SCHEMA: SchemaObject = {
  kind: 'schema',
  id: bootstrapId(2),
  databaseId: BOOTSTRAP_DATABASE.id,
  ...base,
  name: 'public',
  grants: usageForEverybody(SYSTEM_USER),
};

/** The objects of version 0; the time of the first entry becomes their creation time. */
export const BOOTSTRAP_OBJECTS = [
  BOOTSTRAP_DATABASE,
  BOOTSTRAP_SCHEMA,
  PUBLIC_ROLE,
  ADMIN_ROLE,
  BOOTSTRAP_USER,
] as const;
