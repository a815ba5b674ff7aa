import { fail, TesseraError } from '@tessera/common';
import { type BindingSession, caretOf, type KernelType, quoteName } from '@tessera/kernel';
import { shownName } from '../functions/column-names.ts';
import { deparse, parseQuery } from '../parse/parse.ts';
import { Placement } from '../relations/placement.ts';
import type {
  ConvertedColumn,
  PrepareContext,
  PreparedQuery,
  QueryData,
} from '../relations/prepare-context.ts';
import { classifyStatement } from '../statements/classify.ts';
import { locateError } from '../text/locate-error.ts';
import type { Expression } from '../tree.ts';
import { withDeclared } from '../types/declared-type.ts';
import { outputType, withOids } from '../types/output-type.ts';
import type { SqlType } from '../types/sql-type.ts';
import { type BindableQuery, bindable } from './bindable-query.ts';
import { aboutCalledFunction } from './called-function.ts';
import { columnFacts } from './column-facts.ts';
import type { ColumnFacts } from './column-scope.ts';
import { nullTypes } from './null-types.ts';
import { keepsNoRows, readsNothing, returnsFewRows } from './result-size.ts';
import { parameterValues, rewriteQuery } from './rewrite-query.ts';
import { sumTypes } from './sum-types.ts';
import { type TopRowsQuery, topRowsQuery } from './top-rows.ts';
import { unstablePart } from './unstable-part.ts';
import { type IndexedQuery, withIndexes } from './with-indexes.ts';

/**
 * The dialect's type of a column in a query over PostgreSQL's catalog, where names and object identifiers
 * have types of their own.
 */
function catalogType(kernelType: KernelType, type: SqlType, item: Expression | undefined): SqlType {
  if (type.kind === 'array' && item !== undefined && isListOfNames(item))
    return { kind: 'array', element: { kind: 'text', postgres: 'name' } };
  if (type.kind === 'text' && item?.class === 'COLUMN_REF' && CHAR_COLUMNS.has(item.column_names.at(-1)!))
    return { kind: 'text', postgres: 'char' };
  return withOids(kernelType, type);
}

/** Columns of the catalog of type `"char"`, which asyncpg reads as bytes and compares with bytes. */
const CHAR_COLUMNS = new Set([
  ...[
    'typtype',
    'typcategory',
    'typdelim',
    'typalign',
    'typstorage',
    'relkind',
    'relpersistence',
    'relreplident',
  ],
  ...['attalign', 'attstorage', 'attcompression', 'attidentity', 'attgenerated', 'contype', 'confupdtype'],
  ...['confdeltype', 'confmatchtype', 'deptype', 'castcontext', 'castmethod', 'prokind', 'provolatile'],
  ...['proparallel', 'oprkind', 'amtype', 'datlocprovider', 'collprovider', 'aggkind'],
]);

/** Matches columns of the catalog that hold names: `attname`, `relname`, `conname`, … */
const NAME_COLUMN = /^[a-z]{2,4}name$/;

/**
 * Whether the column is `name[]`, like `array_agg(a.attname)`. Drivers convert `text[]` to arrays but leave
 * `name[]` as text, which their clients parse themselves.
 */
function isListOfNames(item: Expression): boolean {
  if (item.class !== 'FUNCTION' || !/^(?:array_agg|list)$/.test(item.function_name)) return false;
  const [child] = item.children;
  return child?.class === 'COLUMN_REF' && NAME_COLUMN.test(child.column_names.at(-1) ?? '');
}

/**
 * Translates a query of the dialect (or the query that EXPLAIN explains) to SQL of the kernel and binds it.
 * Files are resolved and their schemas read, but no row is read.
 * @throws TesseraError if the statement is invalid, with a place in `text` if there is one
 */
export async function queryData(text: string, context: PrepareContext): Promise<QueryData> {
  const statement = classifyStatement(text);
  switch (statement.kind) {
    case 'query':
      return prepared(text, { sql: statement.sql, offset: 0 }, context);
    case 'explain':
      return prepared(text, statement, context);
    default:
      return fail('NOT_SUPPORTED', { what: 'Any statement other than a query in this place' });
  }
}

async function prepared(
  text: string,
  query: { readonly sql: string; readonly offset: number },
  context: PrepareContext,
): Promise<QueryData> {
  const parsed = await parseQuery(context.session, text, query);
  const placement = new Placement();
  const statement = await rewriteQuery(parsed, context, {
    placement,
    database: context.sessionValues.database,
    parameter: parameterValues(parsed, context),
  });
  const toBind = await bindable(statement, placement, context);
  await parsed.pause();
  const found = await withIndexes(toBind, context);
  return bindOutput(toBind, text, found);
}

/**
 * Binds a rewritten query and returns it with the names and types of its output. Errors of the kernel point
 * into `text`.
 */
export async function bindOutput(
  query: BindableQuery,
  text: string,
  { answering = query, uses = [] }: Partial<IndexedQuery> = {},
): Promise<QueryData> {
  const { binder, bound: written } = query;
  const writtenSql = await deparse(binder, written);
  const { columns } = await binder.describe(writtenSql).catch((error: unknown) => {
    throw located(error, text, writtenSql);
  });
  const adjusted = await nullTypes(binder, written, await sumTypes(binder, written, columns));
  const { bound, running, tables } = answering;
  const boundSql = answering === query ? writtenSql : await deparse(binder, bound);
  const sql = running === bound ? boundSql : await deparse(binder, running);
  const facts = columnFacts(written.node, columns.length, query.columns);
  const items = query.hasOids && written.node.type === 'SELECT_NODE' ? written.node.select_list : [];
  const output = withDialectTypes(sql, adjusted, { facts, hasOids: query.hasOids, items });
  const { time, date, sessionRelations, namedColumns } = answering;
  const prepared = {
    ...output,
    tables,
    namedColumns,
    time,
    date,
    bound: adjusted,
    sessionRelations,
    readsNothing: readsNothing(running),
    keepsNoRows: keepsNoRows(running),
    fewRows: returnsFewRows(running),
    indexes: uses,
  };
  if (tables.size === 0) return running === bound ? prepared : { ...prepared, boundSql };
  const top =
    tables.size === 1 && running === bound && answering === query ? topRowsQuery(running) : undefined;
  const topRows = top && (await topRowsSql(top, binder));
  return { ...prepared, boundSql, topRows, unstable: await unstablePart(running, binder) };
}

/** An error of the kernel about `ran`, with the corresponding place in `text` and the function that `text` calls. */
export function located(error: unknown, text: string, ran: string): unknown {
  const caret = caretOf(error);
  if (!(error instanceof TesseraError)) return error;
  const placed = caret === undefined ? error : error.with({ location: locateError(text, ran, caret) });
  return aboutCalledFunction(placed, text);
}

async function topRowsSql(
  { statement, ...top }: TopRowsQuery,
  binder: BindingSession,
): Promise<QueryData['topRows']> {
  return { ...top, sql: await deparse(binder, statement) };
}

export const withOutput = ({ bound, ...query }: QueryData): PreparedQuery => ({
  ...query,
  withOutput: (boundOutput) => outputSql(boundOutput, bound),
});

function withDialectTypes(
  sql: string,
  columns: readonly ConvertedColumn[],
  {
    facts,
    hasOids,
    items,
  }: {
    readonly facts: readonly ColumnFacts[];
    readonly hasOids: boolean;
    readonly items: readonly Expression[];
  },
): Pick<PreparedQuery, 'sql' | 'parameters' | 'columns'> {
  const types = columns.map((column) => outputType(column.type));
  const output = columns.map(({ name, type: kernelType }, i) => {
    const { notNull, declared, kind } = facts[i]!;
    const type = withDeclared(types[i]!.type, declared);
    const shown = hasOids ? catalogType(kernelType, type, items[i]) : type;
    return {
      name: shownName(name),
      type: shown,
      nullable: !notNull,
      ...(kind === 'null' && { isNull: true }),
    };
  });
  const isPlain = columns.every(
    (c, i) => c.convertTo === undefined && types[i]!.convert === undefined && c.name === shownName(c.name),
  );
  return { sql: isPlain ? sql : outputSql(sql, columns), parameters: {}, columns: output };
}

/** The columns of `sql`, by position, under the names and types of the output. */
function outputSql(sql: string, columns: readonly ConvertedColumn[]): string {
  const names = columns.map((_, i) => `c${i}`).join(', ');
  const items = columns.map(({ name, type, convertTo }, i) => {
    const value = convertTo === undefined ? `c${i}` : `CAST(c${i} AS ${convertTo})`;
    return `${outputType(type).convert?.(value) ?? value} AS ${quoteName(shownName(name))}`;
  });
  return `SELECT ${items.join(', ')} FROM (${sql}) AS r(${names})`;
}
