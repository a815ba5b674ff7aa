import type { PrincipalName } from '@tessera/sql';
import type { Notices } from '../request/notices.ts';
import type { CommittedStatement } from './run-change.ts';

/**
 * Notifies the client, as PostgreSQL does, that IF EXISTS or IF NOT EXISTS made the statement do nothing.
 * Must only be called for a statement that changed nothing.
 */
export function noticeSkipped(statement: CommittedStatement, notices: Notices): void {
  const shown = shownObject(statement);
  if (shown === undefined) return;
  if ('ifNotExists' in statement) {
    notices.notice(`${shown} already exists, skipping`, { sqlState: '42710' });
  } else {
    notices.notice(`${shown} does not exist, skipping`);
  }
}

/** The object for the message, such as `table "t"`; undefined for a statement without IF [NOT] EXISTS. */
function shownObject(statement: CommittedStatement): string | undefined {
  switch (statement.kind) {
    case 'create_database':
    case 'create_location':
      return `${wordOf(statement.kind)} "${statement.name}"`;
    case 'create_schema':
    case 'create_table':
    case 'create_table_as':
    case 'clone_table':
    case 'create_view':
    case 'create_external_table':
    case 'create_aggregating_index':
    case 'create_skip_index':
    case 'alter_location':
      return `${wordOf(statement.kind)} ${quoted(statement.name)}`;
    case 'drop':
      return `${statement.object} ${[statement.name, ...statement.others].map(quoted).join(', ')}`;
    case 'alter_table':
      return `table ${quoted(statement.table)}`;
    case 'alter_view':
      return `view ${quoted(statement.view)}`;
    case 'create_user':
    case 'alter_user':
      return principal('user', statement.user);
    case 'create_role':
    case 'alter_role':
      return principal('role', statement.role);
    case 'drop_user':
    case 'drop_role':
      return principal(wordOf(statement.kind), statement.principal);
    default:
      return undefined;
  }
}

const quoted = ({ parts }: { readonly parts: readonly string[] }): string => `"${parts.join('.')}"`;

const principal = (word: string, { name }: PrincipalName): string => `${word} "${name}"`;

/** The kind of object in a kind of statement: `create_skip_index` contains `skip index`. */
const wordOf = (kind: CommittedStatement['kind']): string =>
  kind
    .replace(/^(?:create|clone|drop|alter)_/, '')
    .replace(/_as$/, '')
    .replaceAll('_', ' ');
