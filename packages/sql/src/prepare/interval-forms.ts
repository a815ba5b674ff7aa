import { internalCall, kernelCall, operatorCall } from '../functions/expressions.ts';
import {
  cast,
  constant,
  type Expression,
  type FunctionNode,
  type Statement,
  someExpression,
  type WindowNode,
} from '../tree.ts';
import type { CatalogColumns } from './column-scope.ts';
import { type FactsOf, rewriteInScope } from './scoped-expressions.ts';
import { type KindOfColumn, valueKind } from './value-kind.ts';

const NAMES: ReadonlySet<string> = new Set(['-', '//', 'sum']);

type Call = FunctionNode | WindowNode;

/**
 * Arithmetic with times and intervals that the kernel does not have:
 *     i / n              →   i * (1.0 / n)
 *     t - u              →   (DATE '2000-01-01' + t) - (DATE '2000-01-01' + u)
 *     sum(i)             →   to_months(sum(months of i)) + to_days(sum(days of i)) + to_microseconds(sum(microseconds of i))
 * The text of the query and the catalog must say that the operands are times or intervals.
 * @param outermost see `rewriteInScope`
 */
export function intervalForms(statement: Statement, catalog: CatalogColumns, outermost: FactsOf): Statement {
  if (!someExpression(statement, (node) => isCall(node) && NAMES.has(node.function_name))) return statement;
  return rewriteInScope(statement, catalog, outermost, (node, factsOf) =>
    isCall(node) ? formOf(node, (ref) => factsOf(ref)?.kind) : node,
  );
}

const isCall = (node: Expression): node is Call => node.class === 'FUNCTION' || node.class === 'WINDOW';

function formOf(node: Call, ofColumn: KindOfColumn): Expression {
  const [first, second] = node.children;
  if (first === undefined || !NAMES.has(node.function_name)) return node;
  const kind = valueKind(first, ofColumn);
  if (node.function_name === 'sum')
    return kind === 'interval' && !node.distinct ? sumOf({ ...node, alias: '' }, first) : node;
  if (second === undefined) return node;
  if (node.function_name === '//')
    return kind === 'interval'
      ? operatorCall('*', first, operatorCall('/', cast(constant(1), 'DOUBLE'), cast(second, 'DOUBLE')))
      : node;
  return kind === 'time' && valueKind(second, ofColumn) === 'time'
    ? operatorCall('-', onOneDay(first), onOneDay(second))
    : node;
}

const onOneDay = (time: Expression): Expression =>
  operatorCall('+', cast(constant('2000-01-01'), 'DATE'), { ...time, alias: '' });

function sumOf(node: Call, interval: Expression): Expression {
  const part = (unit: string, macro: string, type: string): Expression =>
    kernelCall(`to_${unit}`, cast({ ...node, children: [internalCall(macro, interval)] }, type));
  const days = operatorCall(
    '+',
    part('months', 'interval_months', 'INTEGER'),
    part('days', 'interval_only_days', 'INTEGER'),
  );
  return operatorCall('+', days, part('microseconds', 'interval_time', 'BIGINT'));
}
