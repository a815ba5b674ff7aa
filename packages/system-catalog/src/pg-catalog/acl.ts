import type { CatalogObject, Privilege, Snapshot } from '@tessera/catalog';
import { quoteName } from '@tessera/kernel';

const LETTERS: Readonly<Partial<Record<Privilege, string>>> = {
  INSERT: 'a',
  SELECT: 'r',
  UPDATE: 'w',
  DELETE: 'd',
  TRUNCATE: 'D',
  VACUUM: 'm',
  USAGE: 'U',
  CREATE: 'C',
};

/** The privileges of an owner, by kind of object. */
const OWNED: Readonly<Record<string, string>> = {
  table: 'arwdDm',
  external_table: 'arwdDm',
  view: 'r',
  sequence: 'rwU',
  schema: 'UC',
  database: 'UC',
};

const quoted = (name: string): string => (/^[a-z0-9_]+$/i.test(name) ? name : quoteName(name));

/**
 * The grants on an object as PostgreSQL's `aclitem[]`: `alice=r*w/bob`; null if only the owner has
 * privileges.
 */
export function aclOf(object: CatalogObject, snapshot: Snapshot): readonly string[] | null {
  const { grants = [], owner, kind } = object;
  if (grants.length === 0) return null;
  const letters = new Map<string, string>([[`${quoted(owner)}|${owner}`, OWNED[kind] ?? '']]);
  for (const { privilege, grantee, grantable, grantor } of grants) {
    const who = snapshot.object(grantee)?.name;
    if (who === undefined) continue;
    const key = `${who === 'public' ? '' : quoted(who)}|${grantor}`;
    letters.set(key, `${letters.get(key) ?? ''}${LETTERS[privilege] ?? ''}${grantable ? '*' : ''}`);
  }
  return [...letters].map(([key, privileges]) => {
    const [grantee = '', grantor = ''] = key.split('|');
    return `${grantee}=${privileges}/${quoted(grantor)}`;
  });
}
