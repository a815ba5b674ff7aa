import type { KernelType } from '@tessera/kernel';
import { Placement } from '../relations/placement.ts';
import { classifyStatement } from '../statements/classify.ts';
import { cast, constant, type TypeNode, transformTree, walkTree } from '../tree.ts';
import { outputType } from '../types/output-type.ts';
import { formatTypeName } from '../types/sql-type.ts';
import { bindable } from './bindable-query.ts';
import { deparse, parseQuery } from './parse.ts';
import type { PrepareContext } from './prepare-context.ts';
import { bindOutput } from './prepare-query.ts';
import { rewriteQuery } from './rewrite-query.ts';

/** What `execution_mode=describe_parameters` answers. */
export interface ParameterDescription {
  /** By parameter, `$1`: the type that its place in the statement asks for, text where it asks for none. */
  readonly parameter_types: Readonly<Record<string, string>>;
  readonly result_columns: readonly { readonly name: string; readonly type: string }[];
}

/**
 * The types of the parameters and of the result of a query, without running it. Parameters need no values.
 * @throws TesseraError as prepareQuery
 */
export async function describeParameters(
  text: string,
  context: PrepareContext,
): Promise<ParameterDescription> {
  const statement = classifyStatement(text);
  if (statement.kind !== 'query') return { parameter_types: {}, result_columns: [] };
  const { session } = context;
  const parsed = await parseQuery(session, text, { sql: statement.sql, offset: 0 });
  const placement = new Placement();
  const open = await rewriteQuery(parsed, context, {
    placement,
    database: context.sessionValues.database,
    parameter: (node) => node,
  });
  const query = await bindable(open, placement, context);
  const { parameters } = await query.binder.describe(await deparse(query.binder, query.bound));
  const types = new Map(parameters.map(({ name, type }) => [name, type]));
  const typed = transformTree(query.bound, {
    expression: (node) => {
      if (node.class !== 'PARAMETER') return node;
      const type = types.get(node.identifier);
      return { ...(type ? cast(constant(null), typeNode(type)) : constant(null)), alias: node.alias };
    },
  });
  const { columns } = await bindOutput({ ...query, bound: typed, running: typed }, text);
  const used = usedParameters(parsed.statement);
  return {
    parameter_types: Object.fromEntries(
      used.map((name) => [`$${name}`, typeName(types.get(name) ?? TEXT)] as const),
    ),
    result_columns: columns.map((column) => ({ name: column.name, type: formatTypeName(column) })),
  };
}

const TEXT: KernelType = { id: 'VARCHAR' };

const typeName = (type: KernelType): string => formatTypeName({ ...outputType(type), nullable: false });

function usedParameters(tree: unknown): readonly string[] {
  const names = new Set<string>();
  walkTree(tree, (node) => {
    if ('class' in node && node.class === 'PARAMETER') names.add(node.identifier);
  });
  return [...names].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/** Parameters of nested types, which no place asks for by itself, are described as text. */
function typeNode(type: KernelType): TypeNode {
  switch (type.id) {
    case 'DECIMAL': {
      const { width, scale } = type;
      return {
        id: 'DECIMAL',
        type_info: { type: 'DECIMAL_TYPE_INFO', alias: '', extension_info: null, width, scale },
      };
    }
    case 'TIMESTAMPTZ':
      return { id: 'TIMESTAMP WITH TIME ZONE', type_info: null };
    case 'LIST':
    case 'ARRAY':
    case 'STRUCT':
    case 'MAP':
    case 'ENUM':
    case 'UNION':
      return { id: 'VARCHAR', type_info: null };
    default:
      return { id: type.id, type_info: null };
  }
}
