import type { BindingSession } from '@tessera/kernel';
import { internalCall } from '../functions/expressions.ts';
import {
  type BaseTableRef,
  call,
  cast,
  column,
  constant,
  type FunctionNode,
  type SubqueryRef,
  selectAll,
  type TableFunctionRef,
  type TableRef,
} from '../tree.ts';
import { csvScan } from './csv-scan.ts';
import type { ReadArguments } from './read-arguments.ts';
import type { RelationSource } from './read-call.ts';
import { compressionOf, literalText, namedArgument } from './scan-arguments.ts';
import type { Warn } from './stray-values.ts';
import { textScan } from './text-scan.ts';
import { describedColumns, requireValidNames } from './valid-names.ts';

/**
 * Settings of the kernel's `read_json_auto` with which types follow from all rows of all files. From the first rows alone it
 * infers integers where fractions follow, which it rounds.
 */
export const WHOLE_JSON = 'sample_size = -1, maximum_sample_files = 9223372036854775807';

/** How a scan stands in a statement. */
interface ScanOptions {
  readonly warn?: Warn | undefined;
  /** Returns the placeholder that represents the scan in the statement. */
  readonly mark: (scan: TableRef) => TableRef;
  /** Returns the one that represents a query over placeholders. */
  readonly markQuery: (query: SubqueryRef) => TableRef;
}

/** The placeholder of a scan that replaces the READ_* call `ref`, with inferred integers converted. */
export async function placedScan(
  ref: TableFunctionRef,
  args: ReadArguments,
  source: RelationSource,
  session: BindingSession,
  { warn, mark, markQuery }: ScanOptions,
): Promise<TableRef> {
  if (args.function !== 'read_csv' || source.kind === 'relation')
    return mark(await scanOf(ref, args, source, session, { warn }));
  const { scan, columns, integers } = await csvScan(args, source.paths, session, warn);
  const alias = aliasOf(ref);
  const { query_location } = ref.function;
  const table = { ...ref, alias, function: { ...scan, query_location } };
  if (integers.size === 0) return mark(table);
  const items = columns.map((name) => {
    const value = column(name);
    return integers.has(name)
      ? { ...cast(internalCall('integer_text', value), 'BIGINT'), alias: name }
      : value;
  });
  return markQuery({
    type: 'SUBQUERY',
    alias,
    sample: ref.sample,
    query_location: ref.query_location,
    subquery: {
      node: { ...selectAll(mark({ ...table, sample: null, column_name_alias: [] })), select_list: items },
      named_param_map: [],
    },
    column_name_alias: ref.column_name_alias,
  });
}

const aliasOf = ({ alias, function: { function_name } }: TableFunctionRef): string =>
  alias === '' ? function_name.toLowerCase() : alias;

/**
 * The table reference that scans a source and replaces the READ_* call `ref`, under the same names.
 * @param fileColumn the name of an additional last column with the path of each row's file; a `relation` and
 * lines of text have none
 */
export async function scanOf(
  ref: TableFunctionRef,
  args: ReadArguments,
  source: RelationSource,
  session: BindingSession,
  { fileColumn, warn }: { readonly fileColumn?: string | undefined; readonly warn?: Warn | undefined } = {},
): Promise<TableRef> {
  const alias = aliasOf(ref);
  if (source.kind === 'relation') return temporaryTable(ref, alias, source.name);
  if (args.function === 'read_text') return textScan(ref, alias, args, source.paths);
  const scan = await scanCall(args, source.paths, session, warn);
  const children = [...scan.children, ...namedArgument('filename', fileColumn)];
  return { ...ref, alias, function: { ...scan, children, query_location: ref.function.query_location } };
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
  session: BindingSession,
  warn: Warn | undefined,
): Promise<FunctionNode> {
  const files = call('list_value', ...paths.map((path) => constant(path)));
  const compression = namedArgument('compression', compressionOf(args));
  // Folders that give columns make a table of files, which is a relation. Others must not replace values of the files.
  const ownValues = namedArgument('hive_partitioning', false);
  switch (args.function) {
    case 'read_json': {
      const codec = compressionOf(args);
      const given = codec === undefined ? '' : `, compression = ${literalText(codec)}`;
      const inferring = `read_json_auto(${literalText(paths)}, hive_partitioning = false, ${WHOLE_JSON}${given})`;
      const fields = await describedColumns(session, inferring, args.url);
      return call(
        'read_json_auto',
        files,
        ...compression,
        ...ownValues,
        ...namedArgument('columns', { fields }),
      );
    }
    case 'read_csv':
      return (await csvScan(args, paths, session, warn)).scan;
    default:
      await requireValidNames(
        session,
        `read_parquet(${literalText(paths)}, hive_partitioning = false)`,
        args.url,
      );
      return call('read_parquet', files, ...ownValues);
  }
}
