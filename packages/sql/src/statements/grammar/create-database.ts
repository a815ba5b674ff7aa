import type { TokenCursor } from '../../text/token-cursor.ts';
import type { CreateStatement } from '../catalog-statement.ts';
import { identifier, ifNotExists, objectName } from './names.ts';
import { bareOptions } from './option-list.ts';

/** Parses `CREATE DATABASE [IF NOT EXISTS] d [[WITH] DESCRIPTION = '…']`, starting at the name. */
export function createDatabase(cursor: TokenCursor): CreateStatement {
  const quiet = ifNotExists(cursor);
  const name = identifier(cursor, 'the name of a database');
  cursor.accept('WITH');
  const { values } = bareOptions(cursor, { of: 'CREATE DATABASE', values: ['description'] });
  cursor.expectEnd();
  return { kind: 'create_database', name, ifNotExists: quiet, description: values['description'] };
}

/** Parses `CREATE SCHEMA [IF NOT EXISTS] [d.]s`, starting at the name. */
export function createSchema(cursor: TokenCursor): CreateStatement {
  const quiet = ifNotExists(cursor);
  const name = objectName(cursor, 'the name of a schema');
  cursor.expectEnd();
  return { kind: 'create_schema', name, ifNotExists: quiet };
}
