import { quoteIdentifier } from '@tessera/sql';
import type { PlanExpression } from '../../../plan-nodes.ts';
import { expressionType } from '../../expressions/expression-type.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { quotedText, typeSql } from '../type-sql.ts';
import { decimalOperands } from './decimal-arithmetic.ts';
import type { ExpressionScope } from './expression-scope.ts';
import { lambdaCallSql, takesLambda } from './lambda.ts';

/** Operators that stand between their operands. The others are called by their name. */
const INFIX = new Set(['+', '-', '*', '%', '//', '||', '&', '|', '<<', '>>', '^', '**']);

/** What functions keep of the session; they are bound in one like it again. */
const SESSION_DATA = new Set(['tz_setting', 'cal_setting']);

/** A call of a scalar function. */
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
  if (/^__internal|^constant_or_null$/.test(name)) return unsupported(`the function ${name}`);
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
  struct_pack: named('struct_pack'),
  union_value: unionSql,
  row: ({ children = [] }, scope) => `row(${children.map((child) => scope.render(child, scope)).join(', ')})`,
  error: (expression, scope) => {
    const [message] = expression.children ?? [];
    if (message === undefined) return unsupported('an error without a message');
    return `CAST(error(${scope.render(message, scope)}) AS ${typeSql(expressionType(expression))})`;
  },
  date_part: datePartSql,
};

/** Fields by the names that the type of the result has. */
function named(name: string): (expression: PlanExpression, scope: ExpressionScope) => string {
  return ({ children = [], return_type }, scope) => {
    const fields = return_type?.type_info?.child_types ?? [];
    if (fields.length !== children.length || children.length === 0)
      return unsupported('a struct without names');
    const items = children.map((child) => scope.render(child, scope));
    if (fields.every(({ first }) => first === undefined || first === '')) return `row(${items.join(', ')})`;
    return `${name}(${items.map((item, i) => `${quoteIdentifier(fields[i]?.first ?? '')} := ${item}`).join(', ')})`;
  };
}

function unionSql(): string {
  return unsupported('a value of a union');
}

/** A list of parts makes a struct of them; the list is folded away. */
function datePartSql(expression: PlanExpression, scope: ExpressionScope): string {
  const { children = [], return_type } = expression;
  const items = children.map((child) => scope.render(child, scope));
  if (return_type?.id !== 'STRUCT') return callSql('date_part', items);
  const parts = (return_type.type_info?.child_types ?? []).map(({ first = '' }) => quotedText(first));
  return `date_part([${parts.join(', ')}], ${items.join(', ')})`;
}
