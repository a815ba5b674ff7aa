import { fail, isSameName, type SqlLocation, TesseraError } from '@tessera/common';
import { AGGREGATE_FUNCTIONS } from '../functions/aggregate.ts';
import { nameColumns, postgresName } from '../functions/column-names.ts';
import { withinSize } from '../functions/expanded-size.ts';
import { rewriteBareName, rewriteFunction } from '../functions/index.ts';
import { checkCast, checkFunction, checkTableFunction } from '../guard/functions.ts';
import { type ParsedQuery, parseQuery } from '../parse/parse.ts';
import { postgresForms } from '../postgres/postgres-forms.ts';
import { isReadFunction } from '../reads/read-arguments.ts';
import { compiledPatterns } from '../relations/compiled-patterns.ts';
import { fileColumnsIn, starsOver } from '../relations/file-columns.ts';
import { placeRelations, type ViewRelation } from '../relations/place-relations.ts';
import type { Placement } from '../relations/placement.ts';
import { LongView, type PrepareContext } from '../relations/prepare-context.ts';
import { unqualifiedColumns } from '../relations/qualified-columns.ts';
import { sequenceCalls } from '../relations/sequence-calls.ts';
import { asofNulls } from '../rewrites/asof-joins.ts';
import { joinsThatPrintRight } from '../rewrites/cross-joins.ts';
import { daysOfSeries } from '../rewrites/days-of-series.ts';
import { decimalLiterals } from '../rewrites/decimal-literals.ts';
import { distinctSets } from '../rewrites/distinct-sets.ts';
import { divideByZeroFails } from '../rewrites/division.ts';
import { elementCasts } from '../rewrites/element-casts.ts';
import { existsInequalities } from '../rewrites/exists-inequalities.ts';
import { functionColumn } from '../rewrites/function-columns.ts';
import { functionsInFrom } from '../rewrites/functions-in-from.ts';
import { grandTotals } from '../rewrites/grand-totals.ts';
import { groupByKey } from '../rewrites/group-by-key.ts';
import { groupedRows } from '../rewrites/grouped-rows.ts';
import { intervalLiteral } from '../rewrites/interval-texts.ts';
import { jsonRows } from '../rewrites/json-rows.ts';
import { limitedCast } from '../rewrites/limited-casts.ts';
import {
  byteaLiteral,
  checkDoubleText,
  checkJsonText,
  doubleLiteral,
  negativeLiteral,
  numberOfBits,
  refuseBitString,
  smallestInteger,
  typedNull,
} from '../rewrites/literals.ts';
import { longLists } from '../rewrites/long-lists.ts';
import { resolveOrderNames, withoutConstantOrder } from '../rewrites/order-names.ts';
import { parameterValue } from '../rewrites/parameters.ts';
import { likePatterns, partialRegexMatch } from '../rewrites/patterns.ts';
import { quantifiedArray, writtenQuery } from '../rewrites/quantified-arrays.ts';
import { quantifiedPattern } from '../rewrites/quantified-patterns.ts';
import { checkRecursion } from '../rewrites/recursion.ts';
import { checkRepeatedOperands } from '../rewrites/repeated-operands.ts';
import { rowComparison } from '../rewrites/row-comparisons.ts';
import { rowSubqueries } from '../rewrites/row-subqueries.ts';
import { seriesArguments, seriesInSelect } from '../rewrites/series-in-select.ts';
import { shiftOfNegative } from '../rewrites/shifts.ts';
import { similarTo } from '../rewrites/similar-patterns.ts';
import { sortedDistinct } from '../rewrites/sorted-distinct.ts';
import { joinedBySeparator } from '../rewrites/string-agg.ts';
import { subqueriesOnce } from '../rewrites/subqueries-once.ts';
import { arraySubscripts } from '../rewrites/subscripts.ts';
import { summarisedTypes } from '../rewrites/summarised-types.ts';
import { symmetricBetween } from '../rewrites/symmetric-between.ts';
import { clockText, posixZone, timeDigits, timeLiteral } from '../rewrites/time-texts.ts';
import { unmatchedAggregates } from '../rewrites/unmatched-aggregates.ts';
import { untypedFrame, untypedOperands } from '../rewrites/untyped-operands.ts';
import { wholePartition } from '../rewrites/whole-partitions.ts';
import { checkWindow } from '../rewrites/window-arguments.ts';
import { limitWithTies } from '../rewrites/with-ties.ts';
import { writtenExtract } from '../rewrites/written-extract.ts';
import { WrittenSize } from '../rewrites/written-size.ts';
import {
  cast,
  type Expression,
  type FunctionNode,
  isQueryNode,
  type ParameterNode,
  type Statement,
  type TableFunctionRef,
  transformTree,
  type WindowNode,
  walkTree,
  withoutArraySizes,
} from '../tree.ts';
import { byteaForms } from './bytea-forms.ts';
import { type FactsOf, NOTHING_KNOWN } from './column-scope.ts';
import { correlatedCtes } from './correlated-ctes.ts';
import { distinctArrays } from './distinct-arrays.ts';
import { halvesToEven } from './half-even.ts';
import { kernelFunctions } from './index-expressions.ts';
import { intervalForms } from './interval-forms.ts';
import { itemNames } from './item-names.ts';
import { jsonbForms } from './jsonb-forms.ts';
import { checkLiterals } from './literal-checks.ts';
import { repeatedNames } from './repeated-names.ts';
import { truncatedComparisons } from './truncated-comparisons.ts';
import { typedTexts } from './typed-texts.ts';
import { kindOfType } from './value-kind.ts';
import { typedConcatenations, valueTexts } from './value-texts.ts';
import { wholeRows } from './whole-rows.ts';

export interface RewriteScope {
  readonly placement: Placement;
  /** The database of names in FROM that do not give one. */
  readonly database: string;
  /** The replacement of a parameter. */
  parameter(node: ParameterNode): Expression;
  /** The columns that the statement may name without a FROM clause, as the definition of a table does. */
  readonly columns?: readonly {
    readonly name: string;
    readonly type: string;
    /** `Column.declared`. */
    readonly declared?: string | undefined;
  }[];
  /** The ids of the enclosing views, outermost first, if this is the query of a view. */
  readonly views?: readonly string[];
}

/**
 * Rewrites the tree of a parsed query of the dialect in terms of the kernel; the placement receives the
 * relations of its FROM.
 * @throws TesseraError if names, calls or files are invalid
 */
export async function rewriteQuery(
  parsed: ParsedQuery,
  context: PrepareContext,
  scope: RewriteScope,
): Promise<Statement> {
  const { locate, pause } = parsed;
  await pause();
  checkRecursion(parsed);
  checkRepeatedOperands(parsed.statement);
  const called = await keptUnmatched(functionsInFrom(distinctSets(parsed), parsed.sourceAt), context);
  guardFunctions({ ...parsed, statement: called });
  await pause();
  const { parameters, sequences } = context;
  const view = scope.views?.at(-1);
  const counted = await sequenceCalls(
    { ...parsed, statement: called },
    { parameters, sequences, view, database: scope.database },
  );
  const placeOf = (at: Expression) => locate(at.query_location);
  const sourceOf = (at: Expression) => parsed.sourceAt(at.query_location);
  const ordered = transformTree(counted, {
    expression: (node) =>
      node.class === 'FUNCTION'
        ? jsonRows(
            quantifiedPattern(
              seriesArguments(writtenExtract(withoutConstantOrder(node), sourceOf(node)), placeOf),
              sourceOf(node),
            ),
          )
        : node.class === 'SUBQUERY'
          ? writtenQuery(node, sourceOf(node))
          : node.class === 'CAST'
            ? numberOfBits(node, parsed)
            : node,
    tableRef: asofNulls,
    queryNode: (node) =>
      grandTotals(
        groupedRows(
          daysOfSeries(
            seriesInSelect(limitWithTies(resolveOrderNames(node, placeOf, sourceOf), sourceOf, placeOf)),
          ),
        ),
      ),
  });
  await pause();
  const statement = postgresForms(ordered, context, (node) => scope.parameter(node));
  await pause();
  const reads = readsIn(statement);
  const fileColumns = fileColumnsIn(statement);
  const {
    refs,
    named: names,
    keyed,
    withFileColumns,
  } = await placeRelations({ ...parsed, statement }, reads, {
    fileColumns,
    context,
    placement: scope.placement,
    database: scope.database,
    view,
    rewriteView: (view, ref) => rewriteView(view, locate(ref.query_location), context, scope),
  });
  await pause();
  const stars = starsOver(statement, withFileColumns);
  const grouped =
    keyed.size === 0
      ? statement
      : transformTree(statement, { queryNode: (node) => groupByKey(node, (ref) => keyed.get(ref)) });
  const named = transformTree(grouped, {
    expression: (node) =>
      node.class === 'STAR' && stars.has(node)
        ? { ...node, exclude_list: [...node.exclude_list, ...fileColumns] }
        : clockText(node),
    tableRef: (node) => joinsThatPrintRight(summarisedTypes(refs.get(node) ?? functionColumn(node))),
    queryNode: (node) => nameColumns(node, postgresName),
  });
  await pause();
  const compiled = await withCompiledPatterns(named, parsed, context, scope);
  const unqualified = unqualifiedColumns(names, scope.database, statement);
  const { clock, tables: allTables } = scope.placement;
  const pin = (node: Expression) => (allTables.size > 0 ? clock.pin(node, context.settings.timezone) : node);
  const written = new WrittenSize();
  const exact = decimalLiterals(existsInequalities(rowSubqueries(compiled, locate)));
  await pause();
  const rewritten = transformTree(exact, {
    expression: (node) =>
      node.class === 'PARAMETER'
        ? scope.parameter(node)
        : written.checked(
            pin(rewriteExpression(node.class === 'COLUMN_REF' ? unqualified(node) : node, parsed, context)),
          ),
  });
  await pause();
  const { columns: own = [], placement } = scope;
  const isJsonb = ({ declared }: { readonly declared?: string | undefined }) => declared === 'jsonb';
  const hasJsonb = own.some(isJsonb) || [...allTables.values()].some(({ columns }) => columns.some(isJsonb));
  const catalog = (name: string) => allTables.get(name)?.columns;
  const outermost = factsAbout(own);
  const documents = await inPasses(rewritten, pause, [
    longLists,
    (statement) => itemNames(statement, catalog, outermost, placeOf, view !== undefined),
    (statement) => correlatedCtes(statement, catalog),
    (statement) => wholeRows(statement, catalog, outermost),
    (statement) => jsonbForms(statement, catalog, outermost, hasJsonb),
  ]);
  // The query of a view becomes a part of the query that reads it.
  if (view !== undefined) return documents;
  // Clients cast many columns of the catalog, whose values need none of the other passes.
  if (placement.readsSystem)
    return withinSize(subqueriesOnce(typedConcatenations(documents, catalog, outermost)));
  return inPasses(documents, pause, [
    (statement) => repeatedNames(statement, catalog, outermost, placeOf),
    (statement) => typedTexts(statement, catalog, outermost, placeOf),
    async (statement) => {
      await checkLiterals(statement, catalog, outermost, context.session, placeOf);
      return statement;
    },
    (statement) => intervalForms(statement, catalog, outermost, context.settings.timezone),
    (statement) => byteaForms(statement, catalog, outermost),
    (statement) => halvesToEven(statement, catalog, outermost),
    (statement) => valueTexts(statement, catalog, outermost),
    subqueriesOnce,
    (statement) => distinctArrays(statement, catalog, outermost),
    truncatedComparisons,
    withinSize,
  ]);
}

const DIALECT_AGGREGATES: ReadonlySet<string> = new Set(
  AGGREGATE_FUNCTIONS.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
);

async function keptUnmatched(statement: Statement, { session }: PrepareContext): Promise<Statement> {
  if (unmatchedAggregates(statement, () => true) === statement) return statement;
  const { aggregates } = await kernelFunctions(session);
  return unmatchedAggregates(statement, (name) => aggregates.has(name) || DIALECT_AGGREGATES.has(name));
}

/** Rewrites a statement in passes, one after the other, with a pause after each. */
async function inPasses(
  statement: Statement,
  pause: ParsedQuery['pause'],
  passes: readonly ((statement: Statement) => Statement | Promise<Statement>)[],
): Promise<Statement> {
  let rewritten = statement;
  for (const pass of passes) {
    rewritten = await pass(rewritten);
    await pause();
  }
  return rewritten;
}

/** The facts about columns that an expression names alone, without a relation. */
const factsAbout =
  (columns: NonNullable<RewriteScope['columns']>): FactsOf =>
  (of) => {
    if (isQueryNode(of)) return undefined;
    const [name = '', field] = of.column_names;
    const found = field === undefined && columns.find((one) => isSameName(one.name, name));
    return found ? { ...NOTHING_KNOWN, declared: found.declared, kind: kindOfType(found.type) } : undefined;
  };

async function withCompiledPatterns(
  statement: Statement,
  { sourceAt }: ParsedQuery,
  { relations }: PrepareContext,
  { placement: { tables } }: RewriteScope,
): Promise<Statement> {
  if (tables.size === 0 || relations?.patternsOf === undefined) return statement;
  const patternsOf = relations.patternsOf.bind(relations);
  return compiledPatterns(statement, {
    tables,
    sourceAt: ({ query_location }) => sourceAt(query_location),
    patternsOf,
  });
}

/** Errors in the query of a view are reported at the view's name. */
async function rewriteView(
  view: ViewRelation,
  location: SqlLocation | undefined,
  context: PrepareContext,
  scope: RewriteScope,
): Promise<Statement> {
  const { views = [] } = scope;
  if (view.sql.length > (context.longestView ?? Infinity)) throw new LongView();
  if (views.includes(view.id)) {
    fail('STATEMENT_FAILED', { message: 'A view refers to itself through other views' }, { location });
  }
  try {
    const parsed = await parseQuery(context.session, view.sql, { sql: view.sql, offset: 0 });
    return await rewriteQuery({ ...parsed, locate: () => location }, context, {
      ...scope,
      database: view.database,
      views: [...views, view.id],
    });
  } catch (error) {
    throw error instanceof TesseraError ? error.with({ location }) : error;
  }
}

/** Replaces parameters by their values. */
export const parameterValues =
  (parsed: ParsedQuery, context: PrepareContext) =>
  (node: ParameterNode): Expression =>
    parameterValue(node, context.parameters, parsed.locate(node.query_location));

function guardFunctions({ statement, locate }: ParsedQuery): void {
  walkTree(statement, (node) => {
    if ('class' in node) {
      if (node.class === 'FUNCTION' || node.class === 'WINDOW') checkFunction(node, locate);
      if (node.class === 'CAST') checkCast(node, locate);
    } else if (node.type === 'TABLE_FUNCTION') {
      if (!isReadCall(node)) checkTableFunction(node, locate);
    }
  });
}

function readsIn(statement: Statement): readonly TableFunctionRef[] {
  const reads: TableFunctionRef[] = [];
  walkTree(statement, (node) => {
    if (!('class' in node) && node.type === 'TABLE_FUNCTION' && isReadCall(node)) reads.push(node);
  });
  return reads;
}

const isReadCall = (node: TableFunctionRef): boolean =>
  isReadFunction(node.function.function_name.toLowerCase());

function rewriteExpression(node: Expression, parsed: ParsedQuery, context: PrepareContext): Expression {
  if (node.class === 'COLUMN_REF') {
    const isQuoted = parsed.sourceAt(node.query_location).startsWith('"');
    return (isQuoted ? undefined : rewriteBareName(node, context)) ?? node;
  }
  if (node.class === 'CONSTANT') {
    refuseBitString(node, parsed);
    const signed = smallestInteger(node);
    return signed.class === 'CONSTANT' ? doubleLiteral(signed, parsed.locate) : signed;
  }
  if (node.class === 'CAST') {
    checkDoubleText(node, parsed.locate);
    checkJsonText(node, parsed.locate);
    const cast_type = withoutArraySizes(node.cast_type);
    const limited = limitedCast(
      elementCasts(cast_type === node.cast_type ? node : { ...node, cast_type }, (element) =>
        rewriteExpression(element, parsed, context),
      ),
    );
    const timed = limited.class === 'CAST' ? timeDigits(limited) : limited;
    return timed.class === 'CAST' ? byteaLiteral(timeLiteral(intervalLiteral(timed))) : timed;
  }
  if (node.class === 'COMPARISON') return rowComparison(node);
  if (node.class === 'WINDOW') checkWindow(node, parsed.locate);
  const between = symmetricBetween(node, (at) => parsed.sourceAt(at.query_location));
  if (between !== node) return between;
  if (node.class === 'SUBQUERY') return quantifiedArray(node);
  const typed = withTypedOperands(node);
  const called = typed === undefined ? node : joinedBySeparator(typed);
  const replaced = (typed && rewriteDialectFunction(typed, parsed, context)) ?? called;
  const sourceAt = (at: Expression) => parsed.sourceAt(at.query_location);
  const matched = similarTo(partialRegexMatch(replaced, sourceAt), sourceAt);
  if (matched.class === 'OPERATOR') {
    if (matched.type === 'GROUPING_FUNCTION') return { ...cast(matched, 'INTEGER'), alias: node.alias };
    const compared = rowComparison(matched);
    return compared.class === 'OPERATOR' ? arraySubscripts(compared) : compared;
  }
  if (matched.class !== 'FUNCTION') return matched;
  const sorted = sortedDistinct(matched);
  if (sorted !== matched) return sorted;
  const signed = negativeLiteral(matched);
  if (signed.class !== 'FUNCTION') return signed;
  const shifted = shiftOfNegative(signed);
  if (shifted.class !== 'FUNCTION') return shifted;
  const like = likePatterns(posixZone(shifted));
  if (like.class !== 'FUNCTION') return like;
  const divided = divideByZeroFails(like);
  return divided.class === 'FUNCTION' ? typedNull(divided) : divided;
}

/** A call whose untyped literals have the types that it requires; undefined for other expressions. */
function withTypedOperands(node: Expression): FunctionNode | WindowNode | undefined {
  if (node.class === 'FUNCTION') return untypedOperands(node);
  return node.class === 'WINDOW' ? wholePartition(untypedFrame(node)) : undefined;
}

/** Errors of a function's rewrite point at its call. */
function rewriteDialectFunction(
  node: Extract<Expression, { class: 'FUNCTION' | 'WINDOW' }>,
  parsed: ParsedQuery,
  context: PrepareContext,
): Expression | undefined {
  try {
    return rewriteFunction(node, context);
  } catch (error) {
    const location = parsed.locate(node.query_location);
    if (!(error instanceof TesseraError) || location === undefined || error.location !== undefined)
      throw error;
    throw error.with({ location });
  }
}
