import { fail } from '@tessera/common';
import { type BindingSession, quoteName, quoteText } from '@tessera/kernel';
import { kernelCall } from '../functions/expressions.ts';
import type { RelationSource } from '../reads/read-call.ts';
import { scanOf } from '../reads/scan.ts';
import {
  type BaseTableRef,
  call,
  cast,
  column,
  type Expression,
  NO_LOCATION,
  parseTree,
  type SelectNode,
  type SubqueryRef,
  selectAll,
  type TableFunctionRef,
  type TableRef,
  type TypeNode,
} from '../tree.ts';
import { TEXT_READERS } from '../types/checked-cast.ts';
import { FILE_COLUMNS } from './file-columns.ts';
import type { ResolvedRelation } from './relation-resolver.ts';

/**
 * Scans the files of an external table under its declared names and types: columns of text files are matched
 * by position, others by name. The columns of FILE_COLUMNS in `fileColumns` follow.
 * @param mark returns the placeholder that represents the scan in the statement
 */
export async function externalScan(
  ref: BaseTableRef,
  { call: args, columns }: Extract<ResolvedRelation, { kind: 'files' }>,
  source: RelationSource,
  session: BindingSession,
  {
    fileColumns = [],
    mark = (scan) => scan,
  }: { readonly fileColumns?: readonly string[]; readonly mark?: (scan: TableRef) => TableRef } = {},
): Promise<SubqueryRef> {
  const asksForFile = fileColumns.length > 0 && source.kind === 'files';
  const scan = await scanOf(tableFunction(args.function), args, source, session, {
    fileColumn: asksForFile ? PATH_COLUMN : undefined,
  });
  const byPlace = args.function === 'read_csv';
  const types = await typeNodes(
    session,
    columns.map(({ type }) => type),
  );
  const items = columns.map(({ name, type }, index): Expression => {
    const reader = byPlace ? TEXT_READERS[type] : undefined;
    const value = byPlace ? column(placeName(index)) : column(name);
    // The columns that folders give have types.
    const read = reader === undefined ? value : kernelCall(reader, cast(value, 'VARCHAR'));
    return { ...cast(read, types[index]!), alias: name };
  });
  const marked = mark(scan);
  const filesNames = namesFiles(source) ? fileColumns : asksForFile ? [PATH_COLUMN] : [];
  return {
    type: 'SUBQUERY',
    alias: ref.alias,
    sample: ref.sample,
    query_location: ref.query_location,
    subquery: {
      node: {
        ...selectAll(byPlace ? numberedColumns(marked, columns.length, filesNames) : marked),
        select_list: [...items, ...(await filesItems(fileColumns, source, session))],
      },
      named_param_map: [],
    },
    column_name_alias: ref.column_name_alias,
  };
}

/** A name that no column of a file has. */
const placeName = (index: number): string => `$${index + 1}`;

/** The first columns of a scan by their positions, and further ones by name. A macro cannot be called with a position. */
function numberedColumns(scan: TableRef, count: number, further: readonly string[]): SubqueryRef {
  const items = Array.from(
    { length: count },
    (_, index): Expression => ({
      class: 'POSITIONAL_REFERENCE',
      type: 'POSITIONAL_REFERENCE',
      alias: placeName(index),
      query_location: NO_LOCATION,
      index: index + 1,
    }),
  );
  return {
    type: 'SUBQUERY',
    alias: '',
    sample: null,
    query_location: NO_LOCATION,
    subquery: {
      node: { ...selectAll(scan), select_list: [...items, ...further.map((name) => column(name))] },
      named_param_map: [],
    },
    column_name_alias: [],
  };
}

/** The column of the scan that holds the file of each row. */
const PATH_COLUMN = '$path';

/** Whether the source has the columns that describe the file of a row. */
const namesFiles = (source: RelationSource): boolean =>
  source.kind === 'relation' && source.namesFiles === true;

async function filesItems(
  names: readonly string[],
  source: RelationSource,
  session: BindingSession,
): Promise<readonly Expression[]> {
  if (names.length === 0) return [];
  const { files = [] } = source;
  if (namesFiles(source)) return names.map((name) => column(name));
  if (source.kind === 'relation' && files.length > 1)
    fail('NOT_SUPPORTED', { what: `${names[0]} of several Avro files` });
  const items = names.map((name) => {
    const { of, type } = FILE_COLUMNS[name]!;
    const [only] = files;
    const cases = files.map((file) => `WHEN ${quoteText(file.path)} THEN ${of(file)}`).join(' ');
    const value =
      files.length === 1
        ? of(only!)
        : files.length === 0
          ? 'NULL'
          : `CASE ${quoteName(PATH_COLUMN)} ${cases} END`;
    return `CAST(${value} AS ${type}) AS ${quoteName(name)}`;
  });
  return parsedItems(session, items);
}

/** Types of the kernel in the parser's form. */
async function typeNodes(session: BindingSession, types: readonly string[]): Promise<readonly TypeNode[]> {
  const casts = await parsedItems(
    session,
    types.map((type) => `CAST(NULL AS ${type})`),
  );
  return casts.flatMap((item) => (item.class === 'CAST' ? item.cast_type : []));
}

async function parsedItems(
  session: BindingSession,
  items: readonly string[],
): Promise<readonly Expression[]> {
  const sql = `SELECT ${items.join(', ')}`;
  const answer = parseTree(String(await session.scalar('SELECT json_serialize_sql($1::VARCHAR)', [sql]))) as {
    readonly statements: readonly { readonly node: SelectNode }[];
  };
  return answer.statements[0]?.node.select_list ?? [];
}

const tableFunction = (name: string): TableFunctionRef => ({
  type: 'TABLE_FUNCTION',
  alias: '',
  sample: null,
  query_location: NO_LOCATION,
  function: call(name),
  column_name_alias: [],
  with_ordinality: 'WITHOUT_ORDINALITY',
});
