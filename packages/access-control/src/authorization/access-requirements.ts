import { ENGINE_PRIVILEGES, type PrincipalObject, PUBLIC_ROLE, type Snapshot } from '@tessera/catalog';
import type {
  AccessStatement,
  Granted,
  GrantTarget,
  PrincipalName,
  PrivilegeName,
  ShowGrantsStatement,
  UserOptions,
} from '@tessera/sql';
import { PRIVILEGES_ON } from '../rights/privileges.ts';
import { rightsOf } from '../rights/rights.ts';
import { nameOfPrincipal, newOwner, schemaNamed } from './definition-requirements.ts';
import {
  type RequirementScope,
  type Requirements,
  relationNamed,
  schemaOfRelation,
  usableDatabase,
} from './lookup.ts';
import type { Requirement, SecuredObject } from './requirement.ts';

const CREATE_ROLE: Requirement = { kind: 'engine privilege', privilege: 'CREATE ROLE' };

/**
 * The requirements of statements about users and roles. No statement gives a user more than the executing
 * user has or may grant: `docs/access-control.md`.
 */
export function* accessRequirements(scope: RequirementScope, statement: AccessStatement): Requirements {
  switch (statement.kind) {
    case 'create_user':
    case 'create_role':
      yield CREATE_ROLE;
      yield* membershipRequirements(scope, statement.roles);
      break;
    case 'alter_user':
      if (statement.change.kind === 'options' && isOwnMatter(scope, statement.user, statement.change.options))
        break;
      yield* principalRequirements(scope, statement.user, 'alter');
      if (statement.change.kind === 'owner')
        yield* ownerRequirements(scope, statement.user, statement.change.to);
      break;
    case 'alter_role':
      yield* principalRequirements(scope, statement.role, 'alter');
      if (statement.change.kind === 'owner')
        yield* ownerRequirements(scope, statement.role, statement.change.to);
      break;
    case 'drop_user':
    case 'drop_role':
      yield* principalRequirements(scope, statement.principal, 'drop');
      break;
    case 'reassign_owned':
      for (const { name, location } of [...statement.from, statement.to])
        yield { ...newOwner(scope, name), location };
      break;
    case 'grant':
    case 'revoke':
      yield* grantRequirements(scope, statement.granted);
      break;
    default:
      statement satisfies never;
  }
}

/** Every user may change their own password and default database. */
const isOwnMatter = (scope: RequirementScope, user: PrincipalName, { enabled }: UserOptions): boolean =>
  nameOfPrincipal(scope, user.name) === scope.user && enabled === undefined;

function* principalRequirements(
  scope: RequirementScope,
  { name, location }: PrincipalName,
  verb: string,
): Requirements {
  const principal = scope.snapshot.principal(nameOfPrincipal(scope, name));
  const needsAll = principal !== undefined && isAdministrative(scope.snapshot, principal);
  // A user who may not see other users is not told which of them are administrators.
  if (needsAll && scope.isVisible(principal))
    yield { kind: 'administrator', toDo: `${verb} "${name}"`, location };
  yield { ...CREATE_ROLE, location };
}

/** The owners of a role may grant it. */
function* ownerRequirements(
  scope: RequirementScope,
  { name, location }: PrincipalName,
  to: PrincipalName,
): Requirements {
  const principal = scope.snapshot.principal(nameOfPrincipal(scope, name));
  if (principal !== undefined) yield { kind: 'ownership', object: principal, location };
  yield { ...newOwner(scope, to.name), location: to.location };
}

/** Whether members of the role are administrators. */
const isAdministrative = (snapshot: Snapshot, { name }: PrincipalObject): boolean =>
  rightsOf(snapshot, name).isAdministrator;

/** The requirements for adding members to roles or removing them. */
function* membershipRequirements(scope: RequirementScope, roles: readonly PrincipalName[]): Requirements {
  for (const { name, location } of roles) {
    const role = scope.snapshot.principal(nameOfPrincipal(scope, name));
    if (role !== undefined && isAdministrative(scope.snapshot, role))
      yield { kind: 'administrator', toDo: `grant "${name}"`, location };
    const adminOption: Requirement = { kind: 'admin option', role: name, location };
    if (role === undefined || role.id === PUBLIC_ROLE.id) yield adminOption;
    else {
      const ownership: Requirement = { kind: 'ownership', object: role, location };
      yield { kind: 'one of', requirements: [adminOption, ownership], location };
    }
  }
}

function* grantRequirements(scope: RequirementScope, granted: Granted): Requirements {
  if (granted.kind === 'roles') {
    yield* membershipRequirements(scope, granted.roles);
    return;
  }
  const { privileges, on, location } = granted;
  if (on.kind === 'engine') {
    for (const privilege of privileges === 'all' ? ENGINE_PRIVILEGES : privileges)
      yield { kind: 'grant option', privilege, location };
    return;
  }
  for (const target of targetsOf(scope, on)) {
    if (target.kind === 'needed') yield target.requirement;
    else yield* grantOptions(target.object, privileges, granted);
  }
}

function* grantOptions(
  object: SecuredObject,
  privileges: readonly PrivilegeName[] | 'all',
  { location }: Extract<Granted, { kind: 'privileges' }>,
): Requirements {
  const known = PRIVILEGES_ON[object.kind];
  const asked = privileges === 'all' ? known : privileges;
  for (const privilege of asked.filter((one) => known.includes(one)))
    yield { kind: 'grant option', privilege, object, location };
}

type Target =
  | { readonly kind: 'needed'; readonly requirement: Requirement }
  | { readonly kind: 'object'; readonly object: SecuredObject };

/** The objects of a target, each after the requirements for naming it. */
function* targetsOf(
  scope: RequirementScope,
  target: Exclude<GrantTarget, { kind: 'engine' }>,
): Generator<Target, void> {
  const { snapshot } = scope;
  switch (target.kind) {
    case 'table':
    case 'view':
      for (const name of target.names) yield* named(relationNamed(scope, name));
      break;
    case 'all_in_schema':
      for (const name of target.schemas) {
        const schema = yield* needed(schemaNamed(scope, name));
        if (schema === undefined) continue;
        for (const object of snapshot.relations(schema.id))
          if (target.of === 'table' || object.kind === 'view') yield { kind: 'object', object };
      }
      break;
    case 'schema':
      for (const name of target.names) yield* named(schemaNamed(scope, name));
      break;
    case 'sequence':
      for (const name of target.names) {
        const schema = yield* needed(schemaOfRelation(scope, name));
        const object = schema && snapshot.sequence(schema.id, name.parts.at(-1) ?? '');
        if (object !== undefined) yield { kind: 'object', object };
      }
      break;
    case 'location':
      for (const { parts, location } of target.names) {
        const [name = '', databaseName = scope.database] = [...parts].reverse();
        const database = yield* needed(usableDatabase(scope, databaseName, location));
        const object = snapshot.location(database.id, name);
        if (object !== undefined) yield { kind: 'object', object };
      }
      break;
    case 'database':
      for (const { parts } of target.names) {
        const object = snapshot.database(parts.at(-1) ?? '');
        if (object !== undefined) yield { kind: 'object', object };
      }
      break;
    default:
      target satisfies never;
  }
}

function* needed<T>(found: Requirements<T>): Generator<Target, T> {
  for (;;) {
    const step = found.next();
    if (step.done === true) return step.value;
    yield { kind: 'needed', requirement: step.value };
  }
}

function* named(found: Requirements<SecuredObject | undefined>): Generator<Target, void> {
  const object = yield* needed(found);
  if (object !== undefined) yield { kind: 'object', object };
}

/** The result is filtered by visibility; only objects that the statement names have requirements. */
export function* showGrantsRequirements(
  scope: RequirementScope,
  { on, of }: ShowGrantsStatement,
): Requirements {
  if (of !== undefined) {
    const membership: Requirement = newOwner(scope, of.name);
    yield { kind: 'one of', requirements: [membership, CREATE_ROLE], location: of.location };
  }
  if (on === undefined || on.kind === 'engine') return;
  for (const target of targetsOf(scope, on)) {
    if (target.kind === 'needed') yield target.requirement;
    else if (on.kind !== 'all_in_schema') yield { kind: 'visible', object: target.object };
  }
}
