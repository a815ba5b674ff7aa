import { fail, TesseraError } from '@tessera/common';
import { isWord, stringOf } from '../text/lexer.ts';
import { explainStatement } from './explain.ts';
import { cutSettingsSuffix } from './settings-suffix.ts';
import type { Statement } from './statement.ts';
import { TokenCursor } from './token-cursor.ts';

const QUERY_WORDS = ['SELECT', 'WITH', 'VALUES', 'FROM', 'TABLE', 'SUMMARIZE'];

/** Statements the product has in later versions, longest names first. */
const UNSUPPORTED: readonly string[] = [
  'CREATE OR REPLACE LOCATION',
  'CREATE OR REPLACE VIEW',
  'CREATE AGGREGATING INDEX',
  'CREATE EXTERNAL TABLE',
  'CREATE DIMENSION TABLE',
  'CREATE FACT TABLE',
  ...[
    'DATABASE',
    'SCHEMA',
    'TABLE',
    'VIEW',
    'INDEX',
    'LOCATION',
    'USER',
    'ROLE',
    'ENGINE',
    'ACCOUNT',
  ].flatMap((object) => [`CREATE ${object}`, `ALTER ${object}`, `DROP ${object}`]),
  'ALTER AGGREGATING INDEX',
  'DROP AGGREGATING INDEX',
  'BEGIN',
  'START TRANSACTION',
  'COMMIT',
  'ROLLBACK',
  'ABORT',
  'END',
  'INSERT',
  'UPDATE',
  'DELETE',
  'MERGE',
  'COPY',
  'TRUNCATE',
  'VACUUM',
  'GRANT',
  'REVOKE',
  'PREPARE',
  'EXECUTE',
  'DEALLOCATE',
  'USE SCHEMA',
  'SHOW',
  'DESCRIBE',
  'DESC',
  'PIVOT',
  'UNPIVOT',
  'ANALYZE',
  'START ENGINE',
  'STOP ENGINE',
];

/** Statements of the kernel that users of an engine have no business with. */
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
  'CREATE SEQUENCE',
  'CREATE SECRET',
  'CREATE PERSISTENT',
  'CREATE TEMP',
  'CREATE TEMPORARY',
  'CREATE OR REPLACE',
  'DROP MACRO',
  'DROP FUNCTION',
  'DROP TYPE',
  'DROP SEQUENCE',
  'DROP SECRET',
  'COMMENT',
];

/** Statements that may not name an upload, by their first words; the files of a request do not outlive it. */
const NO_UPLOADS = [
  'COPY',
  'CREATE EXTERNAL TABLE',
  'CREATE VIEW',
  'CREATE OR REPLACE VIEW',
  'CREATE LOCATION',
];

/**
 * What kind of statement a text is.
 * @throws TesseraError SYNTAX_ERROR, FORBIDDEN for statements of the kernel alone, INVALID_ARGUMENT for `upload://` in
 * a statement that does not read uploads
 */
export function classifyStatement(text: string): Statement {
  const cursor = new TokenCursor(text);
  if (cursor.peek() === undefined) return cursor.unexpected('a statement');
  const parenthesised = cursor.peek()?.image === '(';
  if (parenthesised || isWord(cursor.peek(), ...QUERY_WORDS))
    return { kind: 'query', ...cutSettingsSuffix(text) };
  if (cursor.isAt('EXPLAIN')) return explainStatement(cursor);
  return sessionStatement(cursor) ?? otherStatement(cursor);
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
  return showStatement(cursor);
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
  return finished(cursor, { kind: 'cancel_query', queryId });
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

const CATALOG_LISTS =
  'TABLES COLUMNS DATABASES SCHEMAS INDEXES VIEWS ENGINES USERS ROLES LOCATIONS CATALOGS CACHE GRANTS CREATE FULL'.split(
    ' ',
  );

function showStatement(cursor: TokenCursor): Statement | undefined {
  if (!cursor.isAt('SHOW')) return undefined;
  if (isWord(cursor.peek(1), ...CATALOG_LISTS)) return undefined;
  cursor.accept('SHOW');
  if (cursor.accept('ALL') || cursor.accept('SETTINGS'))
    return finished(cursor, { kind: 'show_setting', name: undefined });
  if (cursor.accept('TIME', 'ZONE')) return finished(cursor, { kind: 'show_setting', name: 'timezone' });
  return finished(cursor, { kind: 'show_setting', name: cursor.expectName('a setting') });
}

function otherStatement(cursor: TokenCursor): Statement {
  refuseUploads(cursor);
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

function refuseUploads(cursor: TokenCursor): void {
  const words = NO_UPLOADS.find((statement) => cursor.isAt(...statement.split(' ')));
  if (words === undefined) return;
  const isCopyOfQuery = words === 'COPY' && cursor.peek(1)?.image === '(';
  const upload = cursor.tokens.find((t) => stringOf(t)?.trimStart().toLowerCase().startsWith('upload://'));
  if (upload === undefined || isCopyOfQuery) return;
  const statement = words === 'COPY' ? 'COPY FROM' : words;
  fail('INVALID_ARGUMENT', {
    message: `upload:// works only in the READ_* functions of a query, not in ${statement}: uploaded files exist only while the request runs`,
  });
}
