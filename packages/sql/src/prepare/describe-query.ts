import { fail } from '@tessera/common';
import type { KernelType } from '@tessera/kernel';
import { type ParsedQuery, parseQuery } from '../parse/parse.ts';
import { Placement } from '../relations/placement.ts';
import type { PrepareContext } from '../relations/prepare-context.ts';
import { typedNull } from '../rewrites/literals.ts';
import { classifyStatement } from '../statements/classify.ts';
import {
  constant,
  type Expression,
  type FunctionNode,
  isQueryNode,
  type QueryNode,
  type Statement,
  type TypeNode,
  transformTree,
  walkTree,
} from '../tree.ts';
import { outputType, withOids } from '../types/output-type.ts';
import type { OutputColumn, SqlType } from '../types/sql-type.ts';
import { typeNode } from '../types/type-node.ts';
import { bindable } from './bindable-query.ts';
import { inferParameters, withTextsFor } from './infer-parameters.ts';
import { bindOutput, located } from './prepare-query.ts';
import { requiredTypes } from './required-types.ts';
import { rewriteQuery } from './rewrite-query.ts';
import { someOf } from './sample-value.ts';
import { typedConcatenations } from './value-texts.ts';

/** A parameter of a statement. */
export interface ParameterType {
  /** The parameter as it is written: `$1`. */
  readonly name: string;
  /**
   * The type that the client declared, or else the type that its position in the statement requires, or text
   * if it requires none.
   */
  readonly type: SqlType;
}

export interface QueryDescription {
  /** The parameters that the text names itself, in order. */
  readonly parameters: readonly ParameterType[];
  readonly columns: readonly OutputColumn[];
}

/**
 * Describes the parameters and the result of a query (or of the query that EXPLAIN explains) without running
 * it. Parameters need no values; those with a type in the context have that type.
 * @param asked the types of the columns that the subquery in FROM is assigned to; they become the types of
 * parameters that stand alone there
 * @throws TesseraError as prepareQuery
 */
export async function describeQuery(
  text: string,
  context: PrepareContext,
  asked: readonly SqlType[] = [],
): Promise<QueryDescription> {
  const parsed = await parseQuery(context.session, text, queryIn(text));
  const placement = new Placement();
  const given = givenTypes(context);
  const alone = new Map([
    ...requiredTypes(parsed.statement),
    ...limits(parsed.statement),
    ...parametersAlone(parsed.statement, asked),
  ]);
  const words = requiredWords(parsed.statement);
  const open = await rewriteQuery(parsed, context, {
    placement,
    database: context.sessionValues.database,
    parameter: (node) => {
      const word = words.get(node.identifier);
      if (word !== undefined) return { ...constant(word), alias: node.alias };
      const type = given.get(node.identifier) ?? alone.get(node.identifier);
      // A text parameter takes the type that its position requires.
      if (type === undefined || type.kind === 'text') return node;
      return { ...someOf(typeNode(type)), alias: node.alias };
    },
  });
  const query = await bindable(open, placement, context);
  const found = await inferParameters(query.binder, query.bound, (error, sql) => located(error, text, sql));
  const filled = transformTree(
    withTextsFor(query.bound, ({ identifier }) => !found.has(identifier)),
    {
      expression: (node) => {
        if (node.class === 'FUNCTION') return typedNull(node);
        return node.class === 'PARAMETER'
          ? { ...someOf(kernelTypeNode(found.get(node.identifier)!)), alias: node.alias }
          : node;
      },
    },
  );
  const typed = typedConcatenations(filled, query.columns, () => undefined);
  const { columns } = await bindOutput({ ...query, bound: typed, running: typed }, text);
  const plain = castToJson(parsed.statement);
  const typeOf = (name: string): SqlType => {
    const declared = given.get(name);
    if (declared !== undefined) return declared;
    const kernelType = found.get(name);
    const inferred = kernelType && outputType(kernelType).type;
    const type = alone.get(name) ?? inferred ?? TEXT;
    if (type.kind === 'json' && !plain.has(name)) return { ...type, postgres: 'jsonb' };
    return query.hasOids && kernelType !== undefined && type === inferred ? withOids(kernelType, type) : type;
  };
  return {
    parameters: usedParameters(parsed).map((name) => ({ name: `$${name}`, type: typeOf(name) })),
    columns,
  };
}

const TEXT: SqlType = { kind: 'text' };
const LONG: SqlType = { kind: 'long' };

function queryIn(text: string): { readonly sql: string; readonly offset: number } {
  const statement = classifyStatement(text);
  if (statement.kind === 'explain') return statement;
  if (statement.kind === 'query') return { sql: statement.sql, offset: 0 };
  return fail('NOT_SUPPORTED', { what: 'Any statement other than a query in this place' });
}

const givenTypes = ({ parameters }: PrepareContext): ReadonlyMap<string, SqlType> =>
  new Map(parameters.flatMap(({ name, type }) => (type === undefined ? [] : [[name.slice(1), type]])));

function usedParameters({ statement }: ParsedQuery): readonly string[] {
  const names = new Set<string>();
  walkTree(statement, (node) => {
    if ('class' in node && node.class === 'PARAMETER') names.add(node.identifier);
  });
  return [...names].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/**
 * The parameters for which a rewrite or the kernel requires a known text: units of time, steps of a series of times, the intervals
 * that are added to a time, patterns and paths.
 */
function requiredWords(statement: Statement): ReadonlyMap<string, string | null> {
  const words = new Map<string, string | null>();
  walkTree(statement, (node) => {
    if (!('class' in node) || node.class !== 'FUNCTION') return;
    const [argument, word] = requiredWord(node);
    const written = argument?.class === 'CAST' ? argument.child : argument;
    if (written?.class === 'PARAMETER' && word !== undefined) words.set(written.identifier, word);
  });
  return words;
}

function requiredWord({
  function_name: name,
  children,
}: FunctionNode): readonly [argument: Expression | undefined, word: string | null] | readonly [] {
  const [first, second, third] = children;
  const isOf = (node: Expression | undefined, type: string) =>
    node?.class === 'CAST' && node.cast_type.id === type;
  if (name === 'generate_series') return isOf(third, 'INTERVAL') ? [third, '1 day'] : [];
  if (/^date_(?:trunc|part)$/.test(name)) return [first, 'day'];
  if (/^(?:to_(?:char|date|number|timestamp)|regexp_match(?:es)?)$/.test(name)) return [second, null];
  if (name === 'format') return [first, null];
  if (/^jsonb_path_/.test(name)) return [second, '$'];
  return name === '+' && isOf(first, 'TIME') && second?.class === 'PARAMETER' ? [second, '1 hour'] : [];
}

/** The parameters that are cast to `json`, and those of functions of it. All other documents are `jsonb`, as columns are. */
function castToJson(statement: Statement): ReadonlySet<string> {
  const names = new Set<string>();
  walkTree(statement, (node) => {
    if (!('class' in node)) return;
    const documents =
      node.class === 'CAST' && isPlainJson(node.cast_type)
        ? [node.child]
        : node.class === 'FUNCTION' && node.function_name.startsWith('json_')
          ? node.children
          : [];
    for (const document of documents) if (document.class === 'PARAMETER') names.add(document.identifier);
  });
  return names;
}

const isPlainJson = ({ type_info }: TypeNode): boolean =>
  type_info?.type === 'UNBOUND_TYPE_INFO' && /^json$/i.test(type_info.name);

/** The parameters that are numbers of rows: the kernel requires a constant for that in a correlated subquery. */
function limits(statement: Statement): ReadonlyMap<string, SqlType> {
  const types = new Map<string, SqlType>();
  walkTree(statement, (node) => {
    if (!isQueryNode(node)) return;
    const expressions = node.modifiers.flatMap((modifier) =>
      modifier.type === 'LIMIT_MODIFIER' ? [modifier.limit, modifier.offset] : [],
    );
    for (const rows of expressions) if (rows?.class === 'PARAMETER') types.set(rows.identifier, LONG);
  });
  return types;
}

/**
 * The parameters that are whole columns of the subquery in FROM: `INSERT … SELECT $1` gives them the type of
 * the target column.
 */
function parametersAlone({ node }: Statement, asked: readonly SqlType[]): ReadonlyMap<string, SqlType> {
  const types = new Map<string, SqlType>();
  const collect = (query: QueryNode): void => {
    if (query.type === 'SET_OPERATION_NODE') {
      collect(query.left);
      collect(query.right);
    }
    if (query.type !== 'SELECT_NODE') return;
    for (const [i, item] of query.select_list.entries()) {
      const type = asked[i];
      if (item.class === 'PARAMETER' && type !== undefined) types.set(item.identifier, type);
    }
  };
  const from = node.type === 'SELECT_NODE' ? node.from_table : undefined;
  if (asked.length > 0 && from?.type === 'SUBQUERY') collect(from.subquery.node);
  return types;
}

/**
 * The type as exactly as the kernel knows it, so that expressions over the parameter get the type that they
 * will have later.
 */
function kernelTypeNode(type: KernelType): TypeNode {
  switch (type.id) {
    case 'DECIMAL':
    case 'TIMESTAMPTZ':
    case 'LIST':
    case 'STRUCT':
    case 'JSON':
      return typeNode(outputType(type).type);
    case 'ARRAY':
    case 'MAP':
    case 'ENUM':
    case 'UNION':
      return typeNode(TEXT);
    default:
      return { id: type.id, type_info: null };
  }
}
