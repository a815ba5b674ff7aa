/** Privileges that can be granted on objects. `docs/access-control.md` lists which kinds of objects have which. */
const OBJECT_PRIVILEGES = [
  'USAGE',
  'CREATE',
  'SELECT',
  'INSERT',
  'UPDATE',
  'DELETE',
  'TRUNCATE',
  'VACUUM',
] as const;

/** Privileges that can be granted on the engine as a whole. */
export const ENGINE_PRIVILEGES = [
  'CREATE DATABASE',
  'CREATE ROLE',
  'CANCEL ANY QUERY',
  'READ ANY HISTORY',
  'VACUUM ANY',
  'COLLECT GARBAGE',
  'READ EXTERNAL',
  'WRITE EXTERNAL',
] as const;

export const PRIVILEGES = [...OBJECT_PRIVILEGES, ...ENGINE_PRIVILEGES] as const;

export type Privilege = (typeof PRIVILEGES)[number];
