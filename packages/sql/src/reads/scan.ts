import type { KernelSession } from '@tessera/kernel';
import {
  type BaseTableRef,
  call,
  constant,
  type Expression,
  type FunctionNode,
  type TableFunctionRef,
  type TableRef,
} from '../tree.ts';
import { quoteText } from '../types/output-type.ts';
import type { ReadArguments } from './read-arguments.ts';
import type { RelationSource } from './read-call.ts';

/** The table reference that scans a source, in the place of the READ_* call `ref`, under the same names. */
export async function scanOf(
  ref: TableFunctionRef,
  args: ReadArguments,
  source: RelationSource,
  session: KernelSession,
): Promise<TableRef> {
  const alias = ref.alias === '' ? ref.function.function_name.toLowerCase() : ref.alias;
  if (source.kind === 'relation') return temporaryTable(ref, alias, source.name);
  const scan = await scanCall(args, source.paths, session);
  return { ...ref, alias, function: { ...scan, query_location: ref.function.query_location } };
}

function temporaryTable(ref: TableFunctionRef, alias: string, name: string): BaseTableRef {
  return {
    type: 'BASE_TABLE',
    alias,
    sample: ref.sample,
    query_location: ref.query_location,
    catalog_name: 'temp',
    schema_name: '',
    table_name: name,
    column_name_alias: ref.column_name_alias,
    at_clause: null,
  };
}

async function scanCall(
  args: ReadArguments,
  paths: readonly string[],
  session: KernelSession,
): Promise<FunctionNode> {
  const files = call('list_value', ...paths.map((path) => constant(path)));
  const compression = named('compression', args.options.compression);
  switch (args.function) {
    case 'read_text':
      return call('tsr_read_text', files, labels(args.url, paths));
    case 'read_json':
      return call('read_json_auto', files, ...compression);
    case 'read_csv':
      return csvCall(args, paths, session);
    default:
      return call('read_parquet', files);
  }
}

/** What the column `file` shows: one file by the name that the statement gave it, several by their own. */
const labels = (url: string, paths: readonly string[]): FunctionNode =>
  call('list_value', ...(paths.length === 1 ? [url] : paths).map((label) => constant(label)));

/**
 * Dialect and types are the user's words, never guesses; only the number of columns and, when asked for, their types
 * are looked up in the file.
 */
async function csvCall(
  { options, url }: ReadArguments,
  paths: readonly string[],
  session: KernelSession,
): Promise<FunctionNode> {
  const isTsv = /\.tsv(?:\.\w+)?$/i.test(url);
  const header = options.header === true;
  const quote = options.quote ?? '"';
  const emptyAsNull = options.empty_field_as_null !== false;
  const nullString = options.null_string;
  const nulls = [...(nullString === undefined ? [] : [nullString]), ...(emptyAsNull ? [''] : [])];
  const settings: readonly (readonly [string, string | boolean | readonly string[] | undefined])[] = [
    ['delim', options.delimiter ?? (isTsv ? '\t' : ',')],
    ['quote', quote],
    ['escape', options.escape ?? quote],
    ['header', header],
    ['nullstr', nulls],
    ['allow_quoted_nulls', false],
    ['null_padding', true],
    ['compression', options.compression],
  ];
  const files = call('list_value', ...paths.map((path) => constant(path)));
  const common = settings.flatMap(([name, value]) => named(name, value));
  if (options.infer_schema === true && header) return call('read_csv', files, ...common);
  const inferTypes: readonly [string, boolean] = ['all_varchar', options.infer_schema !== true];
  const names = await columnNames(session, paths, [...settings, inferTypes], header);
  return call('read_csv', files, ...common, ...named(...inferTypes), ...named('names', names));
}

async function columnNames(
  session: KernelSession,
  paths: readonly string[],
  settings: readonly (readonly [string, string | boolean | readonly string[] | undefined])[],
  header: boolean,
): Promise<readonly string[]> {
  const given = settings.filter(([, value]) => value !== undefined);
  const text = given.map(([name, value]) => `${name} = ${literal(value!)}`).join(', ');
  const { columns } = await session.describe(`SELECT * FROM read_csv(${literal(paths)}, ${text})`);
  return columns.map((column, index) => (header ? column.name : `f${index}`));
}

const literal = (value: string | boolean | readonly string[]): string =>
  typeof value === 'string'
    ? quoteText(value)
    : typeof value === 'boolean'
      ? String(value)
      : `[${value.map(quoteText).join(', ')}]`;

function named(name: string, value: string | boolean | readonly string[] | undefined): Expression[] {
  if (value === undefined) return [];
  const node =
    typeof value === 'object' ? call('list_value', ...value.map((item) => constant(item))) : constant(value);
  return [{ ...node, alias: name }];
}
