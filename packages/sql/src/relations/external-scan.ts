import type { KernelSession } from '@tessera/kernel';
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
  selectAll,
  type TableFunctionRef,
  type TableRef,
  type TypeNode,
} from '../tree.ts';
import type { ResolvedRelation } from './relation-resolver.ts';

/**
 * The files of an external table under the names and types it declares: columns of text files by their place, of others
 * by their name.
 */
export async function externalScan(
  ref: BaseTableRef,
  { call: args, columns }: Extract<ResolvedRelation, { kind: 'files' }>,
  source: RelationSource,
  session: KernelSession,
): Promise<TableRef> {
  const scan = await scanOf(tableFunction(args.function), args, source, session);
  const byPlace = args.function === 'read_csv';
  const types = await typeNodes(
    session,
    columns.map(({ type }) => type),
  );
  const items = columns.map(({ name }, index): Expression => {
    const value: Expression = byPlace
      ? {
          class: 'POSITIONAL_REFERENCE',
          type: 'POSITIONAL_REFERENCE',
          alias: '',
          query_location: NO_LOCATION,
          index: index + 1,
        }
      : column(name);
    return { ...cast(value, types[index]!), alias: name };
  });
  return {
    type: 'SUBQUERY',
    alias: ref.alias,
    sample: ref.sample,
    query_location: ref.query_location,
    subquery: { node: { ...selectAll(scan), select_list: items }, named_param_map: [] },
    column_name_alias: ref.column_name_alias,
  };
}

/** The parser's form of types of the kernel. */
async function typeNodes(session: KernelSession, types: readonly string[]): Promise<readonly TypeNode[]> {
  const sql = `SELECT ${types.map((type) => `CAST(NULL AS ${type})`).join(', ')}`;
  const answer = parseTree(String(await session.scalar('SELECT json_serialize_sql($1::VARCHAR)', [sql]))) as {
    readonly statements: readonly { readonly node: SelectNode }[];
  };
  return (answer.statements[0]?.node.select_list ?? []).flatMap((item) =>
    item.class === 'CAST' ? item.cast_type : [],
  );
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
