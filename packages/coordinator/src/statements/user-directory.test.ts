import { ADMIN_ROLE, type Credential } from '@tessera/catalog';
import { newUlid } from '@tessera/common';
import type { StorageManager } from '@tessera/storage-manager';
import { beforeEach, expect, it } from 'vitest';
import { localCatalog } from '../testing/local-catalog.ts';
import { Users } from './user-directory.ts';

let catalog: StorageManager;
let users: Users;

const made: string[] = [];
const make = async (password: string): Promise<Credential> => {
  made.push(password);
  return { id: newUlid(), passwordHash: `hash of ${password}`, scramVerifier: '' };
};

beforeEach(() => {
  catalog = localCatalog();
  users = new Users(catalog);
  made.length = 0;
});

/** Nodes that have all read the catalog before the first of them commits. */
function racing(count: number): readonly Users[] {
  let reading = count;
  let open: () => void;
  const allHaveRead = new Promise<void>((resolve) => {
    open = resolve;
  });
  return Array.from({ length: count }, () => {
    const commit: StorageManager['commit'] = async (transaction) => {
      reading -= 1;
      if (reading === 0) open();
      await allHaveRead;
      return catalog.commit(transaction);
    };
    return new Users({ latest: () => catalog.latest(), commit });
  });
}

it('finds users, not roles', async () => {
  expect(await users.find('tessera')).toMatchObject({ name: 'tessera', enabled: true });
  expect(await users.find('public')).toBeUndefined();
  expect(await users.find('nosuch')).toBeUndefined();
});

it('provisions a user once, with the role, however many nodes do', async () => {
  const provisioned = await Promise.all(racing(4).map((node) => node.provision('ann', 'system_admin')));
  expect(new Set(provisioned.map(({ id }) => id)).size).toBe(1);
  expect((await catalog.latest()).principal('ann')).toMatchObject({
    memberOf: [{ role: ADMIN_ROLE.id, admin: false }],
  });
  expect(await users.provision('ann', 'nosuch')).toEqual(provisioned[0]);
});

it.each([
  ['ben', 'nosuch', 'UNDEFINED_OBJECT'],
  ['ben', 'tessera', 'UNDEFINED_OBJECT'],
  ['system_admin', 'public', 'DUPLICATE_OBJECT'],
  ['current_user', 'public', 'INVALID_ARGUMENT'],
])('does not provision %s as %s', async (name, role, error) => {
  await expect(users.provision(name, role)).rejects.toMatchObject({ name: error });
});

it('every user is a member of public', async () => {
  await users.provision('ben', 'public');
  expect((await catalog.latest()).principal('ben')).toMatchObject({ memberOf: [] });
});

it('makes the initial user on the first start only', async () => {
  expect(await users.ensureInitial('root', 'first', make)).toBe('created');
  const root = await users.find('root');
  expect(root).toMatchObject({ enabled: true, credential: { passwordHash: 'hash of first' } });
  expect((await catalog.latest()).principal('root')).toMatchObject({
    memberOf: [{ role: ADMIN_ROLE.id, admin: true }],
  });
  expect(await users.ensureInitial('root', 'second', make)).toBe('exists');
  expect(await users.ensureInitial('other', 'second', make)).toBe('not needed');
  expect(await users.find('root')).toEqual(root);
  expect(await users.find('other')).toBeUndefined();
  expect(made).toEqual(['first']);
});

it('makes the initial user once, however many nodes start', async () => {
  const results = await Promise.all(racing(3).map((node) => node.ensureInitial('root', 'x', make)));
  expect(results.sort()).toEqual(['created', 'exists', 'exists']);
});

it('the built-in user can be the initial one', async () => {
  expect(await users.ensureInitial('tessera', 'p', make)).toBe('created');
  expect(await users.find('tessera')).toMatchObject({ credential: { passwordHash: 'hash of p' } });
  expect(await users.ensureInitial('tessera', 'q', make)).toBe('exists');
});

it('a role cannot be the initial user', async () => {
  await expect(users.ensureInitial('public', 'p', make)).rejects.toMatchObject({ name: 'DUPLICATE_OBJECT' });
});
