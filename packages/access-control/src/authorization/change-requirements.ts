import type { Privilege, RelationObject } from '@tessera/catalog';
import {
  type ChangeStatement,
  type CopyFromStatement,
  type CopyToStatement,
  type DeleteStatement,
  type InsertStatement,
  type MergeStatement,
  namesIn,
  type ObjectName,
  type UpdateStatement,
  type VacuumStatement,
} from '@tessera/sql';
import {
  changedTable,
  privilegeOn,
  type RequirementScope,
  type Requirements,
  relationNamed,
  usableLocation,
} from './lookup.ts';

/**
 * The requirements for the changed table, and for sources and destinations of files. Privileges for what
 * queries read are checked when they are bound.
 */
export function* changeRequirements(scope: RequirementScope, statement: ChangeStatement): Requirements {
  switch (statement.kind) {
    case 'copy_from_stdin':
      yield* copiedTable(scope, statement);
      break;
    case 'insert':
      yield* onTable(scope, statement.table, () => insertPrivileges(statement));
      break;
    case 'update':
      yield* onTable(scope, statement.table, (table) =>
        updateReads(statement, table) ? ['UPDATE', 'SELECT'] : ['UPDATE'],
      );
      break;
    case 'delete':
      yield* onTable(scope, statement.table, () =>
        deleteReads(statement) ? ['DELETE', 'SELECT'] : ['DELETE'],
      );
      break;
    case 'merge':
      yield* onTable(scope, statement.table, () => mergePrivileges(statement));
      break;
    case 'truncate':
      yield* onTable(scope, statement.table, () => ['TRUNCATE']);
      break;
    case 'copy_from':
      yield* copyFromRequirements(scope, statement);
      break;
    case 'copy_to':
      yield* copyPlaceRequirements(scope, statement, 'WRITE EXTERNAL');
      break;
    default:
      statement satisfies never;
  }
}

function* onTable(
  scope: RequirementScope,
  name: ObjectName,
  privileges: (table: RelationObject) => readonly Privilege[],
): Requirements {
  const table = yield* changedTable(scope, name);
  if (table === undefined) return;
  for (const privilege of privileges(table)) yield privilegeOn(table, privilege, name.location);
}

/** As in PostgreSQL, SELECT is required as soon as the statement reads existing rows. */
export function updateReads(
  { set, from, where, with: leading, alias, returning }: UpdateStatement,
  table: RelationObject,
): boolean {
  if ([from, where, leading, returning].some((clause) => clause !== undefined)) return true;
  const columns = 'columns' in table ? table.columns.map(({ name }) => name) : [];
  // COLUMNS('pattern') refers to columns without naming them. The kernel ignores the case of names.
  const names = [...columns, table.name, alias ?? table.name, 'columns'];
  const named = new Set(names.map((name) => name.toLowerCase()));
  return set.some(({ value }) => {
    if (value === undefined) return false;
    // #1 refers to the first column.
    return value.sql.includes('#') || namesIn(value.sql).some((name) => named.has(name.toLowerCase()));
  });
}

function insertPrivileges({ onConflict, returning }: InsertStatement): readonly Privilege[] {
  return [
    'INSERT',
    ...(onConflict?.update !== undefined ? (['UPDATE'] as const) : []),
    ...(onConflict !== undefined || returning !== undefined ? (['SELECT'] as const) : []),
  ];
}

const deleteReads = ({ using, where, returning }: DeleteStatement): boolean =>
  using !== undefined || where !== undefined || returning !== undefined;

function mergePrivileges({ clauses }: MergeStatement): readonly Privilege[] {
  const does = (kind: string) => clauses.some(({ action }) => action.kind === kind);
  return [
    'SELECT',
    ...(does('insert') ? (['INSERT'] as const) : []),
    ...(does('update') ? (['UPDATE'] as const) : []),
    ...(does('delete') ? (['DELETE'] as const) : []),
  ];
}

/** Unlike INSERT, COPY reports a missing schema as such, as in PostgreSQL. */
function* copiedTable(
  scope: RequirementScope,
  { table: name }: { readonly table: ObjectName },
): Requirements {
  const table = yield* relationNamed(scope, name);
  if (table !== undefined) yield privilegeOn(table, 'INSERT', name.location);
}

function* copyFromRequirements(scope: RequirementScope, statement: CopyFromStatement): Requirements {
  yield* copiedTable(scope, statement);
  yield* copyPlaceRequirements(scope, statement, 'READ EXTERNAL');
  if (statement.options.error_file !== undefined) {
    yield { kind: 'engine privilege', privilege: 'WRITE EXTERNAL' };
  }
}

function* copyPlaceRequirements(
  scope: RequirementScope,
  { url, locationName }: CopyFromStatement | CopyToStatement,
  privilege: Privilege,
): Requirements {
  if (locationName !== undefined) yield* usableLocation(scope, locationName);
  if (url !== undefined) yield { kind: 'engine privilege', privilege };
}

/** VACUUM requires its privilege on the table, or on all tables. */
export function* vacuumRequirements(scope: RequirementScope, { table: name }: VacuumStatement): Requirements {
  const table = yield* relationNamed(scope, name);
  if (table === undefined) return;
  const { location } = name;
  const onAny = { kind: 'engine privilege', privilege: 'VACUUM ANY' } as const;
  yield { kind: 'one of', requirements: [privilegeOn(table, 'VACUUM', location), onAny], location };
}
