import { isWord } from '../../text/lexer.ts';
import type { TokenCursor } from '../../text/token-cursor.ts';
import type { CreateStatement } from '../catalog-statement.ts';
import { createDatabase, createSchema } from './create-database.ts';
import { createExternalTable } from './create-external-table.ts';
import { createAggregatingIndex, createSkipIndex, secondaryIndex } from './create-index.ts';
import { createLocation } from './create-location.ts';
import { createTable } from './create-table.ts';
import { createView } from './create-view.ts';
import { createSequence } from './sequence.ts';

const TEMPORARY = ['TEMP', 'TEMPORARY'];

/** Parses `CREATE …`. Undefined, with the cursor unmoved, for objects that do not belong to the catalog. */
export function createStatement(cursor: TokenCursor): CreateStatement | undefined {
  if (!cursor.isAt('CREATE')) return undefined;
  const orReplace = cursor.isAt('CREATE', 'OR', 'REPLACE');
  const object = orReplace ? 3 : 1;
  const next = cursor.peek(object);
  if (orReplace && !isWord(next, 'VIEW', 'LOCATION', 'TABLE', 'FACT', 'DIMENSION')) return undefined;
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
  if (isWord(next, ...TEMPORARY) && isWord(cursor.peek(object + 1), 'TABLE')) {
    take();
    cursor.next();
    return createTable(cursor, 'FACT', { orReplace, isTemporary: true });
  }
  if (!isWord(next, 'TABLE')) return undefined;
  take();
  return createTable(cursor, 'FACT', { orReplace });
}
