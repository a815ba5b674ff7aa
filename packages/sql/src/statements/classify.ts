import { asQueryId, remembered, TesseraError } from '@tessera/common';
import { isWord, stringOf } from '../text/lexer.ts';
import type { SqlText } from '../text/token-cursor.ts';
import { TokenCursor } from '../text/token-cursor.ts';
import type { CatalogStatement } from './catalog-statement.ts';
import { explainStatement } from './explain.ts';
import { alterStatement } from './grammar/alter.ts';
import { copyStatement } from './grammar/copy.ts';
import { createStatement } from './grammar/create.ts';
import { dropStatement, truncateStatement } from './grammar/drop.ts';
import { grantStatement, revokeStatement } from './grammar/grant.ts';
import { insertStatement } from './grammar/insert.ts';
import { leadingWith } from './grammar/leading-with.ts';
import { mergeStatement } from './grammar/merge.ts';
import { refuseUploads } from './grammar/refuse-uploads.ts';
import { showStatement } from './grammar/show.ts';
import { transactionStatement } from './grammar/transaction.ts';
import { deleteStatement, updateStatement } from './grammar/update-delete.ts';
import { principalStatement } from './grammar/users-and-roles.ts';
import { vacuumStatement } from './grammar/vacuum.ts';
import { withChanges } from './grammar/with-changes.ts';
import { cutSettingsSuffix } from './settings-suffix.ts';
import type { Statement } from './statement.ts';

const QUERY_WORDS = ['SELECT', 'WITH', 'VALUES', 'FROM', 'TABLE', 'SUMMARIZE'];

/** Objects that PostgreSQL can create and this engine does not have. */
const OTHER_OBJECTS = ['EXTENSION', 'MATERIALIZED VIEW', 'PROCEDURE', 'TRIGGER', 'POLICY', 'DOMAIN'];

/** Statements of PostgreSQL and Firebolt that are refused by name, longest names first. */
const UNSUPPORTED: readonly string[] = [
  ...['ENGINE', 'ACCOUNT'].flatMap((object) => [`CREATE ${object}`, `ALTER ${object}`, `DROP ${object}`]),
  ...['INDEX', 'AGGREGATING INDEX', 'DEFAULT PRIVILEGES'].map((object) => `ALTER ${object}`),
  ...['CREATE', 'ALTER', 'DROP'].flatMap((change) => OTHER_OBJECTS.map((object) => `${change} ${object}`)),
  'LOCK',
  'LISTEN',
  'UNLISTEN',
  'NOTIFY',
  'DO',
  'REFRESH MATERIALIZED VIEW',
  'CLUSTER',
  'REINDEX',
  'PREPARE',
  'EXECUTE',
  'DEALLOCATE',
  'USE SCHEMA',
  'SHOW',
  'PIVOT',
  'UNPIVOT',
  'ANALYZE',
  'SAVEPOINT',
  'RELEASE',
  'START ENGINE',
  'STOP ENGINE',
];

/** Statements of the kernel that users of an engine may not run. */
const KERNEL_ONLY = [
  'ATTACH',
  'DETACH',
  'INSTALL',
  'LOAD',
  'UPDATE EXTENSIONS',
  'PRAGMA',
  'EXPORT',
  'IMPORT',
  'CHECKPOINT',
  'FORCE',
  'CREATE MACRO',
  'CREATE FUNCTION',
  'CREATE TYPE',
  'CREATE SECRET',
  'CREATE PERSISTENT',
  'CREATE TEMP',
  'CREATE TEMPORARY',
  'CREATE OR REPLACE',
  'DROP MACRO',
  'DROP FUNCTION',
  'DROP TYPE',
  'DROP SECRET',
  'COMMENT',
];

/** Statements that clients repeat and that contain no password. */
const REPEATED: ReadonlySet<Statement['kind']> = new Set(['query', 'insert', 'update', 'delete']);

/**
 * Classifies a statement.
 * @throws TesseraError SYNTAX_ERROR, FORBIDDEN for statements that only the kernel has, INVALID_ARGUMENT for
 * `upload://` in a statement that does not read uploads
 */
export const classifyStatement = remembered(classified, ({ kind }) => REPEATED.has(kind));

function classified(text: string): Statement {
  const cursor = new TokenCursor(text);
  if (cursor.peek() === undefined) return cursor.unexpected('a statement');
  const changing = withChanges(cursor);
  if (changing !== undefined) return changesThen(cursor, changing);
  const leading = leadingWith(cursor);
  const change = changeStatement(cursor, leading);
  if (change !== undefined) return change;
  const parenthesised = cursor.peek()?.image === '(';
  if (parenthesised || isWord(cursor.peek(), ...QUERY_WORDS))
    return { kind: 'query', ...cutSettingsSuffix(text) };
  if (cursor.isAt('EXPLAIN')) return explainStatement(cursor, classifyStatement);
  refuseUploads(cursor);
  return catalogStatement(cursor) ?? sessionStatement(cursor) ?? otherStatement(cursor);
}

/** @throws TesseraError SYNTAX_ERROR if neither a query nor a change of rows follows */
function changesThen(
  cursor: TokenCursor,
  { changes, sql }: Exclude<ReturnType<typeof withChanges>, undefined>,
): Statement {
  const statement = classifyStatement(sql);
  switch (statement.kind) {
    case 'query':
    case 'insert':
    case 'update':
    case 'delete':
    case 'merge':
      return { kind: 'with_changes', changes, main: { sql, statement }, settings: statement.settings ?? [] };
    default:
      return cursor.unexpected('a query or a change after WITH');
  }
}

/** Parses INSERT, UPDATE, DELETE or MERGE, which a WITH clause may precede. */
function changeStatement(cursor: TokenCursor, leading: SqlText | undefined): CatalogStatement | undefined {
  if (cursor.isAt('INSERT')) return insertStatement(cursor, leading);
  if (cursor.isAt('UPDATE') && !cursor.isAt('UPDATE', 'EXTENSIONS')) return updateStatement(cursor, leading);
  if (cursor.isAt('DELETE')) return deleteStatement(cursor, leading);
  if (cursor.isAt('MERGE')) return mergeStatement(cursor, leading);
  return undefined;
}

function catalogStatement(cursor: TokenCursor): CatalogStatement | undefined {
  if (cursor.isAt('TRUNCATE')) return truncateStatement(cursor);
  if (cursor.isAt('COPY')) return copyStatement(cursor);
  if (cursor.isAt('VACUUM')) return vacuumStatement(cursor);
  if (cursor.accept('GRANT')) return grantStatement(cursor);
  if (cursor.accept('REVOKE')) return revokeStatement(cursor);
  return (
    principalStatement(cursor) ??
    createStatement(cursor) ??
    alterStatement(cursor) ??
    dropStatement(cursor) ??
    transactionStatement(cursor) ??
    showStatement(cursor)
  );
}

function sessionStatement(cursor: TokenCursor): Statement | undefined {
  if (cursor.accept('SET')) return setStatement(cursor);
  if (cursor.accept('RESET'))
    return finished(cursor, { kind: 'reset', name: cursor.expectName('a setting') });
  if (cursor.isAt('USE', 'SCHEMA')) return undefined;
  if (cursor.accept('USE', 'ENGINE')) {
    return finished(cursor, { kind: 'use_engine', engine: cursor.expectName('an engine') });
  }
  if (cursor.accept('USE')) {
    cursor.accept('DATABASE');
    return finished(cursor, { kind: 'use_database', database: cursor.expectName('a database') });
  }
  if (cursor.accept('CANCEL', 'QUERY')) return cancelStatement(cursor);
  if (cursor.accept('CALL')) return callStatement(cursor);
  return showSetting(cursor);
}

function finished(cursor: TokenCursor, statement: Statement): Statement {
  cursor.expectEnd();
  return statement;
}

function setStatement(cursor: TokenCursor): Statement {
  cursor.accept('SESSION');
  if (cursor.accept('TIME', 'ZONE')) {
    return finished(cursor, { kind: 'set', name: 'timezone', value: cursor.expectValue('a time zone') });
  }
  const name = cursor.expectName('a setting');
  if (!cursor.acceptSymbol('=') && !cursor.accept('TO')) cursor.unexpected('"="');
  return finished(cursor, { kind: 'set', name, value: cursor.expectValue(`a value for ${name}`) });
}

function cancelStatement(cursor: TokenCursor): Statement {
  cursor.expectWord('WHERE');
  cursor.expectWord('QUERY_ID');
  cursor.expectSymbol('=');
  const token = cursor.next();
  const queryId = token && stringOf(token);
  if (queryId === undefined) return cursor.unexpected('the query id as a string');
  return finished(cursor, { kind: 'cancel_query', queryId: asQueryId(queryId) });
}

function callStatement(cursor: TokenCursor): Statement {
  const name = cursor.expectName('a procedure');
  const values: string[] = [];
  cursor.expectSymbol('(');
  if (!cursor.acceptSymbol(')')) {
    do values.push(cursor.expectValue(`an argument of ${name}`));
    while (cursor.acceptSymbol(','));
    cursor.expectSymbol(')');
  }
  return finished(cursor, { kind: 'call', name, arguments: values });
}

/** SHOW lists that this version does not support. */
const UNSUPPORTED_LISTS = ['CACHE', 'CREATE', 'FULL'];

function showSetting(cursor: TokenCursor): Statement | undefined {
  if (!cursor.isAt('SHOW')) return undefined;
  if (isWord(cursor.peek(1), ...UNSUPPORTED_LISTS)) return undefined;
  cursor.accept('SHOW');
  if (cursor.accept('ALL') || cursor.accept('SETTINGS'))
    return finished(cursor, { kind: 'show_setting', name: undefined });
  if (cursor.accept('TIME', 'ZONE')) return finished(cursor, { kind: 'show_setting', name: 'timezone' });
  return finished(cursor, { kind: 'show_setting', name: cursor.expectName('a setting') });
}

function otherStatement(cursor: TokenCursor): Statement {
  const name = UNSUPPORTED.find((words) => cursor.isAt(...words.split(' ')));
  if (name === 'SHOW')
    return { kind: 'unsupported', name: `SHOW ${cursor.peek(1)?.image.toUpperCase() ?? ''}`.trim() };
  if (name !== undefined) return { kind: 'unsupported', name };
  const refused = KERNEL_ONLY.find((words) => cursor.isAt(...words.split(' ')));
  if (refused !== undefined) {
    throw TesseraError.of('FORBIDDEN', { message: `${refused} is not available in this engine` });
  }
  return cursor.unexpected('a statement');
}
