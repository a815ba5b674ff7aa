import { fail } from '@tessera/common';
import type { TokenCursor } from '../../text/token-cursor.ts';
import type { CreateStatement } from '../catalog-statement.ts';
import { identifier, ifNotExists } from './names.ts';
import { bareOptions, choiceOption } from './option-list.ts';

const SOURCES = ['AMAZON_S3', 'GOOGLE_CLOUD_STORAGE', 'AZURE_BLOB_STORAGE', 'LOCAL'] as const;
const OPTIONS = {
  of: 'CREATE LOCATION',
  values: ['source', 'url', 'description'],
  groups: ['credentials'],
};

/** `CREATE [OR REPLACE] LOCATION [IF NOT EXISTS] l WITH SOURCE = … URL = '…' [CREDENTIALS = (…)]`, from the name on. */
export function createLocation(cursor: TokenCursor, orReplace: boolean): CreateStatement {
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
