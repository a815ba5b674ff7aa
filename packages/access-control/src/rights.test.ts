import {
  type Action,
  ADMIN_ROLE,
  BOOTSTRAP_DATABASE,
  BOOTSTRAP_SCHEMA,
  BOOTSTRAP_USER,
  type CatalogObject,
  CatalogState,
  type Grant,
  type ObjectId,
  type Privilege,
  PUBLIC_ROLE,
  type RoleObject,
  type Snapshot,
  type TableObject,
  type UserObject,
} from '@tessera/catalog';
import { type AccessStatement, classifyStatement } from '@tessera/sql';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PRIVILEGES_ON } from './rights/privileges.ts';
import { rightsOf } from './rights/rights.ts';
import { visibleTo } from './rights/visible.ts';
import type { AccessContext } from './statements/access-context.ts';
import { accessChange } from './statements/run-access-statement.ts';

const NOW = '2026-01-01T00:00:00.000Z';
const base = (name: string) => ({
  id: name as ObjectId,
  name,
  createdAt: NOW,
  alteredAt: NOW,
  owner: 'owner',
});

const user = (name: string, changes: Partial<UserObject> = {}): UserObject => ({
  kind: 'user',
  ...base(name),
  enabled: true,
  memberOf: [],
  ...changes,
});
const role = (name: string, changes: Partial<RoleObject> = {}): RoleObject => ({
  kind: 'role',
  ...base(name),
  memberOf: [],
  ...changes,
});
const table = (changes: Partial<TableObject> = {}): TableObject => ({
  kind: 'table',
  ...base('t'),
  schemaId: BOOTSTRAP_SCHEMA.id,
  tableType: 'FACT',
  columns: [],
  primaryIndex: [],
  partitionBy: [],
  indexGranularity: 2048,
  schemaVersion: 0,
  nextColumnId: 1,
  indexes: [],
  ...changes,
});
const member = (name: string, admin = false) => ({ role: name as ObjectId, admin, grantor: 'owner' });
const grant = (privilege: Privilege, grantee: string, grantable = false): Grant => ({
  privilege,
  grantee: grantee as ObjectId,
  grantable,
  grantor: 'owner',
});
const catalogOf = (...objects: readonly CatalogObject[]): Snapshot =>
  CatalogState.empty.withActions(objects.map((object): Action => ({ kind: 'create', object })));

test('a user has the roles of its roles, and public', () => {
  const snapshot = catalogOf(
    user('alice', { memberOf: [member('a')] }),
    role('a', { memberOf: [member('b')] }),
    role('b'),
    role('c'),
  );
  const rights = rightsOf(snapshot, 'alice');
  expect([...rights.grantees].sort()).toEqual([PUBLIC_ROLE.id, 'a', 'alice', 'b'].sort());
  expect(['alice', 'a', 'b', 'public', 'c', 'bob'].filter((name) => rights.isMemberOf(name))).toEqual([
    'alice',
    'a',
    'b',
    'public',
  ]);
});

test('cycles of memberships end', () => {
  const snapshot = catalogOf(role('a', { memberOf: [member('b')] }), role('b', { memberOf: [member('a')] }));
  expect(rightsOf(snapshot, 'a').isMemberOf('b')).toBe(true);
  expect(rightsOf(snapshot, 'b').isMemberOf('a')).toBe(true);
});

test('system_admin may do everything, also through a role', () => {
  const t = table();
  const snapshot = catalogOf(
    user('alice', { memberOf: [member('dba')] }),
    role('dba', { memberOf: [{ ...member('x'), role: ADMIN_ROLE.id }] }),
    user('bob'),
    t,
  );
  const [alice, bob] = [rightsOf(snapshot, 'alice'), rightsOf(snapshot, 'bob')];
  expect(alice.isAdministrator && rightsOf(snapshot, BOOTSTRAP_USER.name).isAdministrator).toBe(true);
  expect(bob.isAdministrator).toBe(false);
  for (const [rights, may] of [[alice, true] as const, [bob, false] as const]) {
    expect(rights.may('DELETE', t)).toBe(may);
    expect(rights.mayGrant('SELECT', t)).toBe(may);
    expect(rights.mayOnEngine('COLLECT GARBAGE')).toBe(may);
    expect(rights.mayGrantOnEngine('CREATE ROLE')).toBe(may);
    expect(rights.isOwner(t)).toBe(may);
    expect(rights.hasAdminOption(ADMIN_ROLE.id)).toBe(may);
  }
});

test('grants are to the user, to its roles, or to everybody', () => {
  const t = table({
    grants: [grant('SELECT', 'alice'), grant('INSERT', 'a'), grant('UPDATE', PUBLIC_ROLE.id)],
  });
  const snapshot = catalogOf(user('alice', { memberOf: [member('a')] }), role('a'), user('bob'), t);
  const allowed = (name: string) => PRIVILEGES_ON.table.filter((one) => rightsOf(snapshot, name).may(one, t));
  expect(allowed('alice')).toEqual(['SELECT', 'INSERT', 'UPDATE']);
  expect(allowed('bob')).toEqual(['UPDATE']);
  expect(allowed('nobody')).toEqual(['UPDATE']);
  expect(allowed('owner')).toEqual(['UPDATE']);
});

test('owners may do everything with theirs, and members of a role that owns it', () => {
  const t = table({ owner: 'a' });
  const snapshot = catalogOf(user('alice', { memberOf: [member('a')] }), role('a'), t);
  const rights = rightsOf(snapshot, 'alice');
  expect(rights.isOwner(t) && rights.may('VACUUM', t) && rights.mayGrant('SELECT', t)).toBe(true);
  expect(rights.isOwner({ owner: 'bob' })).toBe(false);
});

test('grant options and admin options come with roles', () => {
  const t = table({ grants: [grant('SELECT', 'a', true), grant('INSERT', 'a')] });
  const snapshot = catalogOf(
    user('alice', { memberOf: [member('a')] }),
    role('a', {
      memberOf: [member('b', true), member('c')],
      grants: [grant('CREATE ROLE', 'a', true), grant('CANCEL ANY QUERY', 'a')],
    }),
    role('b'),
    role('c'),
    t,
  );
  const rights = rightsOf(snapshot, 'alice');
  expect([rights.mayGrant('SELECT', t), rights.mayGrant('INSERT', t)]).toEqual([true, false]);
  expect(['a', 'b', 'c'].map((name) => rights.hasAdminOption(name as ObjectId))).toEqual([
    false,
    true,
    false,
  ]);
  expect([rights.mayOnEngine('CREATE ROLE'), rights.mayGrantOnEngine('CREATE ROLE')]).toEqual([true, true]);
  expect([rights.mayOnEngine('CANCEL ANY QUERY'), rights.mayGrantOnEngine('CANCEL ANY QUERY')]).toEqual([
    true,
    false,
  ]);
  expect(rights.mayOnEngine('VACUUM ANY')).toBe(false);
});

test('grants to a dropped user do not pass to a new user of the same name', () => {
  const t = table({ grants: [grant('SELECT', 'dropped')] });
  const snapshot = catalogOf(user('dropped', { id: 'another' as ObjectId }), t);
  expect(rightsOf(snapshot, 'dropped').may('SELECT', t)).toBe(false);
});

test('a user sees objects with any privilege, those in own schemas and databases, and themselves', () => {
  const granted = table({ ...base('granted'), name: 'granted', grants: [grant('VACUUM', 'alice')] });
  const hidden = table({ ...base('hidden') });
  const snapshot = catalogOf(user('alice'), user('bob'), role('r'), granted, hidden, {
    kind: 'schema',
    ...base('s'),
    owner: 'alice',
    databaseId: BOOTSTRAP_DATABASE.id,
  });
  const inOwn = table({ ...base('own'), schemaId: 's' as ObjectId });
  const later = snapshot.withActions([{ kind: 'create', object: inOwn }]);
  const isVisible = visibleTo(rightsOf(later, 'alice'), later);
  expect([granted, hidden, inOwn].map(isVisible)).toEqual([true, false, true]);
  expect(
    later
      .principals()
      .filter(isVisible)
      .map(({ name }) => name),
  ).toEqual(['alice', 'public']);
  const toAdmin = visibleTo(rightsOf(later, BOOTSTRAP_USER.name), later);
  expect(later.principals().every(toAdmin) && toAdmin(hidden)).toBe(true);
});

test('rights are computed once for each version of the users and roles', () => {
  const snapshot = catalogOf(user('alice'));
  const later = snapshot.withActions([{ kind: 'create', object: table() }]);
  expect(rightsOf(later, 'alice')).toBe(rightsOf(snapshot, 'alice'));
  const changed = later.withActions([{ kind: 'create', object: role('r') }]);
  expect(rightsOf(changed, 'alice')).not.toBe(rightsOf(snapshot, 'alice'));
});

const NAMES = ['alice', 'a', 'b', 'c', 'd'] as const;
const names = fc.constantFrom(...NAMES);
const membership = fc.record({ of: names, role: fc.constantFrom('a', 'b', 'c', 'd'), admin: fc.boolean() });
const granted = fc.record({
  privilege: fc.constantFrom<Privilege>(...PRIVILEGES_ON.table),
  to: fc.constantFrom(...NAMES, PUBLIC_ROLE.id),
  grantable: fc.boolean(),
});
const engineGrant = fc.record({
  privilege: fc.constantFrom<Privilege>('CREATE ROLE', 'VACUUM ANY', 'READ EXTERNAL'),
  to: names,
  grantable: fc.boolean(),
});
const world = fc.record({
  memberships: fc.array(membership, { maxLength: 8 }),
  grants: fc.array(granted, { maxLength: 8 }),
  onEngine: fc.array(engineGrant, { maxLength: 5 }),
  owner: fc.constantFrom(...NAMES, 'somebody'),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

function snapshotOf({ memberships, grants, onEngine, owner }: World): Snapshot {
  const t = table({ owner, grants: grants.map((g) => grant(g.privilege, g.to, g.grantable)) });
  const held = (name: string) => ({
    memberOf: memberships.filter((m) => m.of === name).map((m) => member(m.role, m.admin)),
    grants: onEngine.filter((g) => g.to === name).map((g) => grant(g.privilege, name, g.grantable)),
  });
  const roles = NAMES.slice(1).map((name) => role(name, held(name)));
  return catalogOf(user('alice', held('alice')), ...roles, t);
}

/** Everything that the API can answer about one user, as a set of facts. */
function factsOf(snapshot: Snapshot): ReadonlySet<string> {
  const rights = rightsOf(snapshot, 'alice');
  const t = snapshot.relation(BOOTSTRAP_SCHEMA.id, 't')!;
  const holds: (readonly [string, boolean])[] = [
    ...PRIVILEGES_ON.table.map((one) => [`may ${one}`, rights.may(one, t)] as const),
    ...PRIVILEGES_ON.table.map((one) => [`may grant ${one}`, rights.mayGrant(one, t)] as const),
    ...(['CREATE ROLE', 'VACUUM ANY', 'READ EXTERNAL'] as const).flatMap((one) => [
      [`engine ${one}`, rights.mayOnEngine(one)] as const,
      [`engine grant ${one}`, rights.mayGrantOnEngine(one)] as const,
    ]),
    ...NAMES.map((name) => [`member of ${name}`, rights.isMemberOf(name)] as const),
    ...NAMES.map((name) => [`admin of ${name}`, rights.hasAdminOption(name as ObjectId)] as const),
    ['owns', rights.isOwner(t)],
    ['sees', visibleTo(rights, snapshot)(t)],
  ];
  return new Set(holds.filter(([, isTrue]) => isTrue).map(([fact]) => fact));
}

test('more grants and memberships never allow less', () => {
  fc.assert(
    fc.property(world, world, (before, more) => {
      const grown = {
        owner: before.owner,
        memberships: [...before.memberships, ...more.memberships],
        grants: [...before.grants, ...more.grants],
        onEngine: [...before.onEngine, ...more.onEngine],
      };
      expect(factsOf(snapshotOf(grown)).isSupersetOf(factsOf(snapshotOf(before)))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

const CONTEXT: AccessContext = {
  user: BOOTSTRAP_USER.name,
  database: 'tessera',
  rights: (snapshot) => rightsOf(snapshot, BOOTSTRAP_USER.name),
  credential: () => Promise.reject(new Error('no password')),
};

async function after(snapshot: Snapshot, sql: string): Promise<Snapshot> {
  const { actions } = await accessChange(CONTEXT, snapshot, classifyStatement(sql) as AccessStatement);
  return snapshot.withActions(actions);
}

const grantStatement = fc.oneof(
  granted.map(({ privilege, to, grantable }) => ({
    what: `${privilege} ON TABLE t`,
    to: to === PUBLIC_ROLE.id ? 'public' : to,
    option: grantable && to !== PUBLIC_ROLE.id ? 'WITH GRANT OPTION' : '',
  })),
  engineGrant.map(({ privilege, to, grantable }) => ({
    what: `${privilege} ON ENGINE`,
    to,
    option: grantable ? 'WITH GRANT OPTION' : '',
  })),
  fc.constantFrom(['a', 'alice'], ['b', 'alice'], ['c', 'a'], ['d', 'b']).map(([role = '', to = '']) => ({
    what: `ROLE ${role}`,
    to,
    option: '',
  })),
);

test('REVOKE takes back what GRANT gave, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(world, grantStatement, async (before, { what, to, option }) => {
      // Circular memberships cannot be granted.
      const memberships = before.memberships.filter((m) => m.role > m.of || m.of === 'alice');
      const snapshot = snapshotOf({ ...before, memberships });
      const revoke = `REVOKE ${what} FROM ${to} CASCADE`;
      const without = await after(snapshot, revoke);
      const given = await after(without, `GRANT ${what} TO ${to} ${option}`);
      const taken = await after(given, revoke);
      expect(factsOf(given).isSupersetOf(factsOf(without))).toBe(true);
      expect(factsOf(taken)).toEqual(factsOf(without));
    }),
    { numRuns: 300 },
  );
});
