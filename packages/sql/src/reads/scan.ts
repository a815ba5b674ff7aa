import type { KernelSession } from '@tessera/kernel';
import {
  type BaseTableRef,
  call,
  constant,
  type FunctionNode,
  type TableFunctionRef,
  type TableRef,
} from '../tree.ts';
import { csvScan } from './csv-scan.ts';
import type { ReadArguments } from './read-arguments.ts';
import type { RelationSource } from './read-call.ts';
import { compressionOf, literalText, namedArgument } from './scan-arguments.ts';
import type { Warn } from './stray-values.ts';
import { textScan } from './text-scan.ts';
import { mayNameNul, requireValidNames } from './valid-names.ts';

/**
 * The table reference that scans a source and replaces the READ_* call `ref`, under the same names.
 * @param fileColumn the name of an additional last column with the path of each row's file; a `relation` and
 * lines of text have none
 */
export async function scanOf(
  ref: TableFunctionRef,
  args: ReadArguments,
  source: RelationSource,
  session: KernelSession,
  { fileColumn, warn }: { readonly fileColumn?: string | undefined; readonly warn?: Warn | undefined } = {},
): Promise<TableRef> {
  const alias = ref.alias === '' ? ref.function.function_name.toLowerCase() : ref.alias;
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
  session: KernelSession,
  warn: Warn | undefined,
): Promise<FunctionNode> {
  const files = call('list_value', ...paths.map((path) => constant(path)));
  const compression = namedArgument('compression', compressionOf(args));
  // Folders that give columns make a table of files, which is a relation. Others must not replace values of the files.
  const ownValues = namedArgument('hive_partitioning', false);
  switch (args.function) {
    case 'read_json': {
      const codec = compressionOf(args);
      if (codec !== undefined || (await mayNameNul('json', paths))) {
        const given = codec === undefined ? '' : `, compression = ${literalText(codec)}`;
        await requireValidNames(
          session,
          `read_json_auto(${literalText(paths)}, hive_partitioning = false${given})`,
          args.url,
        );
      }
      return call('read_json_auto', files, ...compression, ...ownValues);
    }
    case 'read_csv':
      return csvScan(args, paths, session, warn);
    default:
      await requireValidNames(
        session,
        `read_parquet(${literalText(paths)}, hive_partitioning = false)`,
        args.url,
      );
      return call('read_parquet', files, ...ownValues);
  }
}
