import { TesseraError } from '@tessera/common';
import { rewriteBareName, rewriteFunction } from '../functions/index.ts';
import { checkFunction, checkTableFunction } from '../guard/functions.ts';
import { checkRelations } from '../guard/relations.ts';
import { isReadFunction, readArguments } from '../reads/read-arguments.ts';
import { scanOf } from '../reads/scan.ts';
import { byteaLiteral } from '../rewrites/bytea-literals.ts';
import { nameColumns, postgresName } from '../rewrites/column-names.ts';
import { joinsThatPrintRight } from '../rewrites/cross-joins.ts';
import { divideByZeroFails } from '../rewrites/division.ts';
import { doubleLiteral } from '../rewrites/double-literals.ts';
import { literalDoubles } from '../rewrites/literal-doubles.ts';
import { parameterValue } from '../rewrites/parameters.ts';
import { partialRegexMatch } from '../rewrites/regex-operators.ts';
import type { Expression, ParameterNode, Statement, TableFunctionRef, TableRef } from '../tree.ts';
import { transformTree, walkTree } from '../tree.ts';
import type { ParsedQuery } from './parse.ts';
import type { PrepareContext } from './prepare-context.ts';

/** The tree that the kernel runs for a parsed query of the dialect; `parameter` gives what stands for a parameter. */
export async function rewriteQuery(
  parsed: ParsedQuery,
  context: PrepareContext,
  parameter: (node: ParameterNode) => Expression = (node) =>
    parameterValue(node, context.parameters, parsed.locate(node.query_location)),
): Promise<Statement> {
  const { statement, locate } = parsed;
  checkRelations(statement, locate);
  const reads = guardAndCollectReads(parsed);
  const scans = new Map<TableRef, TableRef>();
  for (const ref of reads) {
    const location = locate(ref.query_location);
    const args = readArguments(ref, location);
    const source = await context.resolveRead({ ...args, location });
    scans.set(ref, await scanOf(ref, args, source, context.session));
  }
  const named = transformTree(statement, {
    tableRef: (node) => joinsThatPrintRight(scans.get(node) ?? node),
    queryNode: (node) => nameColumns(node, postgresName),
  });
  const rewritten = transformTree(named, {
    expression: (node) =>
      node.class === 'PARAMETER' ? parameter(node) : rewriteExpression(node, parsed, context),
  });
  return { ...rewritten, node: literalDoubles(rewritten.node) };
}

function guardAndCollectReads({ statement, locate }: ParsedQuery): readonly TableFunctionRef[] {
  const reads: TableFunctionRef[] = [];
  walkTree(statement, (node) => {
    if ('class' in node) {
      if (node.class === 'FUNCTION' || node.class === 'WINDOW')
        checkFunction(node, locate(node.query_location));
    } else if (node.type === 'TABLE_FUNCTION') {
      if (isReadFunction(node.function.function_name.toLowerCase())) reads.push(node);
      else checkTableFunction(node, locate(node.query_location));
    }
  });
  return reads;
}

function rewriteExpression(node: Expression, parsed: ParsedQuery, context: PrepareContext): Expression {
  if (node.class === 'COLUMN_REF') return rewriteBareName(node, context) ?? node;
  if (node.class === 'CONSTANT') return doubleLiteral(node);
  if (node.class === 'CAST') return byteaLiteral(node);
  const isCall = node.class === 'FUNCTION' || node.class === 'WINDOW';
  const replaced = (isCall ? rewriteDialectFunction(node, parsed, context) : undefined) ?? node;
  const matched = partialRegexMatch(replaced, (at) => parsed.sourceAt(at.query_location));
  return matched.class === 'FUNCTION' ? divideByZeroFails(matched) : matched;
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
