import type { Privilege } from '@tessera/catalog';
import { classifyStatement, type ObjectName, type ShowStatement, type Statement } from '@tessera/sql';
import { accessRequirements, showGrantsRequirements } from './access-requirements.ts';
import { changeRequirements, vacuumRequirements } from './change-requirements.ts';
import { alterRequirements, createRequirements, dropRequirements } from './definition-requirements.ts';
import {
  type RequirementScope,
  type Requirements,
  relationNamed,
  usableDatabase,
  usableSchema,
} from './lookup.ts';

/** Procedures and the privilege that each requires; other procedures require none. */
const PROCEDURES: Readonly<Record<string, Privilege>> = { collect_garbage: 'COLLECT GARBAGE' };

/**
 * The privileges that a statement requires, as a function of the catalog. Undefined if it requires none, or
 * if they are checked elsewhere: for relations and files when the query is bound, and for owners of queries
 * and transactions where these are looked up.
 */
export function statementRequirements(
  statement: Statement,
): ((scope: RequirementScope) => Requirements) | undefined {
  switch (statement.kind) {
    case 'query':
    case 'set':
    case 'reset':
    case 'show_setting':
    case 'use_engine':
    case 'cancel_query':
    case 'begin':
    case 'commit':
    case 'rollback':
    case 'savepoint':
    case 'release_savepoint':
    case 'rollback_to_savepoint':
    case 'unsupported':
      return undefined;
    case 'explain':
      return statement.change && statementRequirements(statement.change);
    case 'use_database':
      return (scope) => use(scope, statement.database);
    case 'call': {
      const privilege = PROCEDURES[statement.name.toLowerCase()];
      return privilege && (() => onEngine(privilege));
    }
    case 'create_database':
    case 'create_schema':
    case 'create_table':
    case 'create_table_as':
    case 'clone_table':
    case 'create_view':
    case 'create_external_table':
    case 'create_location':
    case 'create_sequence':
    case 'create_aggregating_index':
    case 'create_skip_index':
      return (scope) => createRequirements(scope, statement);
    case 'alter_database':
    case 'alter_schema':
    case 'alter_table':
    case 'alter_view':
    case 'alter_location':
    case 'alter_sequence':
      return (scope) => alterRequirements(scope, statement);
    case 'drop':
      return (scope) => dropRequirements(scope, statement);
    case 'insert':
    case 'update':
    case 'delete':
    case 'merge':
    case 'truncate':
    case 'copy_from':
    case 'copy_from_stdin':
    case 'copy_to':
      return (scope) => changeRequirements(scope, statement);
    case 'with_changes':
      return (scope) =>
        requirementsOfAll(scope, [
          ...statement.changes.map(({ sql }) => classifyStatement(sql)),
          statement.main.statement,
        ]);
    case 'vacuum':
      return (scope) => vacuumRequirements(scope, statement);
    case 'show':
      return (scope) => showRequirements(scope, statement);
    case 'show_grants':
      return (scope) => showGrantsRequirements(scope, statement);
    case 'create_user':
    case 'create_role':
    case 'alter_user':
    case 'alter_role':
    case 'drop_user':
    case 'drop_role':
    case 'reassign_owned':
    case 'grant':
    case 'revoke':
      return (scope) => accessRequirements(scope, statement);
    default:
      return statement satisfies never;
  }
}

function* requirementsOfAll(scope: RequirementScope, statements: readonly Statement[]): Requirements {
  for (const statement of statements) {
    const requirements = statementRequirements(statement);
    if (requirements !== undefined) yield* requirements(scope);
  }
}

function* use(scope: RequirementScope, database: string): Requirements {
  yield* usableDatabase(scope, database);
}

function* onEngine(privilege: Privilege): Requirements {
  yield { kind: 'engine privilege', privilege };
}

/** Lists are filtered by visibility; a named relation must be visible to the user. */
function* showRequirements(scope: RequirementScope, { what, name }: ShowStatement): Requirements {
  if (name === undefined) return;
  const isOfOne = what === 'describe' || what === 'create_table' || what === 'columns';
  if (!isOfOne) {
    yield* listedIn(scope, name);
    return;
  }
  const object = yield* relationNamed(scope, name);
  if (object !== undefined) yield { kind: 'visible', object, location: name.location };
}

/** `IN a` is a schema of this database, or else a database; `IN a.b` is a schema of another database. */
function* listedIn(scope: RequirementScope, { parts, location }: ObjectName): Requirements {
  const { snapshot } = scope;
  const [first = '', second] = parts;
  const here = snapshot.database(scope.database);
  const isDatabase = snapshot.database(first) !== undefined;
  const isSchema = here !== undefined && snapshot.schema(here.id, first) !== undefined;
  if (second !== undefined) yield* usableSchema(scope, { schema: second, database: first }, location);
  else if (isDatabase && !isSchema) yield* usableDatabase(scope, first, location);
  else yield* usableSchema(scope, { schema: first }, location);
}
