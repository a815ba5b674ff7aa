import { quoteIdentifier } from '@tessera/sql';
import type { PlanExpression } from '../../../plan-nodes.ts';
import { expressionType } from '../../expressions/expression-type.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { exampleSql, isNameable } from '../null-sql.ts';
import { quotedText, typeSql } from '../type-sql.ts';
import { foldedArguments } from './aggregate-call.ts';
import { decimalOperands } from './decimal-arithmetic.ts';
import type { ExpressionScope } from './expression-scope.ts';

/** Functions over lambdas by the number of lambda parameters, without the optional index parameter. */
const PARAMETERS: Readonly<Record<string, number>> = {
  list_transform: 1,
  list_apply: 1,
  array_transform: 1,
  array_apply: 1,
  apply: 1,
  list_filter: 1,
  array_filter: 1,
  filter: 1,
  list_reduce: 2,
  array_reduce: 2,
  reduce: 2,
};

const takesLambda = (name: string): boolean => name in PARAMETERS;

/**
 * Renders a function over a lambda. Inside the lambda, references are first to the parameters, the last one
 * first, then to captured values, which are the children after the arguments.
 */
function lambdaCallSql(expression: PlanExpression, scope: ExpressionScope): string {
  const { name = '', children = [], function_data = {} } = expression;
  const body = function_data.lambda_expr as PlanExpression | null | undefined;
  const [list, ...rest] = children;
  if (list === undefined || body === undefined || body === null)
    return unsupported(`${name} without a lambda`);
  const hasInitial = function_data.has_initial === true;
  const count = (PARAMETERS[name] ?? 0) + (function_data.has_index === true ? 1 : 0);
  // An initial value precedes the captured values.
  const captures = hasInitial ? rest.slice(1) : rest;
  const initial = hasInitial ? rest.slice(0, 1) : [];
  const parameters = Array.from({ length: count }, (_, i) => `p${scope.depth + i}`);
  const captured = captures.map((capture) => scope.render(capture, scope));
  const inner = scope.render(body, {
    ...scope,
    depth: scope.depth + count,
    column: (index) =>
      (index < count ? parameters[count - 1 - index] : captured[index - count]) ??
      unsupported('what a lambda refers to'),
  });
  const items = [
    scope.render(list, scope),
    `lambda ${parameters.join(', ')}: ${inner}`,
    ...initial.map((value) => scope.render(value, scope)),
  ];
  return `"${name}"(${items.join(', ')})`;
}

/** Infix operators; other functions are called by name. */
const INFIX = new Set(['+', '-', '*', '%', '//', '||', '&', '|', '<<', '>>', '^', '**']);

/** Session settings that functions store in their data; binding in an equal session restores them. */
const SESSION_DATA = new Set(['tz_setting', 'cal_setting']);

/** Renders a call of a scalar function. */
export function functionSql(expression: PlanExpression, scope: ExpressionScope): string {
  const { name = '', children = [], function_data, return_type } = expression;
  if (takesLambda(name)) return lambdaCallSql(expression, scope);
  const special = SPECIAL[name];
  if (special !== undefined) return special(expression, scope);
  if (return_type?.id === 'DECIMAL' && function_data?.check_overflow !== undefined)
    return decimalSql(expression, scope);
  const kept = Object.keys(function_data ?? {}).filter((key) => !SESSION_DATA.has(key));
  if (kept.length > 0) return unsupported(`what binding made of ${name}`);
  return callSql(
    name,
    children.map((child) => scope.render(child, scope)),
  );
}

function callSql(name: string, items: readonly string[]): string {
  if (name.startsWith('__internal')) return unsupported(`the function ${name}`);
  const [first, second, ...others] = items;
  if (INFIX.has(name) && second !== undefined && others.length === 0) return `(${first} ${name} ${second})`;
  return `"${name.replaceAll('"', '""')}"(${items.join(', ')})`;
}

function decimalSql(expression: PlanExpression, scope: ExpressionScope): string {
  const { name = '', children = [] } = expression;
  const result = expressionType(expression);
  const operands = decimalOperands(name, children, result);
  const sql = callSql(
    name,
    (operands ?? children).map((operand) => scope.render(operand, scope)),
  );
  return operands === undefined ? `CAST(${sql} AS ${typeSql(result)})` : sql;
}

const SPECIAL: Readonly<Record<string, (expression: PlanExpression, scope: ExpressionScope) => string>> = {
  struct_pack: (expression, scope) => namedSql('struct_pack', expression, scope, 0),
  row: (expression, scope) => callSql('row', itemsOf(expression, scope)),
  struct_insert: (expression, scope) => namedSql('struct_insert', expression, scope, 1),
  union_value: (expression, scope) => namedSql('union_value', expression, scope, 0),
  // The call accepts any type, so its arguments keep the types that they had before the binder widened them.
  error: castCallSql,
  equi_width_bins: castCallSql,
  date_part: datePartSql,
  array_slice: sliceSql,
  list_slice: sliceSql,
  list_aggr: listAggregateSql,
  list_aggregate: listAggregateSql,
  array_aggr: listAggregateSql,
  array_aggregate: listAggregateSql,
  aggregate: listAggregateSql,
};

/** Renders a call whose type does not follow from its arguments. */
function castCallSql(expression: PlanExpression, scope: ExpressionScope): string {
  const call = callSql(expression.name ?? '', itemsOf(expression, scope));
  const type = expressionType(expression);
  if (type.id === 'NULL') return call;
  if (!isNameable(type)) return `CASE WHEN false THEN ${exampleSql(type)} ELSE ${call} END`;
  return `CAST(${call} AS ${typeSql(type)})`;
}

const itemsOf = ({ children = [] }: PlanExpression, scope: ExpressionScope): readonly string[] =>
  children.map((child) => scope.render(child, scope));

/**
 * Renders a call with named arguments: after `plain` unnamed arguments, the others are named like the last
 * fields of the result type.
 */
function namedSql(name: string, expression: PlanExpression, scope: ExpressionScope, plain: number): string {
  const items = itemsOf(expression, scope);
  const named = items.slice(plain);
  const fields = (expression.return_type?.type_info?.child_types ?? []).slice(-named.length);
  if (named.length === 0 || fields.length !== named.length) return unsupported(`${name} without names`);
  if (fields.every(({ first }) => first === undefined || first === ''))
    return plain === 0 ? callSql('row', items) : unsupported(`${name} without names`);
  const assigned = named.map((item, i) => `${quoteIdentifier(fields[i]?.first ?? '')} := ${item}`);
  return `${name}(${[...items.slice(0, plain), ...assigned].join(', ')})`;
}

/** Renders `list[from:to:step]`. An empty list represents a bound that is not given. */
function sliceSql(expression: PlanExpression, scope: ExpressionScope): string {
  const [list = '', from = '', to = '', step] = itemsOf(expression, scope);
  const [, low, high] = expression.children ?? [];
  const isOpen = (bound: PlanExpression | undefined) =>
    bound !== undefined && expressionType(bound).id === 'LIST';
  if (!isOpen(low) && !isOpen(high)) return callSql(expression.name ?? '', itemsOf(expression, scope));
  const first = isOpen(low) ? '' : from;
  // The kernel writes an open upper bound as `-` before a step, and omits it without one.
  const openEnd = step === undefined ? '' : '-';
  return `(${list})[${first}:${isOpen(high) ? openEnd : to}${step === undefined ? '' : `:${step}`}]`;
}

/**
 * Renders a call with a list of date parts, which returns a struct of them; the binder folds the list away.
 */
function datePartSql(expression: PlanExpression, scope: ExpressionScope): string {
  const items = itemsOf(expression, scope);
  const { return_type } = expression;
  if (return_type?.id !== 'STRUCT') return callSql('date_part', items);
  const parts = (return_type.type_info?.child_types ?? []).map(({ first = '' }) => quotedText(first));
  return callSql('date_part', [`[${parts.join(', ')}]`, ...items]);
}

/** Renders a list aggregate; arguments after the aggregate's name are folded into the aggregate. */
function listAggregateSql(expression: PlanExpression, scope: ExpressionScope): string {
  const { bind_data } = expression.function_data ?? {};
  const { aggr_expr: aggregate } = (bind_data ?? {}) as { readonly aggr_expr?: PlanExpression };
  if (aggregate === undefined) return unsupported('the aggregate of a list');
  if (aggregate.function_data?.desc === true) return unsupported('a descending quantile of a list');
  return callSql(expression.name ?? '', [...itemsOf(expression, scope), ...foldedArguments(aggregate)]);
}
