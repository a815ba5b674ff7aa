import { COMPARISONS } from '../comparisons.ts';
import type { PlanExpression, PlanValue } from '../plan-nodes.ts';
import { infinityText, valueText } from '../value-text.ts';
import { operatorText } from './operator-words.ts';

interface NamedExpression extends PlanExpression {
  readonly alias?: string;
  readonly is_operator?: boolean;
  readonly aggregate_type?: string;
  readonly case_checks?: readonly {
    readonly when_expr: PlanExpression;
    readonly then_expr: PlanExpression;
  }[];
  readonly else_expr?: PlanExpression;
}

/** The text of a plan's expression for EXPLAIN, similar to SQL. */
export function expressionText(node: PlanExpression): string {
  const { type, name, left, right, child, children = [], value } = node;
  const { alias, is_operator, aggregate_type, case_checks, else_expr } = node as NamedExpression;
  const comparison = COMPARISONS[type];
  if (comparison !== undefined && left !== undefined && right !== undefined)
    return `${expressionText(left)} ${comparison} ${expressionText(right)}`;
  const items = children.map(expressionText);
  switch (type) {
    case 'BOUND_REF':
      return alias ?? `#${node.index ?? 0}`;
    case 'VALUE_CONSTANT':
      return value === undefined ? '?' : shortened(constantText(value));
    case 'CONJUNCTION_AND':
      return `(${items.join(' AND ')})`;
    case 'CONJUNCTION_OR':
      return `(${items.join(' OR ')})`;
    case 'OPERATOR_CAST':
      return `CAST(${child === undefined ? '?' : expressionText(child)} AS ${node.return_type?.id ?? '?'})`;
    case 'OPERATOR_IS_NULL':
      return `${items[0] ?? '?'} IS NULL`;
    case 'OPERATOR_IS_NOT_NULL':
      return `${items[0] ?? '?'} IS NOT NULL`;
    case 'OPERATOR_NOT':
      return `NOT ${items[0] ?? '?'}`;
    case 'COMPARE_BETWEEN': {
      const [value, low, high] = [node.input, node.lower, node.upper].map((part) =>
        part === undefined ? '?' : expressionText(part),
      );
      if (node.lower_inclusive === true && node.upper_inclusive === true)
        return `${value} BETWEEN ${low} AND ${high}`;
      return `(${value} ${node.lower_inclusive === true ? '>=' : '>'} ${low} AND ${value} ${node.upper_inclusive === true ? '<=' : '<'} ${high})`;
    }
    case 'COMPARE_IN':
      return `${items[0] ?? '?'} IN (${items.slice(1).join(', ')})`;
    case 'CASE_EXPR': {
      const branches = (case_checks ?? []).map(
        ({ when_expr, then_expr }) => `WHEN ${expressionText(when_expr)} THEN ${expressionText(then_expr)}`,
      );
      const last = else_expr === undefined ? '' : ` ELSE ${expressionText(else_expr)}`;
      return `CASE ${branches.join(' ')}${last} END`;
    }
    default: {
      if (name === 'create_sort_key') return 'sort key';
      if (items.length === 2 && (is_operator === true || !/^\w/.test(name ?? type)))
        return `(${items[0]} ${operatorText(name ?? '')} ${items[1]})`;
      const distinct = aggregate_type === 'DISTINCT' ? 'DISTINCT ' : '';
      return `${name ?? type.replace('OPERATOR_', '').toLowerCase()}(${distinct}${items.join(', ')})`;
    }
  }
}

/** The longest constant that is shown whole. */
const LONGEST = 80;

/** The text in one line, cut off where it is too long for a line of a plan. */
function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}…`;
}

export function constantText(value: PlanValue): string {
  if (value.is_null === true) return 'NULL';
  const { children } = (value.value ?? {}) as { readonly children?: readonly PlanValue[] };
  if (children !== undefined) return `[${children.map(constantText).join(', ')}]`;
  const text = infinityText(value) ?? valueText(value) ?? JSON.stringify(value.value, withoutBigints) ?? '?';
  return /^(?:VARCHAR|DATE|TIMESTAMP.*)$/.test(value.type.id) ? `'${text.replaceAll("'", "''")}'` : text;
}

const withoutBigints = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? Number(value) : value;
