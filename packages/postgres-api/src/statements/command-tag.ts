import type { Statement } from '@tessera/sql';

/** The CommandComplete tag of a statement; `rows` is the number of rows that it returned or changed. */
export function commandTag(statement: Statement, rows: number): string {
  switch (statement.kind) {
    case 'query':
    case 'create_table_as':
      return `SELECT ${rows}`;
    case 'insert':
      return `INSERT 0 ${rows}`;
    case 'update':
    case 'delete':
    case 'merge':
      return `${statement.kind.toUpperCase()} ${rows}`;
    case 'with_changes':
      return commandTag(statement.main.statement, rows);
    case 'copy_from':
    case 'copy_to':
      return `COPY ${rows}`;
    case 'truncate':
      return 'TRUNCATE TABLE';
    case 'drop':
      return `DROP ${statement.object.toUpperCase()}`;
    case 'clone_table':
      return 'CREATE TABLE';
    case 'create_skip_index':
    case 'create_aggregating_index':
      return 'CREATE INDEX';
    case 'show_setting':
      return 'SHOW';
    case 'use_database':
    case 'use_engine':
      return 'SET';
    case 'create_user':
    case 'alter_user':
    case 'drop_user':
      return statement.kind.replace('_user', ' role').toUpperCase();
    case 'grant':
    case 'revoke':
      return `${statement.kind}${statement.granted.kind === 'roles' ? ' role' : ''}`.toUpperCase();
    case 'show_grants':
      return 'SHOW';
    default:
      return statement.kind.replaceAll('_', ' ').toUpperCase();
  }
}

const WITH_ROWS: ReadonlySet<Statement['kind']> = new Set([
  'query',
  'explain',
  'show',
  'show_grants',
  'show_setting',
  'call',
]);

/** Whether a statement returns rows and changes nothing. */
export const isQuery = ({ kind }: Statement): boolean => WITH_ROWS.has(kind);

const WITHOUT_CHANGE: ReadonlySet<Statement['kind']> = new Set([
  ...WITH_ROWS,
  'set',
  'reset',
  'use_database',
  'use_engine',
  'cancel_query',
  'copy_to',
]);

/** Whether a statement may change tables or the catalog. */
export const changes = ({ kind }: Statement): boolean => !WITHOUT_CHANGE.has(kind);
