import { fail } from '@tessera/common';
import { isParameter, isWord, QuotedName } from '../../text/lexer.ts';
import type { TokenCursor } from '../../text/token-cursor.ts';
import type { CreateStatement, Options } from '../catalog-statement.ts';
import { tableElements } from './column-definition.ts';
import { createAggregatingIndex, createSkipIndex, secondaryIndex } from './create-index.ts';
import { createTable } from './create-table.ts';
import { restAsQuery } from './expression-text.ts';
import { EXTERNAL_TABLE_OPTIONS } from './file-options.ts';
import { identifier, ifNotExists, objectName, parenthesisedNames } from './names.ts';
import { bareOptions, choiceOption, type ReadOptionList } from './option-list.ts';
import { createSequence } from './sequence.ts';
import { unsupported } from './unsupported.ts';

const FORMATS = ['PARQUET', 'CSV', 'TSV', 'JSON', 'AVRO'] as const;

/** `CREATE EXTERNAL TABLE [IF NOT EXISTS] t (c type, …) URL = '…' | LOCATION = l … TYPE = (…)`, from the name on. */
function createExternalTable(cursor: TokenCursor): CreateStatement {
  const quiet = ifNotExists(cursor);
  const name = objectName(cursor, 'the name of a table');
  const { columns, constraints } = tableElements(cursor);
  if (constraints[0] !== undefined) {
    const what = 'A constraint in an external table';
    fail('NOT_SUPPORTED', { what }, { location: constraints[0].location });
  }
  const withDefault = columns.find((c) => c.default !== undefined);
  if (withDefault !== undefined) {
    const what = 'A default in an external table';
    fail('NOT_SUPPORTED', { what }, { location: withDefault.location });
  }
  cursor.accept('WITH');
  const list = bareOptions(cursor, EXTERNAL_TABLE_OPTIONS);
  cursor.expectEnd();
  const format = choiceOption(list, 'type', FORMATS);
  const { url, location: locationName, object_pattern: objectPattern } = list.values;
  if ((url === undefined) === (locationName === undefined)) {
    const message = 'CREATE EXTERNAL TABLE takes either URL = … or LOCATION = …';
    fail('SYNTAX_ERROR', { message }, { location: name.location });
  }
  if (format === undefined) {
    fail('SYNTAX_ERROR', { message: 'CREATE EXTERNAL TABLE needs TYPE = (…)' }, { location: name.location });
  }
  return {
    kind: 'create_external_table',
    name,
    ifNotExists: quiet,
    columns,
    url,
    locationName,
    objectPattern,
    format,
    options: formatOptions(list),
    credentials: list.groups['credentials'] ?? {},
  };
}

function formatOptions({ values }: ReadOptionList): Options {
  const { type: _type, url: _url, location: _location, object_pattern: _pattern, ...options } = values;
  return options;
}

const SOURCES = ['AMAZON_S3', 'GOOGLE_CLOUD_STORAGE', 'AZURE_BLOB_STORAGE', 'LOCAL'] as const;
const OPTIONS = {
  of: 'CREATE LOCATION',
  values: ['source', 'url', 'description'],
  groups: ['credentials'],
};

/** `CREATE [OR REPLACE] LOCATION [IF NOT EXISTS] l WITH SOURCE = … URL = '…' [CREDENTIALS = (…)]`, from the name on. */
function createLocation(cursor: TokenCursor, orReplace: boolean): CreateStatement {
  const quiet = ifNotExists(cursor);
  const start = cursor.offset;
  const name = identifier(cursor, 'the name of a location');
  const location = cursor.locationFrom(start);
  cursor.expectWord('WITH');
  const list = bareOptions(cursor, OPTIONS);
  cursor.expectEnd();
  const source = choiceOption(list, 'source', SOURCES);
  const { url, description } = list.values;
  if (source === undefined || url === undefined) {
    const missing = source === undefined ? 'SOURCE' : 'URL';
    fail('SYNTAX_ERROR', { message: `CREATE LOCATION needs ${missing} = …` }, { location });
  }
  const credentials = list.groups['credentials'] ?? {};
  return {
    kind: 'create_location',
    name,
    orReplace,
    ifNotExists: quiet,
    source,
    url,
    description,
    options: {},
    credentials,
  };
}

const TEMPORARY = ['TEMP', 'TEMPORARY'];
/** Words before TEMP that mean nothing, as in PostgreSQL. */
const SCOPES = ['LOCAL', 'GLOBAL'];

/** Parses `CREATE …`. Undefined, with the cursor unmoved, for objects that do not belong to the catalog. */
export function createStatement(cursor: TokenCursor): CreateStatement | undefined {
  if (!cursor.isAt('CREATE')) return undefined;
  const orReplace = cursor.isAt('CREATE', 'OR', 'REPLACE');
  const object = orReplace ? 3 : 1;
  const next = cursor.peek(object);
  if (orReplace && !isWord(next, 'VIEW', 'LOCATION', 'TABLE', 'FACT', 'DIMENSION', ...TEMPORARY, ...SCOPES))
    return undefined;
  const take = (...words: readonly string[]) =>
    cursor.accept('CREATE', ...(orReplace ? ['OR', 'REPLACE'] : []), ...words);
  if (take('VIEW')) return createView(cursor, orReplace);
  if (take('LOCATION')) return createLocation(cursor, orReplace);
  if (take('SEQUENCE')) return createSequence(cursor);
  if (take('DATABASE')) return createDatabase(cursor);
  if (take('SCHEMA')) return createSchema(cursor);
  if (take('EXTERNAL', 'TABLE')) return createExternalTable(cursor);
  if (take('AGGREGATING', 'INDEX')) return createAggregatingIndex(cursor);
  if (take('UNIQUE', 'INDEX')) return secondaryIndex(cursor);
  if (take('INDEX')) return createSkipIndex(cursor);
  for (const tableType of ['FACT', 'DIMENSION'] as const) {
    if (take(tableType)) return createTable(cursor, tableType, { orReplace });
  }
  if (!orReplace && TEMPORARY.some((word) => take(word, 'SEQUENCE'))) return createSequence(cursor, true);
  const scope = isWord(next, ...SCOPES) ? 1 : 0;
  if (isWord(cursor.peek(object + scope), ...TEMPORARY)) {
    const what = cursor.peek(object + scope + 1);
    if (isWord(what, 'VIEW'))
      unsupported(cursor, 'CREATE TEMP VIEW', 'use CREATE VIEW or CREATE TEMP TABLE … AS');
    if (!isWord(what, 'TABLE')) return undefined;
    for (let i = 0; i < object + scope + 1; i += 1) cursor.next();
    return createTable(cursor, 'FACT', { orReplace, isTemporary: true });
  }
  if (!isWord(next, 'TABLE')) return undefined;
  take();
  return createTable(cursor, 'FACT', { orReplace });
}

/** Parses `CREATE DATABASE [IF NOT EXISTS] d [[WITH] DESCRIPTION = '…']`, starting at the name. */
function createDatabase(cursor: TokenCursor): CreateStatement {
  const quiet = ifNotExists(cursor);
  const name = identifier(cursor, 'the name of a database');
  cursor.accept('WITH');
  while (postgresOption(cursor));
  const { values } = bareOptions(cursor, { of: 'CREATE DATABASE', values: ['description'] });
  cursor.expectEnd();
  return { kind: 'create_database', name, ifNotExists: quiet, description: values['description'] };
}

/** The options with which PostgreSQL's createdb describes a database, by the values that every database here has. */
const OPTIONS_OF_EVERY_DATABASE: Readonly<Record<string, RegExp>> = {
  ENCODING: /^(?:utf-?8|unicode|default)$/i,
  TEMPLATE: /^(?:template[01]|default)$/i,
  LOCALE: /^(?:C|POSIX|C\.utf-?8|default)$/i,
  LC_COLLATE: /^(?:C|POSIX|C\.utf-?8|default)$/i,
  LC_CTYPE: /^(?:C|POSIX|C\.utf-?8|default)$/i,
};

/** Parses an option of OPTIONS_OF_EVERY_DATABASE. @throws TesseraError NOT_SUPPORTED for another value */
function postgresOption(cursor: TokenCursor): boolean {
  const start = cursor.offset;
  const option = Object.keys(OPTIONS_OF_EVERY_DATABASE).find((word) => cursor.accept(word));
  if (option === undefined) return false;
  cursor.acceptSymbol('=');
  const token = cursor.peek();
  const value =
    isWord(token, 'DEFAULT') || token?.tokenType === QuotedName
      ? cursor.expectName('a value')
      : cursor.expectValue('a value');
  if (!OPTIONS_OF_EVERY_DATABASE[option]!.test(value))
    fail(
      'NOT_SUPPORTED',
      { what: `${option} ${value} of a database` },
      { location: cursor.locationFrom(start) },
    );
  return true;
}

/** Parses `CREATE SCHEMA [IF NOT EXISTS] [d.]s`, starting at the name. */
function createSchema(cursor: TokenCursor): CreateStatement {
  const quiet = ifNotExists(cursor);
  const name = objectName(cursor, 'the name of a schema');
  cursor.expectEnd();
  return { kind: 'create_schema', name, ifNotExists: quiet };
}

/** `CREATE [OR REPLACE] VIEW [IF NOT EXISTS] v [(c, …)] AS query`, from the name on. */
function createView(cursor: TokenCursor, orReplace: boolean): CreateStatement {
  const quiet = ifNotExists(cursor);
  const name = objectName(cursor, 'the name of a view');
  const names = cursor.isAtSymbol('(') ? parenthesisedNames(cursor, 'the name of a column') : undefined;
  cursor.expectWord('AS');
  const parameter = cursor.tokens.find(isParameter);
  if (parameter !== undefined) {
    const message = 'The query of a view cannot contain a parameter';
    fail('BINDING_ERROR', { message }, { location: cursor.locationOf(parameter) });
  }
  const query = restAsQuery(cursor);
  return {
    kind: 'create_view',
    name,
    orReplace,
    ifNotExists: quiet,
    columnNames: names?.map((n) => n.name),
    query,
  };
}
