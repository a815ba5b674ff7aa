import { fail } from '@tessera/common';
import type { TokenCursor } from '../../text/token-cursor.ts';
import type { CreateStatement, Options } from '../catalog-statement.ts';
import { tableElements } from './column-definition.ts';
import { EXTERNAL_TABLE_OPTIONS } from './file-options.ts';
import { ifNotExists, objectName } from './names.ts';
import { bareOptions, choiceOption, type ReadOptionList } from './option-list.ts';

const FORMATS = ['PARQUET', 'CSV', 'TSV', 'JSON', 'AVRO'] as const;

/** `CREATE EXTERNAL TABLE [IF NOT EXISTS] t (c type, …) URL = '…' | LOCATION = l … TYPE = (…)`, from the name on. */
export function createExternalTable(cursor: TokenCursor): CreateStatement {
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
