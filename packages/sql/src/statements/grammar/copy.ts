import { fail } from '@tessera/common';
import { stringOf } from '../../text/lexer.ts';
import type { SqlText, TokenCursor } from '../../text/token-cursor.ts';
import type {
  CopyColumn,
  CopyFromStatement,
  CopyFromStdinStatement,
  CopyToStatement,
} from '../catalog-statement.ts';
import type { ObjectName } from '../object-name.ts';
import { expressionText, parenthesisedQuery } from './expression-text.ts';
import { COPY_FROM_OPTIONS, COPY_TO_OPTIONS } from './file-options.ts';
import { objectName, parenthesisedNames, placedName } from './names.ts';
import {
  bareOptions,
  booleanOption,
  choiceOption,
  type OptionNames,
  parenthesisedOptions,
  type ReadOptionList,
} from './option-list.ts';

const VIRTUAL_COLUMNS = ['source_file_name', 'source_file_timestamp', 'source_file_size'];

/** `COPY [INTO] t [(…)] FROM …`, `COPY t TO …`, `COPY (query) TO …` */
export function copyStatement(
  cursor: TokenCursor,
): CopyFromStatement | CopyFromStdinStatement | CopyToStatement {
  const start = cursor.offset;
  cursor.expectWord('COPY');
  if (cursor.isAtSymbol('(')) return copyTo(cursor, parenthesisedQuery(cursor));
  cursor.accept('INTO');
  const nameStart = cursor.offset;
  const table = objectName(cursor, 'the name of a table');
  if (cursor.isAt('TO')) {
    // "FROM " is as long as "COPY ", so offsets in the query equal offsets in the statement.
    const { sql } = cursor.textFrom(nameStart);
    return copyTo(cursor, { sql: `FROM ${sql}`, offset: Math.max(start, nameStart - 'FROM '.length) });
  }
  return copyFrom(cursor, table);
}

function copyFrom(cursor: TokenCursor, table: ObjectName): CopyFromStatement | CopyFromStdinStatement {
  const mapping = cursor.isAtSymbol('(') ? copyColumns(cursor) : undefined;
  if (!cursor.accept('FROM')) cursor.unexpected(mapping === undefined ? 'FROM or TO' : 'FROM');
  if (cursor.accept('STDIN')) {
    cursor.expectEnd();
    return {
      kind: 'copy_from_stdin',
      table,
      columns: mapping?.map(({ name, location }) => ({ name, location })),
    };
  }
  const place = filePlace(cursor);
  const list = fileOptions(cursor, COPY_FROM_OPTIONS);
  cursor.expectEnd();
  choiceOption(list, 'type', ['AUTO', 'CSV', 'TSV', 'PARQUET', 'JSON', 'AVRO']);
  for (const name of [
    'header',
    'auto_create',
    'allow_column_mismatch',
    'empty_field_as_null',
    'skip_blank_lines',
  ])
    booleanOption(list, name);
  return {
    kind: 'copy_from',
    table,
    columns: mapping?.map((c) => c.name),
    mapping,
    ...place,
    options: withUpperCaseType(list),
    credentials: list.groups['credentials'] ?? {},
    errorFileCredentials: list.groups['error_file_credentials'] ?? {},
  };
}

function copyTo(cursor: TokenCursor, query: SqlText): CopyToStatement {
  cursor.expectWord('TO');
  const place = filePlace(cursor);
  const first = partitionBy(cursor);
  const list = fileOptions(cursor, COPY_TO_OPTIONS);
  const columns = first.length > 0 ? first : partitionBy(cursor);
  cursor.expectEnd();
  choiceOption(list, 'type', ['CSV', 'TSV', 'JSON', 'PARQUET']);
  for (const name of ['header', 'single_file', 'overwrite_existing_files', 'include_query_id_in_file_name'])
    booleanOption(list, name);
  // A single file is replaced. The files of a folder contain the query id in their names, so none of them can
  // exist already.
  if (/^(?:false|off|0)$/i.test(list.values['overwrite_existing_files'] ?? '')) {
    const location = list.locations['overwrite_existing_files'];
    fail('NOT_SUPPORTED', { what: 'OVERWRITE_EXISTING_FILES = FALSE' }, { location });
  }
  const credentials = list.groups['credentials'] ?? {};
  return {
    kind: 'copy_to',
    query,
    ...place,
    partitionBy: columns,
    options: withUpperCaseType(list),
    credentials,
  };
}

/** `PARTITION BY (a, b)`, or `PARTITION BY a` for one column. */
function partitionBy(cursor: TokenCursor): CopyToStatement['partitionBy'] {
  if (!cursor.accept('PARTITION')) return [];
  cursor.expectWord('BY');
  return cursor.isAtSymbol('(') ? parenthesisedNames(cursor, 'a column') : [placedName(cursor, 'a column')];
}

/** `(a, b $2, c "name in the file", d DEFAULT 0 $3, e $source_file_name)` */
function copyColumns(cursor: TokenCursor): readonly CopyColumn[] {
  const columns: CopyColumn[] = [];
  cursor.expectSymbol('(');
  do {
    const { name, location } = placedName(cursor, 'a column');
    if (columns.some((c) => c.name === name)) {
      fail('DUPLICATE_COLUMN', { message: `Column "${name}" is listed twice` }, { location });
    }
    const byDefault = cursor.accept('DEFAULT') ? defaultValue(cursor) : undefined;
    columns.push({ name, source: copySource(cursor), default: byDefault, location });
  } while (cursor.acceptSymbol(','));
  cursor.expectSymbol(')');
  return columns;
}

/** One literal or parenthesised expression; the words after it name the source. */
function defaultValue(cursor: TokenCursor): SqlText {
  const start = cursor.offset;
  if (cursor.isAtSymbol('(')) {
    cursor.expectSymbol('(');
    expressionText(cursor, 'a default');
    cursor.expectSymbol(')');
  } else cursor.expectValue('a default');
  return cursor.textFrom(start);
}

function copySource(cursor: TokenCursor): CopyColumn['source'] {
  const token = cursor.peek();
  if (token === undefined || token.image === ',' || token.image === ')') return undefined;
  if (token.tokenType.name !== 'Parameter') {
    return { kind: 'name', name: placedName(cursor, 'a column of the file').name };
  }
  const name = token.image.slice(1).toLowerCase();
  if (/^\d+$/.test(name)) {
    if (Number(name) === 0) cursor.unexpected('a position from $1');
    cursor.next();
    return { kind: 'position', index: Number(name) };
  }
  if (!VIRTUAL_COLUMNS.includes(name)) cursor.unexpected(`$1, … or $${VIRTUAL_COLUMNS.join(', $')}`);
  cursor.next();
  return { kind: 'virtual', name };
}

function filePlace(cursor: TokenCursor): {
  readonly url: string | undefined;
  readonly locationName: string | undefined;
} {
  const token = cursor.peek();
  const url = token && stringOf(token);
  if (url === undefined) {
    return { url: undefined, locationName: placedName(cursor, 'a URL as a string or a location').name };
  }
  cursor.next();
  return { url, locationName: undefined };
}

/** `WITH (…)`, `WITH k = v …`, `(…)` or `k = v …`; `LIMIT n OFFSET n` may stand before them. */
function fileOptions(cursor: TokenCursor, names: OptionNames): ReadOptionList {
  const before: Record<string, string> = {};
  for (const word of ['LIMIT', 'OFFSET']) {
    if (names.values.includes(word.toLowerCase()) && cursor.isAt(word) && cursor.peek(1)?.image !== '=') {
      cursor.accept(word);
      before[word.toLowerCase()] = cursor.expectValue('a number of rows');
    }
  }
  cursor.accept('WITH');
  const list = cursor.isAtSymbol('(') ? parenthesisedOptions(cursor, names) : bareOptions(cursor, names);
  return { ...list, values: { ...before, ...list.values } };
}

function withUpperCaseType({ values }: ReadOptionList): Readonly<Record<string, string>> {
  const type = values['type'];
  return type === undefined ? values : { ...values, type: type.toUpperCase() };
}
